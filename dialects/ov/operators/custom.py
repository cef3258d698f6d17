"""`ov.custom`: an operator unknown to loomir, as in its file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.families import Undo, add_to
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.layers.attributes import text_of
from loomir.dialects.ov.layers.format import operator_name
from loomir.dialects.ov.operators.control_flow import YieldOp
from loomir.dialects.ovseq.types import AnyFact, GraphType, fact_of_type
from loomir.errors import Error

Key = tuple[str, str]
"""Type and version: what says which operator it is."""

EXTENSION_CAN = "an extension can define it (--extension, docs/extensions.md)"
"""Hint for operators unknown to loomir."""

Inference = Callable[["CustomOp", Sequence[AnyFact]], Sequence[AnyFact]]
"""From facts of the operands to facts of the results."""

_INFERENCE: dict[Key, Inference] = {}


_OF_ONE: ContextVar[Callable[[CustomOp], Inference | None]] = ContextVar("of_one", default=lambda op: None)


@contextmanager
def inferring_custom(find: Callable[[CustomOp], Inference | None]) -> Iterator[None]:
    """Use `find` to look up the inference of custom operators.

    This holds for the duration of the context, in this thread. If `find` returns None, the inference that `infer_custom` added
    is used.
    """
    token = _OF_ONE.set(find)
    try:
        yield
    finally:
        _OF_ONE.reset(token)


def infer_custom(key: Key, inference: Inference) -> Undo:
    """Register the inference of an operator's results.

    For extensions that bring an operator without an operation of its own.

    Raises `Error("extension-clash")` if another extension has registered one.
    """
    return add_to(_INFERENCE, key, inference, f"an inference of the operator '{key[0]}' of '{key[1]}'")


@irdl_op_definition
class CustomOp(IRDLOperation):
    """Operator of a model that loomir does not know.

    It is a layer of its file, or a node. Neither OpenVINO nor ONNX has it.

    `type` is the operator, `version` its operation set (`opset1`, `extension`) or its domain in ONNX (`com.microsoft`).
    Operands: any. Results: of the types that the file declares; an undeclared result is unranked, with the element type of the
    first operand. Attributes are those of the file, regions its subgraphs, each ended by `ov.yield`; they read outer values.

    Its semantics are unknown here: no pass moves, merges or removes it (except `ov-remove-unneeded`, together with other
    operations that no output needs). Passes that need its semantics reject it by name (`unknown-operator`). An extension may
    provide facts about its results (`infer_custom`), or an operation for it: `ov-resolve-custom`.

    ```mlir
    %y = ov.custom "FastGelu" in "com.microsoft" (%x) {alpha = 0.5 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "ov.custom"

    inputs = var_operand_def(GraphType)
    outputs = var_result_def(GraphType)

    type = prop_def(StringAttr)
    version = prop_def(StringAttr)

    bodies = var_region_def("single_block")

    @staticmethod
    def of(
        key: Key,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        attributes: Mapping[str, Attribute],
        regions: Sequence[Region] = (),
    ) -> CustomOp:
        """An operator from its parts."""
        return CustomOp.create(
            operands=inputs,
            result_types=result_types,
            properties={"type": StringAttr(key[0]), "version": StringAttr(key[1])},
            attributes=dict(attributes),
            regions=regions,
        )

    @property
    def key(self) -> Key:
        """Type and version."""
        return self.type.data, self.version.data

    @property
    def data(self) -> dict[str, str]:
        """Attributes as the text of a layer.

        Attributes of other tools are left out (`mo.axis`). Raises `Error("attribute-value")` for an attribute without a text.
        """
        return {n: text_of(n, value) for n, value in self.attributes.items() if "." not in n}

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        """Infer the facts of the results.

        They are those that an extension infers, or else those of the declared types. Raises `Error("result-count")`, and the
        errors of the extension.
        """
        declared = [fact_of_type(value.type) for value in self.outputs]
        inference = _OF_ONE.get()(self) or _INFERENCE.get(self.key)
        if inference is None:
            return declared
        found = inference(self, facts)
        if len(found) != len(declared):
            raise Error(
                "result-count", f"inference returns {len(found)} results, the operation has {len(declared)}"
            )
        return found

    def unknown(self) -> Error:
        """Return the error for a use that needs the operator's semantics.

        The error is `unknown-operator`. (The caller adds the layer.)
        """
        known = operator_name(self.type.data)
        if known is not None and self.version.data.startswith("opset"):
            what = f"operator '{known}' is not supported: docs/operators.md lists the supported ones"
        else:
            what = f"the semantics of the operator '{self.type.data}' of '{self.version.data}' are unknown"
        return Error("unknown-operator", what, op=self.type.data, hint=EXTENSION_CAN)

    def verify_(self) -> None:
        for region in self.bodies:
            if not isinstance(region.block.last_op, YieldOp):
                raise VerifyException("a region of ov.custom must end in ov.yield")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.type.data)
        printer.print_string(" in ")
        printer.print_string_literal(self.version.data)
        printer.print_string(" ")
        printer.print_operands(self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        for region in self.bodies:
            printer.print_string(" ")
            printer.print_region(region)

    @classmethod
    def parse(cls, parser: Parser) -> CustomOp:
        type_ = parser.parse_str_literal()
        parser.parse_keyword("in")
        version = parser.parse_str_literal()
        operands = parser.parse_op_args_list()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types: FunctionType = parser.parse_function_type()
        inputs = parser.resolve_operands(operands, types.inputs.data, position)
        regions: list[Region] = []
        while (region := parser.parse_optional_region()) is not None:
            regions.append(region)
        return cls.of((type_, version), inputs, types.outputs.data, attributes, regions)


def declared_types(count: int, operands: Sequence[SSAValue]) -> list[Attribute]:
    """Return types for results of which nothing is declared.

    They are unranked, with the element type of the first tensor among the operands (else f32).
    """
    from loomir.dialects.element_types import AnyTensor, f32

    elements = [o.type.element_type for o in operands if isinstance(o.type, AnyTensor)]
    return [Fact(elements[0] if elements else f32, None).type] * count
