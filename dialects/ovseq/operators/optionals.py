"""Optionals: a value or none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect, Pure

from loomir.dialects.element_types import i1
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ovseq.base import SeqOperation
from loomir.dialects.ovseq.facts import AnyFact, OptionalFact, SaysWhatItMakes, optional_fact
from loomir.dialects.ovseq.types import GraphType, GraphValue, OptionalType
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


@irdl_op_definition
class SomeOp(SeqOperation, SaysWhatItMakes):
    """Optional that holds this tensor or sequence.

    ONNX Optional-15 with an input.

    Error: `optional-of-optional`.
    """

    name = "ovseq.some"

    value = operand_def(GraphType)
    output = result_def(OptionalType)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        value = facts[0]
        if isinstance(value, OptionalFact):
            raise Error("optional-of-optional", f"an optional holds a tensor or a sequence, not {value.type}")
        return [OptionalFact(value, True)]

    def evaluate(self, value: GraphValue) -> GraphValue:
        return value


@irdl_op_definition
class NoneOp(SeqOperation, SaysWhatItMakes):
    """An optional without a value: ONNX Optional-15 without an input.

    `value_type` says what kind of value it has not. Error: `optional-of-optional`.
    """

    name = "ovseq.none"

    value_type = prop_def(GraphType)
    output = result_def(OptionalType)

    assembly_format = "attr-dict `:` type($output)"
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        if isinstance(self.value_type, OptionalType):
            raise Error(
                "optional-of-optional", f"an optional holds a tensor or a sequence, not {self.value_type}"
            )
        return [OptionalFact.none(self.value_type)]

    def evaluate(self) -> GraphValue:
        return None


@irdl_op_definition
class HasOp(SeqOperation):
    """Test for the presence of an optional's value. ONNX OptionalHasElement-18.

    The result is a scalar boolean.
    """

    name = "ovseq.has"

    optional = operand_def(OptionalType)
    output = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        present = optional_fact(facts[0]).present
        low, high = (0, 1) if present is None else (int(present), int(present))
        return [Fact.of_ints(i1, np.array(low), np.array(high))]

    def evaluate(self, optional: GraphValue) -> np.ndarray:
        return np.array(optional is not None)


@irdl_op_definition
class GetOp(SeqOperation):
    """The value of an optional: ONNX OptionalGetElement-18.

    Error when run: `runtime-absent`, where there is none (undefined in ONNX).
    """

    name = "ovseq.get"

    optional = operand_def(OptionalType)
    output = result_def(GraphType)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        return [optional_fact(facts[0]).value]

    def evaluate(self, optional: GraphValue) -> GraphValue:
        if optional is None:
            raise Error("runtime-absent", "the value of an optional that has none")
        return optional
