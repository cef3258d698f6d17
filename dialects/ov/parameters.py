"""Questions that shape inference asks of operands that are parameters: axes, shapes, pads, positions.

A parameter is a small integer tensor whose contents may be known, bounded element by element, or unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from loomir.dialects.ov.facts import UNBOUNDED_HIGH, UNBOUNDED_LOW, Dim, Fact, check_dimensions
from loomir.dialects.ov.shape_rules import ONE, check_integer, check_rank, may_equal, normalise_axis
from loomir.errors import Error

Interval = tuple[int, int]
"""Lowest and highest value of an integer."""

_asked: ContextVar[list[Fact] | None] = ContextVar("asked", default=None)


@contextmanager
def asking() -> Iterator[list[Fact]]:
    """The facts of parameters whose contents are asked for meanwhile and are not wholly known."""
    asked: list[Fact] = []
    token = _asked.set(asked)
    try:
        yield asked
    finally:
        _asked.reset(token)


def is_heard() -> bool:
    """Whether somebody is `asking`."""
    return _asked.get() is not None


def contents(fact: Fact) -> np.ndarray | None:
    """What a parameter of any element type holds, where that is known."""
    if fact.value is None and (asked := _asked.get()) is not None:
        asked.append(fact)
    return fact.value


ANYTHING: Interval = (UNBOUNDED_LOW, UNBOUNDED_HIGH)
"""What is known of an integer of which nothing is known."""


def check_one_number(fact: Fact, operand: str, error: str = "operand-rank") -> Fact:
    """The fact itself. `Error("operand-rank")` unless the operand can be a scalar or 1-D, `error` unless it can have one
    element."""
    check_rank(fact, operand, 0, 1)
    if fact.shape and not may_equal(fact.shape[0], ONE):
        raise Error(error, f"{operand} must be one number, not {fact.shape[0]}")
    return fact


def intervals(fact: Fact, operand: str, *ranks: int) -> list[Interval] | None:
    """Bounds of each element of an integer operand of one of these ranks (default: 0 or 1), flat; None where
    unknown."""
    check_integer(fact, operand)
    check_rank(fact, operand, *(ranks or (0, 1)))
    contents(fact)
    bounds = fact.bounds
    if bounds is None:
        return None
    return [(int(lo), int(hi)) for lo, hi in zip(bounds[0].reshape(-1), bounds[1].reshape(-1))]


def integers(fact: Fact, operand: str, *ranks: int) -> list[int] | None:
    """The elements of an integer operand, flat, where all are known."""
    check_integer(fact, operand)
    check_rank(fact, operand, *(ranks or (0, 1)))
    known = contents(fact)
    return None if known is None else [int(v) for v in known.reshape(-1)]


def one_interval(fact: Fact, operand: str) -> Interval | None:
    """Bounds of an operand that is one integer; None where unknown."""
    found = intervals(check_one_number(check_integer(fact, operand), operand), operand)
    return found[0] if found else None


def one_integer(fact: Fact, operand: str) -> int | None:
    """An operand that is one integer, where it is known."""
    found = one_interval(fact, operand)
    return found[0] if found is not None and found[0] == found[1] else None


def extent_from(fact: Fact, operand: str) -> Dim:
    """The extent that an operand of one integer says, 0 for a negative one."""
    low, high = one_interval(fact, operand) or ANYTHING
    return Dim(max(low, 0), None if high == UNBOUNDED_HIGH else max(high, 0))


def axis_from(fact: Fact, rank: int | None) -> int | None:
    """The axis that an operand of one integer names, counted from the front, where it and the rank are known. Also
    `Error("axis-range")`."""
    given = one_integer(fact, "axis")
    return None if given is None or rank is None else normalise_axis(given, rank)


def from_front(position: int, count: int, end: int) -> int | None:
    """A position among `count` elements counted from the front, a negative one from the end; None unless it is in
    [-count, end)."""
    found = position + count if position < 0 else position
    return found if 0 <= found < end else None


def length(fact: Fact) -> int | None:
    """How many elements a parameter of rank 0 or 1 has, where that is one number."""
    if fact.shape is None:
        return None
    return fact.shape[0].static if fact.shape else 1


def dimensions(fact: Fact) -> int | None:
    """`length` of a parameter with a number for each dimension. Error: `shape-too-large`, before a shape is made of so many."""
    n = length(fact)
    if n is not None:
        check_dimensions(n)
    return n


def surely_inside(indices: Fact, extents: Sequence[Dim], *, negative: bool = True, end: int = 0) -> bool:
    """Whether all indices are in [-extent, extent + end), without `negative` in [0, extent + end).

    With several extents the last dimension holds tuples with an index for each; with one it does not matter. None may be out of range
    where there are none.
    """
    if indices.shape is not None and any(d.hi == 0 for d in indices.shape):
        return True
    if indices.value is not None:
        low = high = indices.value
    elif indices.lo is not None and indices.hi is not None:
        low, high = indices.lo, indices.hi
    else:
        return False
    parts = [(low[..., i], high[..., i]) for i in range(len(extents))] if len(extents) > 1 else [(low, high)]
    return all(
        int(lowest.min()) >= (-extent.lo if negative else 0) and int(highest.max()) < extent.lo + end
        for (lowest, highest), extent in zip(parts, extents)
    )


def surely_on_axis(data: Fact, axis: Fact, indices: Fact, *, negative: bool = True) -> bool:
    """`surely_inside` the extent of data along an axis, of which the contents are known."""
    assert data.shape is not None
    assert axis.value is not None
    extent = data.shape[normalise_axis(int(axis.value.reshape(())), len(data.shape))]
    return surely_inside(indices, [extent], negative=negative)
