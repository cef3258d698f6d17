"""`Extension`: what a package or a file adds to loomir.

An extension's operation is checked before it is added.

Transformations and replacements belong to the phases of `loomir convert`. The core only holds them; `tools/model_optimizer` runs
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect, Operation
from xdsl.irdl import OptOperandDef, VarOperandDef
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.target import Target

from loomir.compiler.universe import add_dialect, add_pass, add_target
from loomir.dialects.families import Undo
from loomir.dialects.ov import add_operation
from loomir.dialects.ov.base import OvOperation, has_evaluator
from loomir.dialects.ov.interfaces import AnyOrder, Layout
from loomir.dialects.ov.layers import is_known
from loomir.dialects.ov.layers.attributes import as_it_stands
from loomir.dialects.ov.operators.custom import Inference, infer_custom
from loomir.errors import Error, shown
from loomir.passes.analysis.machines import Machine, register
from loomir.passes.graph.lib.decompositions import Decomposition, add_decomposition, decomposition_of
from loomir.passes.structured.lib.lowering import LoweringFunction, add_lowering

if TYPE_CHECKING:
    # What is only for ONNX is imported where an extension concerns it: a model of another format needs none of it.
    from loomir.passes.front.convert_onnx_to_ov.registry import Translator

Phase = Literal["front", "middle", "layout", "back"]
"""Conversion phase.

`front`: on FRONT, the framework's own operators; only the shapes of inputs and constants are known. `middle`: on GRAPH,
shapes and values are known. `layout`: on GRAPH, for changes of the order of axes. `back`: on GRAPH, for the last steps.
"""
PHASES: tuple[Phase, ...] = get_args(Phase)

Steps = ModulePass | str | Sequence[RewritePattern] | Callable[[ModuleOp], None]
"""Pass, pipeline as text, patterns, or function that changes the module."""


@dataclass(frozen=True)
class Transformation:
    """One step of a phase.

    >>> Transformation("fuse-gelu", "front", [FastGelu()], run_after=("FrontStart",))

    `run_before` and `run_after` name others by their ids; it runs between the anchors of its phase (`FrontStart` … `FrontFinish`)
    unless it says that it is before the first or after the last. With `recursive=False` patterns are not applied in bodies
    of loops and branches (`run_not_recursively`; a pass or a function decides for itself). Error: `bad-option`.
    """

    id: str
    phase: Phase
    steps: Steps = ()
    run_before: tuple[str, ...] = ()
    run_after: tuple[str, ...] = ()
    enabled: bool = True
    condition: Callable[[ModuleOp], bool] | None = None
    """Predicate that decides if the step runs on a module (`graph_condition`)."""
    clean_up: bool = False
    """True if operations that no output needs are removed afterwards (`force_clean_up`)."""
    recursive: bool = True
    about: str = ""
    """One-line description."""
    owner: str = ""
    """The extension that it is of; empty for loomir's own."""

    def __post_init__(self) -> None:
        if self.phase not in PHASES:
            raise Error(
                "bad-option", f"unknown phase {shown(self.phase)}", hint=f"known: {', '.join(PHASES)}"
            )

    @property
    def is_anchor(self) -> bool:
        """True if it only exists as a reference point for other transformations."""
        return isinstance(self.steps, Sequence) and not self.steps


def anchors(phase: Phase) -> tuple[Transformation, Transformation]:
    """The first and the last of a phase: `FrontStart`, `FrontFinish` …"""
    name = phase.capitalize()
    return Transformation(f"{name}Start", phase), Transformation(f"{name}Finish", phase)


Handler = Callable[[Any], Any]
"""Function from a match to its results: `Handler` of tools/model_optimizer/convert/replacements.py."""


@dataclass(frozen=True)
class Replacement:
    """Handler that an extension registers for a described sub-graph."""

    id: str
    handler: Handler
    run_before: tuple[str, ...] = ()
    run_after: tuple[str, ...] = ()
    enabled: bool = True
    owner: str = ""


def check_operation(op_class: type[Operation], prefix: str) -> None:
    """Check that the class is a valid operation of the extension.

    It is derived from `OvOperation`, defined for xDSL, and has a name of the extension. Raises `Error("extension-operation")`.
    """
    if not isinstance(op_class, type) or not issubclass(op_class, OvOperation):
        raise Error(
            "extension-operation",
            f"{shown(op_class)} is not an operation of GRAPH",
            hint="it is a class derived from loomir.dialects.ov.base.OvOperation",
        )
    name = getattr(op_class, "name", None)
    if not isinstance(name, str) or not re.fullmatch(rf"{re.escape(prefix)}[a-z][a-z0-9_]*", name):
        raise Error(
            "extension-operation",
            f"{op_class.__qualname__} has the name {shown(name)}",
            hint=f"its name must be {prefix} and a word of lower-case letters, digits and _",
        )
    if "get_irdl_definition" not in vars(op_class):
        raise Error(
            "extension-operation",
            f"{name} is not defined for xDSL",
            hint=f"put @irdl_op_definition in front of the class {op_class.__name__}",
        )


def check_layout(op_class: type[OvOperation]) -> None:
    """Check that the names in `LAYOUT` are declared, with matching kinds.

    Raises `Error("extension-operation")`.
    """
    layout, definition = op_class.LAYOUT, op_class.get_irdl_definition()
    if layout is None:
        return
    if not isinstance(layout, Layout):
        raise _layout(op_class, f"is {shown(layout)}")
    several = any(
        isinstance(d, VarOperandDef) and not isinstance(d, OptOperandDef) for _, d in definition.operands
    )
    numbers = [] if layout.operands == (-1,) else [*layout.operands]
    names: list[str] = []
    if isinstance(layout, AnyOrder):
        numbers += [*layout.per_axis, *([] if layout.axes is None else [layout.axes])]
        names += [*layout.lists, *([] if layout.axis is None else [layout.axis])]
    for number in numbers:
        if not 0 <= number < len(definition.operands) and not (several and number >= 0):
            raise _layout(op_class, f"names operand {number}, which it does not have")
    for name in names:
        if name not in definition.properties:
            raise _layout(op_class, f"names the attribute '{name}', which it does not have")


def _layout(op_class: type[OvOperation], what: str) -> Error:
    return Error(
        "extension-operation",
        f"LAYOUT of {op_class.name} {what}",
        hint="ChannelsFirst(), Broadcasting((0, 1)), AnyOrder(axis='axis') …: loomir.dialects.ov.interfaces",
    )


def check_sources(op_class: type[OvOperation]) -> None:
    """Check that no other operation has the `SOURCES` of this one.

    Errors: `extension-clash`; `extension-operation` for an attribute that no layer can express.
    """
    sources = op_class.SOURCES
    if sources.openvino:
        type_ = str(sources.openvino[0])
        if is_known(type_):
            raise _clash(op_class, f"the layer '{type_}'")
    if sources.openvino or sources.domain:
        try:
            as_it_stands(op_class)
        except StopIteration:
            raise Error(
                "extension-operation",
                f"{op_class.name} has a property that no attribute of a file can express",
                hint="properties are IntegerAttr of i64, FloatAttr of f64, BoolAttr, StringAttr, arrays of these; or name it in own=",
            ) from None
    if sources.onnx:
        from loomir.passes.front.convert_onnx_to_ov.registry import find_translator, operation_of

        operator, *versions = sources.onnx
        known = (
            operation_of(sources.domain, str(operator))
            if sources.domain
            else next((v for v in versions if find_translator(str(operator), int(v))), None)
        )
        if known is not None:
            where = f" of '{sources.domain}'" if sources.domain else f"-{known}"
            raise _clash(op_class, f"the operator '{operator}'{where}")


def _clash(op_class: type[OvOperation], what: str) -> Error:
    return Error(
        "extension-clash",
        f"{op_class.name} is {what}, which is defined already",
        hint="an extractor can override an operator of ONNX; a known layer cannot be another operation",
    )


def check_meaning(op_class: type[OvOperation]) -> None:
    """An operation has `evaluate`, or is composite and has a decomposition. `Error("extension-operation")`."""
    decomposed = decomposition_of(op_class) is not None
    if decomposed == op_class.COMPOSITE and (op_class.COMPOSITE or has_evaluator(op_class)):
        return
    if decomposed:
        what, hint = "has a decomposition, but is not COMPOSITE", "write COMPOSITE = True in its class"
    elif op_class.COMPOSITE:
        what, hint = (
            "is COMPOSITE, but has no decomposition",
            f"@extension.decomposition({op_class.__name__})",
        )
    else:
        what, hint = (
            "has no evaluate, and is not COMPOSITE",
            "for an operator of which only shapes are known, use inference(…)",
        )
    raise Error("extension-operation", f"the operation {op_class.name} {what}", hint=hint)


OperationT = TypeVar("OperationT", bound=type[OvOperation])
PassT = TypeVar("PassT", bound=type[ModulePass])
TargetT = TypeVar("TargetT", bound=type[Target])


class Extension:
    """Operators and transformations of one package.

    They have no effect before the extension is loaded (`loading.py`).

    >>> extension = Extension("acme")
    >>>
    >>> @extension.operation
    ... @irdl_op_definition
    ... class FastGeluOp(OvOperation):
    ...     name = "ov.acme.fast_gelu"
    ...     SOURCES = Sources(onnx=("FastGelu", 1), domain="com.microsoft")
    ...     …
    >>>
    >>> @extension.lowering(FastGeluOp)
    ... def lower(op: FastGeluOp, low: Lowering) -> Shaped: …
    >>>
    >>> extension.transformation("acme-split", "middle", [Split()], run_after=("FuseSwish",))
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name.replace("_", "").replace("-", "").isalnum():
            raise Error(
                "bad-option", f"{shown(name)} is not a name of an extension", hint="letters, digits, - and _"
            )
        self.name = name
        self.transformations: list[Transformation] = []
        self.replacements: list[Replacement] = []
        """Its handlers of replacements that a configuration file describes."""
        self._additions: list[Callable[[], Undo]] = []
        """Registration steps, performed in this order when the extension is loaded."""
        self._checks: list[Callable[[], None]] = []
        """Conditions that must hold after all registrations."""

    @property
    def prefix(self) -> str:
        """How the names of its operations begin."""
        return f"ov.{self.name.replace('-', '_')}."

    def operation(self, op_class: OperationT) -> OperationT:
        """Add an operation of GRAPH, named `ov.<extension>.<operation>`.

        Like loomir's own operations (CONTRIBUTING.md), it has operands, `infer` and `evaluate`, or with `COMPOSITE` a
        decomposition. An operation that only the engine `graph` has to run needs no lowering. Its `SOURCES` name the layer and
        the node that it represents.
        """

        def add() -> Undo:
            check_operation(op_class, self.prefix)
            check_layout(op_class)
            check_sources(op_class)
            return add_operation(op_class)

        self._additions.append(add)
        self._checks.append(partial(check_meaning, op_class))
        return op_class

    def extractor(self, operator: str, domain: str = "") -> Callable[[Translator], Translator]:
        """Register a function that translates a node of ONNX.

        It replaces loomir's own translation of the operator (docs/extensions.md).
        """

        from loomir.passes.front.convert_onnx_to_ov.registry import add_translator

        def decorate(translator: Translator) -> Translator:
            self._additions.append(partial(add_translator, domain, operator, translator))
            return translator

        return decorate

    def inference(self, type_: str, version: str) -> Callable[[Inference], Inference]:
        """Register a function that infers the results of an `ov.custom`.

        The operation stays an `ov.custom`.
        """

        def decorate(inference: Inference) -> Inference:
            self._additions.append(partial(infer_custom, (type_, version), inference))
            return inference

        return decorate

    def decomposition(self, *classes: type[OvOperation]) -> Callable[[Decomposition], Decomposition]:
        """A function that makes simpler operations of a composite one (`passes/graph/lib/decompositions`)."""

        def decorate(function: Decomposition) -> Decomposition:
            self._additions += [partial(add_decomposition, each, function) for each in classes]
            return function

        return decorate

    def lowering(self, *classes: type[Operation]) -> Callable[[LoweringFunction], LoweringFunction]:
        """Register a function that lowers a primitive operation.

        It lowers to `linalg`, `scf` and `tensor` (`passes/structured/lib`).
        """

        def decorate(function: LoweringFunction) -> LoweringFunction:
            self._additions += [partial(add_lowering, each, function) for each in classes]
            return function

        return decorate

    def named_pass(self, pass_class: PassT) -> PassT:
        """Register a pass that pipelines may name.

        These are the pipelines of transformations, of `--pipeline` and of `loomir-opt -p`. `STAGE` of the class names the stage of
        the programs that it takes (docs/plugins.md).
        """
        self._additions.append(partial(add_pass, pass_class))
        return pass_class

    def dialect(self, dialect: Dialect) -> Dialect:
        """Register a dialect, whose operations the extension's passes make and remove.

        Texts may contain them. No stage does (docs/ir.md): engines, and the emitted C, require that a pass has lowered them.
        """
        self._additions.append(partial(add_dialect, dialect))
        return dialect

    def target(self, target: TargetT) -> TargetT:
        """Register a target, which prints a module: `loomir-opt -t NAME`."""
        self._additions.append(partial(add_target, target))
        return target

    def machine(self, machine: Machine) -> Machine:
        """Register a row of the machine table: `--machine NAME`."""
        self._additions.append(partial(register, machine))
        return machine

    def transformation(
        self,
        id: str,
        phase: Phase,
        steps: Steps,
        *,
        run_before: Sequence[str] = (),
        run_after: Sequence[str] = (),
        enabled: bool = True,
        condition: Callable[[ModuleOp], bool] | None = None,
        clean_up: bool = False,
        recursive: bool = True,
        about: str = "",
    ) -> Transformation:
        """A step of a phase of `loomir convert`: see `Transformation`."""
        made = Transformation(
            id,
            phase,
            steps,
            run_before=tuple(run_before),
            run_after=tuple(run_after),
            enabled=enabled,
            condition=condition,
            clean_up=clean_up,
            recursive=recursive,
            about=about,
            owner=self.name,
        )
        self.transformations.append(made)
        return made

    def replacement(
        self,
        id: str,
        *,
        run_before: Sequence[str] = (),
        run_after: Sequence[str] = (),
        enabled: bool = True,
    ) -> Callable[[Handler], Handler]:
        """Register a handler for the replacement with this id.

        The handler replaces each `Match` that a configuration file describes under this id (`--transformations-config`).

        It is a transformation of the front phase, with this id, wherever a file describes one.
        """

        def decorate(handler: Handler) -> Handler:
            made = Replacement(id, handler, tuple(run_before), tuple(run_after), enabled, self.name)
            self.replacements.append(made)
            return handler

        return decorate

    def register(self) -> Undo:
        """Register all parts in this process, or none; return the undo function.

        (`loading.py` calls it once.)

        Errors: `extension-clash`, `extension-operation`.
        """
        done: list[Undo] = []

        def undo() -> None:
            while done:
                done.pop()()

        try:
            for add in self._additions:
                done.append(add())
            for check in self._checks:
                check()
        except BaseException:
            undo()
            raise
        return undo
