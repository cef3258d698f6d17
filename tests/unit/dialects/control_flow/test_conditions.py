"""Comparisons decided by others that hold: rightly, and between constants of one reading wherever that is possible."""

from __future__ import annotations

from itertools import product

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.utils.test_value import create_ssa_value

from loomir.dialects.control_flow.conditions import Comparison, KnownConditions
from loomir.dialects.scalars import RELATIONS, integer_predicate_of

I3 = IntegerType(3)
NUMBERS = range(-4, 4)
PREDICATES = range(10)


def holds(predicate: int, a: int, b: int) -> bool:
    found = integer_predicate_of(predicate)
    if found.unsigned:
        a, b = a % 8, b % 8
    return bool(RELATIONS[found.relation](a, b))


@pytest.mark.parametrize("given", [*product(PREDICATES, NUMBERS)], ids=str)
def test_one_comparison_with_a_constant(given: tuple[int, int]) -> None:
    """Each of the queries is decided rightly, whether the constant of what is known is a number or a value."""
    value = create_ssa_value(I3)
    numbers = {n: arith.ConstantOp(IntegerAttr(n, I3)).result for n in NUMBERS}
    possible = [n for n in NUMBERS if holds(given[0], n, given[1])]
    for bound in (given[1], numbers[given[1]]):
        known = KnownConditions({}, [Comparison(given[0], value, bound)])
        for predicate, number in product(PREDICATES, NUMBERS):
            answers = {holds(predicate, n, number) for n in possible}
            said = known.comparison(predicate, value, numbers[number])
            assert said is None or not possible or answers == {said}, (predicate, number)
            same = integer_predicate_of(predicate).unsigned == integer_predicate_of(given[0]).unsigned
            order = integer_predicate_of(given[0]).relation not in ("!=", "==")
            if len(answers) == 1 and same and order and min(given[1], number) >= 0:
                assert said is not None, (predicate, number)
