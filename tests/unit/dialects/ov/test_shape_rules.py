"""The rules that operations share: element types, ranks, axes, extents, and what small integer operands say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import f32, i32, i64

from loomir.dialects.element_types import is_float
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.inference import (
    axis_from,
    check_one_number,
    extent_from,
    from_front,
    integers,
    intervals,
    length,
    one_integer,
    one_interval,
    surely_inside,
)
from loomir.dialects.ov.shape_rules import (
    check_element,
    check_integer,
    check_rank,
    count,
    join_all,
    normalise_axes,
    normalise_axis,
    same_element,
)
from tests.support import raises_error


def known(*values: int) -> Fact:
    return Fact.of_array(np.array(values, np.int64))


def scalar(value: int) -> Fact:
    return Fact.of_array(np.array(value, np.int64))


def unknown(*shape: Dim) -> Fact:
    return Fact(i64, shape)


def test_axes_count_from_the_front_or_from_the_end() -> None:
    assert [normalise_axis(a, 3) for a in range(-3, 3)] == [0, 1, 2, 0, 1, 2]
    assert normalise_axes(np.array([-1, 0]), 3) == (2, 0)
    assert normalise_axes([], 0) == ()
    for axis in (-4, 3):
        with raises_error("axis-range", f"axis {axis} is out of range for rank 3"):
            normalise_axis(axis, 3)
        with raises_error("axis-range", f"axes {axis} is out of range for rank 3"):
            normalise_axes([axis], 3, "axes")
    with raises_error("axis-twice", "the axes [2, -1] name an axis more than once for rank 3"):
        normalise_axes([2, -1], 3)
    with raises_error("loop-axis"):
        normalise_axis(3, 3, error="loop-axis")


def test_a_scalar_has_an_axis_only_where_the_operator_says_so() -> None:
    assert [normalise_axis(a, 0, of_scalar=True) for a in (-1, 0)] == [0, 0]
    assert normalise_axis(-1, 2, of_scalar=True) == 1
    for axis in (-1, 0):
        with raises_error("axis-range"):
            normalise_axis(axis, 0)
    for axis in (-2, 1):
        with raises_error("axis-range"):
            normalise_axis(axis, 0, of_scalar=True)


def test_elements_and_ranks() -> None:
    a, b = Fact(f32, (Dim(2, 2),)), Fact(i32, None)
    assert same_element([a, a]) == f32
    assert check_rank(check_element(a, "a", is_float, "a float"), "a", 0, 1) is a
    assert check_rank(check_integer(b, "b"), "b", 3) is b
    with raises_error("element-types-differ", "operand 1 has elements of type i32, but a of f32"):
        same_element([a, b], ["a"])
    with raises_error("element-type", "'b' has element type i32, expected a float"):
        check_element(b, "b", is_float, "a float")
    with raises_error("element-type", "a must be an integer tensor, but its elements are f32"):
        check_integer(a, "a")
    with raises_error("operand-rank", "a must have rank 0 or 2, not 1"):
        check_rank(a, "a", 0, 2)


def test_extents() -> None:
    assert join_all([]) == Dim()
    assert join_all([Dim(2, 3), Dim(5, 5)]) == Dim(2, 5)
    assert count([]) == Dim(1, 1)
    assert count([Dim(2, 3), Dim(5)]) == Dim(10)


ONE_NUMBER: list[Callable[[Fact], object]] = [
    lambda fact: check_one_number(fact, "axis"),
    lambda fact: one_interval(fact, "axis"),
    lambda fact: one_integer(fact, "axis"),
    lambda fact: extent_from(fact, "axis"),
    lambda fact: axis_from(fact, 2),
]


@pytest.mark.parametrize("ask", ONE_NUMBER)
def test_one_number_is_a_scalar_or_has_one_element(ask: Callable[[Fact], object]) -> None:
    for fact in (scalar(1), known(1), unknown(), unknown(Dim()), unknown(Dim(0, 1)), Fact(i64, None)):
        ask(fact)
    for fact in (known(1, 2), known(), unknown(Dim(2, 5)), unknown(Dim(2))):
        with raises_error("operand-rank", "axis must be one number"):
            ask(fact)
    with raises_error("operand-rank", "axis must have rank 0 or 1, not 2"):
        ask(unknown(Dim(1, 1), Dim(1, 1)))


def test_what_one_number_says() -> None:
    assert one_integer(scalar(-7), "k") == one_integer(known(-7), "k") == -7
    assert one_interval(known(-7), "k") == (-7, -7)
    assert extent_from(known(4), "depth") == Dim(4, 4)
    assert extent_from(known(-4), "depth") == Dim(0, 0)
    assert extent_from(unknown(), "depth") == Dim()
    assert axis_from(scalar(-1), 3) == 2
    assert axis_from(scalar(-1), None) is axis_from(unknown(), 3) is None
    with raises_error("operand-size", "step must be one number"):
        check_one_number(known(1, 2), "step", "operand-size")
    with raises_error("axis-range"):
        axis_from(scalar(3), 3)
    with raises_error("element-type"):
        one_integer(Fact(f32, (Dim(2, 2),)), "k")


def test_positions_count_from_the_front_or_from_the_end() -> None:
    assert [from_front(p, 2, 2) for p in range(-3, 3)] == [None, 0, 1, 0, 1, None]
    assert [from_front(p, 2, 3) for p in (-2, 2, 3)] == [0, 2, None]
    assert [from_front(p, 0, 1) for p in (-1, 0, 1)] == [None, 0, None]


def test_what_a_list_says() -> None:
    assert integers(known(3, -1), "axes") == [3, -1]
    assert intervals(known(3, -1), "axes") == [(3, 3), (-1, -1)]
    assert integers(unknown(Dim(2, 2)), "axes") is intervals(unknown(Dim(2, 2)), "axes") is None
    assert [length(f) for f in (scalar(1), known(3, 4), unknown(Dim()), Fact(i64, None))] == [
        1,
        2,
        None,
        None,
    ]


def test_indices_are_surely_inside() -> None:
    four = [Dim(4, 9)]
    assert surely_inside(known(-4, 3), four)
    assert not surely_inside(known(-4, 3), four, negative=False)
    assert not surely_inside(known(4), four)
    assert surely_inside(known(4), four, end=1)
    assert surely_inside(unknown(Dim(0, 0)), four)
    assert not surely_inside(unknown(Dim(1, 1)), four)
