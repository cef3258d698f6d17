"""Distances of accesses, compared with all pairs of iterations, and with the integer set library."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import i64
from xdsl.ir import Block

from loomir.dialects.affine_forms import AffineForm
from loomir.passes.analysis.dependence.distances import (
    MAX_LINES,
    Distances,
    Independent,
    IndexRange,
    LoopCounter,
    Strip,
    Unknown,
    distances,
    solve,
)

SMALL = st.integers(-6, 6)
STRIPS = st.lists(
    st.builds(lambda a, b, low, size: Strip(a, b, low, low + size), SMALL, SMALL, st.integers(-25, 25), st.integers(0, 6)),
    max_size=3,
)  # fmt: skip


def met(strips: list[Strip], trips: int) -> list[int]:
    """All j − i, tried one by one."""
    return [
        j - i
        for i, j in product(range(trips), repeat=2)
        if all(s.low <= s.first * i - s.second * j <= s.high for s in strips)
    ]


@settings(max_examples=400)
@given(STRIPS, st.integers(0, 12))
def test_one_loop(strips: list[Strip], trips: int) -> None:
    expected = met(strips, trips)
    found = solve(strips, trips)
    if expected:
        assert found == (min(expected), max(expected))
    else:
        assert isinstance(found, Independent)


@settings(max_examples=60, deadline=None)
@given(STRIPS, st.integers(1, 10**6))
def test_one_loop_by_the_integer_set_library(strips: list[Strip], trips: int) -> None:
    isl: Any = pytest.importorskip("islpy")
    conditions = [f"{s.low} <= {s.first} * i - {s.second} * j <= {s.high}" for s in strips]
    bounds = f"0 <= i < {trips} and 0 <= j < {trips}"
    space = isl.Set(f"{{ [d] : exists i, j : d = j - i and {' and '.join([bounds, *conditions])} }}")
    found = solve(strips, trips)
    if space.is_empty():
        assert isinstance(found, Independent)
    else:
        ends = [int(str(end)) for end in (space.dim_min_val(0), space.dim_max_val(0))]
        assert found == tuple(ends)


SYMBOLS = Block(arg_types=[i64, i64, i64]).args
ROW, COLUMN, N = (AffineForm.of(symbol) for symbol in SYMBOLS)
RANGES = st.builds(
    lambda a, b, begin, size: IndexRange(ROW * a + COLUMN * b + begin, size),
    st.integers(-2, 2), st.integers(-2, 2), st.integers(-4, 8), st.integers(1, 3),
)  # fmt: skip


def positions(access: IndexRange, i: int, j: int) -> set[int]:
    """The positions of an access in one iteration."""
    begin = access.begin
    first = begin.constant + begin.coefficient(SYMBOLS[0]) * i + begin.coefficient(SYMBOLS[1]) * j
    return set(range(first, first + access.size))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(RANGES, RANGES), min_size=1, max_size=2), st.integers(1, 4), st.integers(1, 4))
def test_two_loops(axes: list[tuple[IndexRange, IndexRange]], outer: int, inner: int) -> None:
    loops = [LoopCounter(SYMBOLS[0], outer), LoopCounter(SYMBOLS[1], inner)]
    iterations = list(product(range(outer), range(inner)))
    expected = [
        (k[0] - i[0], k[1] - i[1])
        for i, k in product(iterations, iterations)
        if all(positions(a, *i) & positions(b, *k) for a, b in axes)
    ]
    found = distances([a for a, _ in axes], [b for _, b in axes], loops)
    if isinstance(found, Independent):
        assert not expected
    elif isinstance(found, Distances):
        for k in range(2):
            assert found.vector[k] == (min(d[k] for d in expected), max(d[k] for d in expected))
    else:
        assert any(
            len([s for s in SYMBOLS[:2] if s in f.begin.symbols()]) > 1
            or set(a.begin.symbols()) != set(b.begin.symbols())
            for a, b in axes
            for f in (a, b)
        )


def test_reasons() -> None:
    loops = [LoopCounter(SYMBOLS[0], 10)]

    def one(a: AffineForm[Any], b: AffineForm[Any], size: int = 1) -> Any:
        return distances([IndexRange(a, size)], [IndexRange(b, size)], loops)

    assert one(ROW, ROW - 1) == Distances(((1, 1),))
    assert one(ROW, ROW - 1).constant == (1,)
    assert one(ROW, ROW).is_within_an_iteration
    assert one(ROW + N, ROW + N + 2) == Distances(((-2, -2),))
    assert one(ROW * 2, ROW * 2 + 1) == Independent("no multiple of 2 is between 1 and 1")
    assert one(ROW, ROW + 10) == Independent("no two iterations in the loop's range meet")
    assert isinstance(one(ROW + N, ROW), Unknown)
    assert isinstance(one(ROW * N, ROW * N), Unknown)
    assert one(ROW * 4, ROW * 4 + 2, 4) == Distances(((-1, 0),))
    assert isinstance(one(ROW, ROW * 2, MAX_LINES + 1), Unknown)
    unbounded = [LoopCounter(SYMBOLS[0], None)]
    assert distances([IndexRange(ROW, 1)], [IndexRange(ROW - 3, 1)], unbounded) == Distances(((3, 3),))
