"""`Extension`: what a package or a file adds to loomir."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.compiler.extensions.checks import check_layout, check_meaning, check_operation, check_sources
from loomir.compiler.extensions.transformation import Handler, Phase, Replacement, Steps, Transformation
from loomir.compiler.universe import add_pass
from loomir.dialects.extensible import Undo
from loomir.dialects.ov import add_operation
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.custom import Inference, infer_custom
from loomir.errors import Error, shown
from loomir.passes.front.convert_onnx_to_ov.registry import Translator, add_translator
from loomir.passes.graph.decompositions import Decomposition, add_decomposition
from loomir.passes.structured.lowering.registry import LoweringFunction, add_lowering

OperationT = TypeVar("OperationT", bound=type[OvOperation])
PassT = TypeVar("PassT", bound=type[ModulePass])


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
                "bad-option", f"{shown(name)} is no name of an extension", hint="letters, digits, - and _"
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
        """A function that makes simpler operations of a composite one (`passes/graph/decompositions`)."""

        def decorate(function: Decomposition) -> Decomposition:
            self._additions += [partial(add_decomposition, each, function) for each in classes]
            return function

        return decorate

    def lowering(self, *classes: type[Operation]) -> Callable[[LoweringFunction], LoweringFunction]:
        """Register a function that lowers a primitive operation.

        It lowers to `linalg`, `scf` and `tensor` (`passes/structured/lowering`).
        """

        def decorate(function: LoweringFunction) -> LoweringFunction:
            self._additions += [partial(add_lowering, each, function) for each in classes]
            return function

        return decorate

    def named_pass(self, pass_class: PassT) -> PassT:
        """Register a pass that pipelines may name.

        These are the pipelines of transformations, of `--pipeline` and of `loomir-opt -p`.
        """
        self._additions.append(partial(add_pass, pass_class))
        return pass_class

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
