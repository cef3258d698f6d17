"""`Answers` gives what an operation gave before where nothing that decides it has changed, and asks again where something has."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, StringAttr, TensorType, UnrankedTensorType, f32
from xdsl.ir import Block, Operation, Region

from loomir.dialects.attributes import with_bounds
from loomir.dialects.element_types import i64, set_type
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, dim
from loomir.dialects.ov.inference import (
    COMPARED,
    KEPT,
    TRANSFERRED,
    VERIFIED,
    InferenceCache,
    copy_cached_results,
    recording,
)
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.internal import CheckBoundsOp
from loomir.dialects.ov.operators.reduction import ReduceSumOp
from loomir.dialects.upstream.cloning import cloned
from loomir.errors import Error
from loomir.passes.analysis.inference.state import transfer

_DATA_AND_AXES = (TensorType(f32, [2, 3]), TensorType(i64, [1]))


class Asked:
    """A question that counts how often it is asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, op: Operation, facts: Sequence[Fact]) -> Sequence[Fact]:
        self.times += 1
        return [replace(fact) for fact in facts]


def operation() -> test.TestOp:
    return test.TestOp(result_types=[TensorType(f32, [2])])


def verified_results(op: OvOperation, facts: Sequence[Fact]) -> Sequence[Fact]:
    return VERIFIED.of(op, facts, OvOperation.results_of)


def fact(extent: int) -> Fact:
    return Fact(f32, (dim(extent),))


def test_the_same_is_asked_once() -> None:
    answers, asked, op = InferenceCache(), Asked(), operation()
    first = answers.of(op, [fact(2)], asked)
    again = answers.of(op, [fact(2)], asked)
    assert asked.times == 1
    assert first[0] is again[0]


@pytest.mark.parametrize(
    "other", [[fact(3)], [], [fact(2), fact(2)], [Fact(i64, (dim(2),))], [Fact(f32, None)]]
)
def test_other_facts_are_asked(other: list[Fact]) -> None:
    answers, asked, op = InferenceCache(), Asked(), operation()
    answers.of(op, [fact(2)], asked)
    answers.of(op, other, asked)
    assert asked.times == 2


def test_contents_are_compared() -> None:
    answers, asked, op = InferenceCache(), Asked(), operation()
    for contents in ([1, 2], [1, 2], [1, 3]):
        answers.of(op, [Fact.of_array(np.array(contents))], asked)
    assert asked.times == 2


def test_large_contents_are_the_same_where_they_are_one_array() -> None:
    answers, asked, op = InferenceCache(), Asked(), operation()
    weights = np.zeros(COMPARED + 1, np.float32)
    for array in (weights, weights, weights.copy()):
        answers.of(op, [Fact.of_array(array)], asked)
    assert asked.times == 2


def test_the_last_few_are_kept() -> None:
    answers, asked, op = InferenceCache(), Asked(), operation()
    for extent in (*range(KEPT), *range(KEPT), KEPT, 0):
        answers.of(op, [fact(extent)], asked)
    assert asked.times == KEPT + 2


def test_a_changed_property_is_asked_again() -> None:
    converted = ConvertOp.make(operation().results[0], attributes={"destination_type": i64})
    assert verified_results(converted, [fact(2)])[0].element == i64
    converted.properties["destination_type"] = f32
    assert verified_results(converted, [fact(2)])[0].element == f32


def test_a_changed_type_of_a_result_is_asked_again() -> None:
    """`ov.check_bounds` checks what the type of its result says."""
    checked = CheckBoundsOp.of(test.TestOp(result_types=[TensorType(f32, [DYNAMIC_INDEX])]).results[0], [8])
    facts = [Fact(f32, (Dim(0, 100),))]
    assert verified_results(checked, facts)[0].shape == (Dim(0, 8),)
    set_type(checked.output, with_bounds(TensorType(f32, [DYNAMIC_INDEX]), [4]))
    assert verified_results(checked, facts)[0].shape == (Dim(0, 4),)


def test_properties_that_change_places_are_asked_again() -> None:
    answers, asked, op = InferenceCache(), Asked(), operation()
    first, second = StringAttr("first"), StringAttr("second")
    for properties in ({"a": first, "b": second}, {"a": second, "b": first}, {"b": first, "c": second}):
        op.properties = {**properties}
        answers.of(op, [fact(2)], asked)
    assert asked.times == 3


def test_which_operands_are_one_value_matters_where_there_are_several_ranks() -> None:
    """A product of a matrix or vector with itself has rank 0 or 2; with another one that may be either, 1 as well."""
    either = Fact.of_shapes(f32, [(dim(3),), (dim(3), dim(3))])
    x, y = (test.TestOp(result_types=[UnrankedTensorType(f32)]).results[0] for _ in range(2))
    product = MatMulOp.make(x, x)
    ranks = [
        {len(shape) for shape in TRANSFERRED.of(product, [either, either], transfer)[0].shapes}
        for _ in range(2)
    ]
    product.operands[1] = y
    ranks.append({len(shape) for shape in TRANSFERRED.of(product, [either, either], transfer)[0].shapes})
    assert ranks == [{0, 2}, {0, 2}, {0, 1, 2}]


def test_who_listens_to_questions_hears_them() -> None:
    reduced = ReduceSumOp.make(*(test.TestOp(result_types=[t]).results[0] for t in _DATA_AND_AXES))
    facts = [Fact.of_type(t) for t in _DATA_AND_AXES]
    for _ in range(2):
        verified_results(reduced, facts)
        with recording() as asked:
            verified_results(reduced, facts)
        assert asked == [facts[1]]


def test_what_has_regions_is_asked_each_time() -> None:
    answers, asked = InferenceCache(), Asked()
    op = test.TestOp(regions=[Region(Block())])
    for _ in range(2):
        answers.of(op, [fact(2)], asked)
    assert asked.times == 2


def test_errors_are_not_kept() -> None:
    def refused(op: Operation, facts: Sequence[Fact]) -> Sequence[Fact]:
        raise Error("attribute-value", "no")

    answers, asked, op = InferenceCache(), Asked(), operation()
    with pytest.raises(Error, match="no"):
        answers.of(op, [fact(2)], refused)
    assert answers.of(op, [fact(2)], asked)
    assert asked.times == 1


def test_a_copy_knows_what_its_original_does() -> None:
    converted = ConvertOp.make(operation().results[0], attributes={"destination_type": i64})
    program = ModuleOp([converted])
    results = verified_results(converted, [fact(2)])
    copy = cloned(program)
    copy_cached_results(program, copy)
    other = copy.body.block.first_op
    assert isinstance(other, ConvertOp)
    assert verified_results(other, [fact(2)])[0] is results[0]


def test_answers_go_with_their_operation() -> None:
    answers, op = InferenceCache(), operation()
    answers.of(op, [fact(2)], Asked())
    assert len(answers._known) == 1
    del op
    gc.collect()
    assert len(answers._known) == 0
