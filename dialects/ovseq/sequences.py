"""Sequences of tensors: made, changed, read, counted; and optionals.

A sequence is changed and read at a position. A position counts from the end where it is negative. One that is out of range is
an error when the operation runs, so nothing that takes a position is speculatable. Sequences are values: each operation gives
a new one.

An optional is a value or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from xdsl.ir import TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoMemoryEffect, Pure

from loomir.dialects.element_types import TENSOR, i1, i64
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, Fact
from loomir.dialects.ov.inference import from_front
from loomir.dialects.ov.shape_rules import same_element
from loomir.dialects.ovseq import SeqOperation, position_among, position_of
from loomir.dialects.ovseq.types import (
    ITEM_LIMIT,
    AnyFact,
    GraphType,
    GraphValue,
    HasResultFacts,
    OptionalFact,
    OptionalType,
    SequenceFact,
    SequenceType,
    optional_fact,
    sequence_fact,
    tensor_fact,
)
from loomir.errors import Error


@irdl_op_definition
class EmptyOp(SeqOperation, HasResultFacts):
    """A sequence without elements: ONNX SequenceEmpty-11.

    `element_type` is the element type that its tensors will have.
    """

    name = "ovseq.empty"

    element_type = prop_def(TypeAttribute)
    output = result_def(SequenceType)

    assembly_format = "attr-dict `:` type($output)"
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        return [SequenceFact.of_items(self.element_type, ())]

    def evaluate(self) -> list[np.ndarray]:
        return []


@irdl_op_definition
class ConstructOp(SeqOperation, HasResultFacts):
    """Sequence of the operands, in their order. ONNX SequenceConstruct-11.

    There is at least one operand. All operands have one element type; shapes and ranks may differ.
    Errors: `sequence-operands`, `element-types-differ`.
    """

    name = "ovseq.construct"

    inputs = var_operand_def(TENSOR)
    output = result_def(SequenceType)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        if not facts:
            raise Error("sequence-operands", "ovseq.construct has no operands: ovseq.empty has none")
        items = [tensor_fact(f) for f in facts]
        same_element(items, [f"element {i}" for i in range(len(items))])
        return [SequenceFact.of_items(items[0].element, items)]

    def evaluate(self, *tensors: np.ndarray) -> list[np.ndarray]:
        return list(tensors)


@irdl_op_definition
class InsertOp(SeqOperation):
    """Insertion of `tensor` before the element at `position`. ONNX SequenceInsert-11.

    For a sequence of n elements `position` is in [-n, n]; without it the tensor is appended. Errors: `element-types-differ`,
    `element-type`, `operand-rank`; at run time, `runtime-index`.
    """

    name = "ovseq.insert"

    sequence = operand_def(SequenceType)
    tensor = operand_def(TENSOR)
    position = opt_operand_def(TENSOR)
    output = result_def(SequenceType)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        sequence, tensor = sequence_fact(facts[0]), tensor_fact(facts[1])
        same_element((sequence.element, tensor), ("the sequence", "the tensor"))
        items = sequence.items
        if items is not None and len(items) < ITEM_LIMIT:
            known = insert_position(facts, len(items))
            if known is not None:
                return [SequenceFact.of_items(tensor.element, (*items[:known], tensor, *items[known:]))]
        elif len(facts) > 2:
            position_of(facts[2])
        element = tensor if sequence.length.hi == 0 else sequence.element.join(tensor)
        return [SequenceFact.of(element, sequence.length + 1)]

    def evaluate(
        self, sequence: list[np.ndarray], tensor: np.ndarray, position: np.ndarray | None = None
    ) -> list[np.ndarray]:
        count = len(sequence)
        at = count if position is None else position_among(position, count, count + 1)
        return [*sequence[:at], tensor, *sequence[at:]]


def insert_position(facts: Sequence[AnyFact], count: int) -> int | None:
    """Return the position at which `ovseq.insert` inserts its tensor.

    `count` is the length of the sequence. The result is None if the position is unknown or out of range.
    """
    if len(facts) < 3:
        return count
    return known_position(facts[2], count, count + 1)


def known_position(fact: AnyFact, count: int, end: int) -> int | None:
    """Return a known position normalised to [0, end), or None.

    The result is None if the position is unknown or outside [-count, end).
    """
    bounds = position_of(fact)
    if bounds is None or bounds[0] != bounds[1]:
        return None
    return from_front(bounds[0], count, end)


@irdl_op_definition
class EraseOp(SeqOperation):
    """The sequence without the element at `position`: ONNX SequenceErase-11.

    Of n elements `position` is in [-n, n - 1]; without it the last one goes. Errors: `element-type`, `operand-rank`; when run,
    `runtime-index`, for an empty sequence too.
    """

    name = "ovseq.erase"

    sequence = operand_def(SequenceType)
    position = opt_operand_def(TENSOR)
    output = result_def(SequenceType)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        sequence = sequence_fact(facts[0])
        items = sequence.items
        if len(facts) > 1:
            position_of(facts[1])
        if items:
            count = len(items)
            known = known_position(facts[1], count, count) if len(facts) > 1 else count - 1
            if known is not None:
                return [SequenceFact.of_items(sequence.element_type, (*items[:known], *items[known + 1 :]))]
        return [SequenceFact.of(sequence.element, sequence.length + -1)]

    def evaluate(self, sequence: list[np.ndarray], position: np.ndarray | None = None) -> list[np.ndarray]:
        count = len(sequence)
        at = position_among(np.array(-1) if position is None else position, count, count)
        return [*sequence[:at], *sequence[at + 1 :]]


@irdl_op_definition
class AtOp(SeqOperation):
    """The element at `position`: ONNX SequenceAt-11.

    Of n elements `position` is in [-n, n - 1]. Errors: `element-type`, `operand-rank`; when run, `runtime-index`.
    """

    name = "ovseq.at"

    sequence = operand_def(SequenceType)
    position = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        sequence, bounds = sequence_fact(facts[0]), position_of(facts[1])
        items = sequence.items
        if not items or bounds is None:
            return [sequence.element]
        # One of those that the position can reach.
        low, high = bounds
        count = len(items)
        reached = [f for i, f in enumerate(items) if low <= i <= high or low <= i - count <= high]
        if not reached:
            return [sequence.element]
        one = reduce(Fact.join, reached)
        # What may be out of range must stay, so its contents are not known.
        return [one if -count <= low and high < count else one.without_content()]

    def evaluate(self, sequence: list[np.ndarray], position: np.ndarray) -> np.ndarray:
        return sequence[position_among(position, len(sequence), len(sequence))]


@irdl_op_definition
class LengthOp(SeqOperation):
    """How many elements a sequence has, a scalar i64: ONNX SequenceLength-11."""

    name = "ovseq.length"

    sequence = operand_def(SequenceType)
    output = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        length = sequence_fact(facts[0]).length
        # Inference widens a length that grows, up to where it no longer is an i64.
        low, high = (min(UNBOUNDED_HIGH, n) for n in (length.lo, length.hi or 0))
        return [Fact.of_ints(i64, np.array(low), np.array(UNBOUNDED_HIGH if length.hi is None else high))]

    def evaluate(self, sequence: list[np.ndarray]) -> np.ndarray:
        return np.array(len(sequence), np.int64)


@irdl_op_definition
class SomeOp(SeqOperation, HasResultFacts):
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
class NoneOp(SeqOperation, HasResultFacts):
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
