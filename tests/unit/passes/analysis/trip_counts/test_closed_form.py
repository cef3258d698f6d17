"""The formulas against counting: every begin, step and bound of a small type, and what is at the ends of 64 bits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from xdsl.dialects.builtin import FunctionType, IntegerType, ModuleOp, Signedness, TensorType, UnknownLoc
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.rewriter import InsertPoint

from loomir.compiler.model import Model
from loomir.dialects.element_types import i8, i64
from loomir.dialects.interface import Entry, set_arguments
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.passes.analysis.trip_counts.closed_form import (
    GREATEST,
    LEAST,
    MAX_STEP,
    NO_LIMIT,
    BoundedMath,
    BoundedScalar,
    Relation,
    TypeLimits,
    leading_trips,
)

RELATIONS: dict[Relation, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "!=": lambda a, b: a != b,
    "==": lambda a, b: a == b,
}
SIDES = (True, False)


def counted(
    relation: Relation, first: int, step: int, bound: int, limits: TypeLimits, *, is_left: bool, most: int
) -> int:
    """For how many iterations in a row the condition holds, wrapping around; `NO_LIMIT` where that is more than `most`."""
    value = first
    for trips in range(most):
        sides = (value, bound) if is_left else (bound, value)
        if not RELATIONS[relation](*sides):
            return trips
        value = limits.wrapped(value + step)
    return NO_LIMIT


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("type_", [i8, IntegerType(8, Signedness.UNSIGNED)])
def test_every_number_of_eight_bits(relation: Relation, type_) -> None:
    limits = TypeLimits.of(type_)
    numbers = [limits.lo, limits.lo + 1, -3, 0, 1, 5, limits.hi - 3, limits.hi - 1, limits.hi]
    given = 0
    for first, bound, step, is_left in product(numbers, numbers, (-5, -2, -1, 0, 1, 2, 3, 7), SIDES):
        begin, end = (BoundedScalar(limits.wrapped(n), limits.wrapped(n)) for n in (first, bound))
        found = leading_trips(BoundedMath(), relation, begin, step, end, limits, is_left=is_left)
        if found is None:
            continue
        given += 1
        expected = counted(relation, begin.lo, step, end.lo, limits, is_left=is_left, most=600)
        assert found.constant == expected, (first, step, bound, is_left)
    assert given > 250


FOREVER = 1 << 47

ENDS = (LEAST, LEAST + 9, -7, -1, 0, 2, 100, GREATEST - 9, GREATEST)


@pytest.mark.parametrize("step", [-3, -1, 0, 1, 2, 3])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("is_left", SIDES)
def test_operations_at_the_ends_of_64_bits(relation: Relation, step: int, is_left: bool) -> None:
    """The operations, whose operands may be any number, say what the formula says of constants; and that is right."""
    limits = TypeLimits.of(i64)
    scalar = TensorType(i64, [])
    block = Block(arg_types=[scalar, scalar])
    numbers = BoundedMath(GraphBuilder(InsertPoint.at_end(block), UnknownLoc()))
    first, bound = (BoundedScalar(LEAST, GREATEST, argument) for argument in block.args)
    trips = leading_trips(numbers, relation, first, step, bound, limits, is_left=is_left)
    if trips is None:
        goes_away = relation in ("<", "<=") and (step < 0) == is_left
        assert goes_away or (relation, abs(step)) in {("!=", 2), ("!=", 3)}
        return
    block.add_op(ReturnOp(numbers.value(trips)))
    function = FuncOp("main", FunctionType.from_lists([scalar, scalar], [scalar]), Region(block))
    set_arguments(function, [Entry.of(name="first"), Entry.of(name="bound")])
    model = Model(ModuleOp([function]))
    for a, b in product(ENDS, ENDS):
        (made,) = model.run({"first": np.int64(a), "bound": np.int64(b)}).values()
        known = leading_trips(
            BoundedMath(), relation, BoundedScalar(a, a), step, BoundedScalar(b, b), limits, is_left=is_left
        )
        assert known is not None
        assert known.lo == known.hi
        assert int(made) == known.constant, (a, b)
        expected = counted(relation, a, step, b, limits, is_left=is_left, most=200)
        if expected != NO_LIMIT or known.lo <= 200:
            assert known.constant == expected, (a, b)
        else:
            check_long(relation, a, step, b, is_left, known.lo)


def check_long(relation: Relation, first: int, step: int, bound: int, is_left: bool, trips: int) -> None:
    """Of many trips: it holds last with the number before, and not with this one; or for longer than anybody waits."""
    forever = trips >= FOREVER
    for count, holds in ((FOREVER - 1, True),) if forever else ((trips - 1, True), (trips, False)):
        value = first + step * count if not forever else TypeLimits.of(i64).wrapped(first + step * count)
        assert LEAST <= value <= GREATEST
        assert RELATIONS[relation](*((value, bound) if is_left else (bound, value))) == holds


def test_steps_that_wrap_around_soon() -> None:
    limits = TypeLimits.of(i64)
    for step in (MAX_STEP + 1, -MAX_STEP - 1):
        assert (
            leading_trips(
                BoundedMath(), "<", BoundedScalar(0, 0), step, BoundedScalar(5, 5), limits, is_left=True
            )
            is None
        )


def test_bounds_say_that_nothing_wraps_around() -> None:
    """Of 32 bits a step of 2 may lead beyond the type, unless the bound is known to be less than that."""
    limits = TypeLimits(-(2**31), 2**31 - 1)
    begin = BoundedScalar(0, 0)
    for most, known in ((2**31 - 1, False), (2**31 - 2, True)):
        found = leading_trips(BoundedMath(), "<", begin, 2, BoundedScalar(0, most), limits, is_left=True)
        assert (found is not None) == known
