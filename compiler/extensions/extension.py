"""`Extension`: what a package or a file adds to loomir."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.compiler.convert.replacements import Handler, Replacement
from loomir.compiler.convert.transformation import Phase, Steps, Transformation
from loomir.compiler.extensions.checks import check_layout, check_meaning, check_operation, check_sources
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
    """Operators and transformations of one package; nothing of it holds before it is loaded (`loading.py`).

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
        """What is done when it is loaded, in this order."""
        self._checks: list[Callable[[], None]] = []
        """What must be so once all of it is there."""

    @property
    def prefix(self) -> str:
        """How the names of its operations begin."""
        return f"ov.{self.name.replace('-', '_')}."

    def operation(self, op_class: OperationT) -> OperationT:
        """An operation of GRAPH, named `ov.<extension>.<operation>`: as those of loomir itself (CONTRIBUTING.md), it has operands, `infer`
        and `evaluate`, or with `COMPOSITE` a decomposition. What no other engine than `graph` has to run needs no lowering. Its
        `SOURCES` say which layer and which node it is.
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
        """A function that says what a node of ONNX is, in place of what loomir knows of the operator (docs/extensions.md)."""

        def decorate(translator: Translator) -> Translator:
            self._additions.append(partial(add_translator, domain, operator, translator))
            return translator

        return decorate

    def inference(self, type_: str, version: str) -> Callable[[Inference], Inference]:
        """A function that says what is known of the results of an `ov.custom`, which stays one."""

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
        """A function that makes `linalg`, `scf` and `tensor` of a primitive operation (`passes/structured/lowering`)."""

        def decorate(function: LoweringFunction) -> LoweringFunction:
            self._additions += [partial(add_lowering, each, function) for each in classes]
            return function

        return decorate

    def named_pass(self, pass_class: PassT) -> PassT:
        """A pass that pipelines may name: those of transformations, of `--pipeline` and of `loomir-opt -p`."""
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
        """A function that replaces what a configuration file describes under this id (`--transformations-config`): `Match`.

        It is a transformation of the front phase, of this id, wherever a file has one.
        """

        def decorate(handler: Handler) -> Handler:
            made = Replacement(id, handler, tuple(run_before), tuple(run_after), enabled, self.name)
            self.replacements.append(made)
            return handler

        return decorate

    def register(self) -> Undo:
        """Let all of it hold in this process, or nothing of it; what takes it back. (`loading.py` does it once.)

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
