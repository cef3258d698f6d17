"""The lattice of sequences and optionals: joins cover both sides, and empty ones say nothing of elements."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, UnrankedTensorType

from loomir.dialects.element_types import f32, i64
from loomir.dialects.ov.facts import Dim, Fact, shape_of
from loomir.dialects.ovseq.types import (
    ITEM_LIMIT,
    AnyFact,
    OptionalFact,
    OptionalType,
    SequenceFact,
    SequenceType,
    fact_of_type,
    join_facts,
    kind_of,
    open_type,
    same_facts,
    same_kind,
)


def tensor(*extents: int) -> Fact:
    return Fact(f32, shape_of(extents))


def sequence(*items: Fact) -> SequenceFact:
    return SequenceFact.of_items(f32, items)


SEQUENCES = [
    sequence(),
    sequence(tensor(2)),
    sequence(tensor(3)),
    sequence(tensor(2), tensor(3)),
    sequence(tensor(2), tensor(2, 3)),
    SequenceFact.of(tensor(2), Dim(0, 4)),
    SequenceFact.of(tensor(-1), Dim()),
    SequenceFact.of(Fact(f32, None), Dim(1, 1)),
]
OPTIONALS = [
    OptionalFact.none(TensorType(f32, [2])),
    OptionalFact(tensor(2), True),
    OptionalFact(tensor(3), True),
    OptionalFact(tensor(2), None),
    OptionalFact(Fact(f32, None), True),
]


def covers(wide: AnyFact, narrow: AnyFact) -> bool:
    """Return True if the wide fact allows everything the narrow one does."""
    return same_facts(join_facts(wide, narrow).without_content(), wide.without_content())


@pytest.mark.parametrize("facts", [SEQUENCES, OPTIONALS], ids=["sequences", "optionals"])
def test_join_covers_both_sides_and_is_symmetric(facts: list[AnyFact]) -> None:
    for a, b in product(facts, facts):
        joined = join_facts(a, b)
        assert same_facts(joined, join_facts(b, a))
        assert covers(joined, a)
        assert covers(joined, b)
        assert same_facts(join_facts(a, a), a)


def test_join_of_three_does_not_depend_on_the_order() -> None:
    for a, b, c in product(SEQUENCES, SEQUENCES, SEQUENCES):
        left, right = a.join(b).join(c), a.join(b.join(c))
        assert left.length == right.length
        assert left.element.same(right.element)


def test_an_empty_sequence_says_nothing_of_elements() -> None:
    joined = sequence().join(sequence(tensor(2)))
    assert joined.length == Dim(0, 1)
    assert joined.element.same(tensor(2))
    assert joined.type == SequenceType(TensorType(f32, [2]))
    assert sequence().type == SequenceType(UnrankedTensorType(f32))


def test_an_absent_optional_says_nothing_of_the_value() -> None:
    joined = OptionalFact.none(TensorType(f32, [7])).join(OptionalFact(tensor(2), True))
    assert joined.present is None
    assert joined.type == OptionalType(TensorType(f32, [2]))


def test_items_are_joined_one_by_one_where_there_are_as_many() -> None:
    joined = sequence(tensor(2), tensor(3)).join(sequence(tensor(2), tensor(5)))
    assert joined.items is not None
    assert joined.items[0].same(tensor(2))
    assert joined.items[1].shape == (Dim(3, 5),)
    assert sequence(tensor(2)).join(sequence(tensor(2), tensor(2))).items is None


def test_many_items_are_not_followed() -> None:
    many = sequence(*[tensor(2)] * (ITEM_LIMIT + 1))
    assert many.items is None
    assert many.length == Dim(ITEM_LIMIT + 1, ITEM_LIMIT + 1)


def test_meet_keeps_what_either_knows() -> None:
    declared = SequenceFact.of(tensor(-1), Dim(0, 5))
    met = SequenceFact.of(Fact(f32, None), Dim(2)).meet(declared)
    assert met.length == Dim(2, 5)
    assert met.type == SequenceType(TensorType(f32, [-(2**63)]))
    assert declared.meet(sequence(tensor(2), tensor(3))).same(sequence(tensor(2), tensor(3)))
    assert (
        OptionalFact(tensor(-1), None).meet(OptionalFact(tensor(2), True)).same(OptionalFact(tensor(2), True))
    )
    inner = OptionalFact(SequenceFact.of(tensor(-1), Dim()), None)
    assert inner.meet(OptionalFact(sequence(tensor(2)), False)).present is False


def test_contents_are_known_of_single_items() -> None:
    known = SequenceFact.of_items(i64, [Fact.of_array(np.array([4, 2]))])
    assert known.items is not None
    assert known.items[0].value is not None
    assert known.element.value is None
    assert known.without_content().items is None


@pytest.mark.parametrize(
    "type_",
    [
        TensorType(f32, [2, -(2**63)]),
        SequenceType(UnrankedTensorType(f32)),
        OptionalType(SequenceType(TensorType(i64, []))),
        OptionalType(TensorType(i64, [3])),
    ],
    ids=str,
)
def test_type_and_fact_agree(type_) -> None:
    assert fact_of_type(type_).type == type_
    assert same_kind(type_, open_type(type_))
    assert not same_kind(
        type_, TensorType(f32, [2]) if not isinstance(type_, TensorType) else TensorType(i64, [2])
    )
    assert kind_of(type_) == kind_of(open_type(type_))
