"""`Extension`: what a package or a file adds to loomir."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from loomir.compiler.convert.transformation import Phase, Steps, Transformation
from loomir.dialects.ov import add_operation
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.custom import Inference, infer_custom
from loomir.errors import Error, shown
from loomir.passes.front.convert_onnx_to_ov.registry import Translator, add_translator
from loomir.passes.graph.decompositions import Decomposition, decomposes
from loomir.passes.structured.lowering.registry import LoweringFunction, lowers

ClassT = TypeVar("ClassT", bound=type[Operation])


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
        self._additions: list[Callable[[], object]] = []
        """What is done when it is loaded, in this order."""

    def operation(self, op_class: ClassT) -> ClassT:
        """An operation of GRAPH, named `ov.<extension>.<operation>`: as those of loomir itself (CONTRIBUTING.md), it has operands, `infer`
        and, unless it is decomposed, `evaluate` and a lowering. Its `SOURCES` say which layer and which node it is.
        """
        self._additions.append(partial(add_operation, op_class))
        return op_class

    def extractor(self, operator: str, domain: str = "") -> Callable[[Translator], Translator]:
        """A function that says what a node of ONNX is, in place of what loomir knows of the operator (docs/model-optimizer.md)."""

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
            self._additions.append(lambda: decomposes(*classes)(function))
            return function

        return decorate

    def lowering(self, *classes: type[Operation]) -> Callable[[LoweringFunction], LoweringFunction]:
        """A function that makes `linalg`, `scf` and `tensor` of a primitive operation (`passes/structured/lowering`)."""

        def decorate(function: LoweringFunction) -> LoweringFunction:
            self._additions.append(lambda: lowers(*classes)(function))
            return function

        return decorate

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
    ) -> Transformation:
        """A step of a phase of `loomir convert`: see `Transformation`."""
        made = Transformation(
            id, phase, steps, tuple(run_before), tuple(run_after), enabled, condition, clean_up, recursive
        )
        self.transformations.append(made)
        return made

    def register(self) -> None:
        """Let all of it hold in this process. (`loading.py` does it once.)"""
        for add in self._additions:
            add()
