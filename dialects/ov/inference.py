"""Queries of shape inference about parameter operands.

Parameters are axes, shapes, pads and positions: small integer tensors whose contents may be known, bounded element by
element, or unknown.
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

_recorded: ContextVar[list[Fact] | None] = ContextVar("asked", default=None)


@contextmanager
def recording() -> Iterator[list[Fact]]:
    """Record queries for contents of parameters that are not wholly known.

    Yields the list of these parameters' facts, which grows for the duration of the context.
    """
    asked: list[Fact] = []
    token = _recorded.set(asked)
    try:
        yield asked
    finally:
        _recorded.reset(token)


def contents(fact: Fact) -> np.ndarray | None:
    """Return the contents of a parameter of any element type, if known."""
    if fact.value is None and (asked := _recorded.get()) is not None:
        asked.append(fact)
    return fact.value


ANYTHING: Interval = (UNBOUNDED_LOW, UNBOUNDED_HIGH)
"""Interval of an integer of which nothing is known."""


def check_one_number(fact: Fact, operand: str, error: str = "operand-rank") -> Fact:
    """Check that an operand can have exactly one element; return its fact.

    Raises `Error("operand-rank")` unless the operand can be a scalar or 1-D, `error` unless it can have one element.
    """
    check_rank(fact, operand, 0, 1)
    if fact.shape and not may_equal(fact.shape[0], ONE):
        raise Error(error, f"{operand} must be one number, not {fact.shape[0]}")
    return fact


def intervals(fact: Fact, operand: str, *ranks: int) -> list[Interval] | None:
    """Return the bounds of each element of an integer operand, flat.

    The operand must have one of these ranks (default: 0 or 1). None if the bounds are unknown.
    """
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
    """Return the extent that an operand of one integer specifies.

    A negative integer counts as 0.
    """
    low, high = one_interval(fact, operand) or ANYTHING
    return Dim(max(low, 0), None if high == UNBOUNDED_HIGH else max(high, 0))


def axis_from(fact: Fact, rank: int | None) -> int | None:
    """Return the axis that an operand of one integer specifies.

    It is counted from the front; None if the integer or the rank is unknown. Also `Error("axis-range")`.
    """
    given = one_integer(fact, "axis")
    return None if given is None or rank is None else normalise_axis(given, rank)


def from_front(position: int, count: int, end: int) -> int | None:
    """Return a position counted from the front.

    A negative position counts from the end of `count` elements. None unless it is in [-count, end).
    """
    found = position + count if position < 0 else position
    return found if 0 <= found < end else None


def length(fact: Fact) -> int | None:
    """Return the number of elements of a parameter, if it is static.

    The parameter has rank 0 or 1.
    """
    if fact.shape is None:
        return None
    return fact.shape[0].static if fact.shape else 1


def dimensions(fact: Fact) -> int | None:
    """Return the `length` of a parameter with one number per dimension.

    Error: `shape-too-large`, before a shape with so many dimensions is created.
    """
    n = length(fact)
    if n is not None:
        check_dimensions(n)
    return n


def surely_inside(indices: Fact, extents: Sequence[Dim], *, negative: bool = True, end: int = 0) -> bool:
    """Return True if all indices are surely in [-extent, extent + end).

    Without `negative` the range is [0, extent + end).

    With several extents the last dimension holds tuples with an index for each; with one it does not matter. If there are no
    indices, the result is True.
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
    """Return True if indices are `surely_inside` data's extent along an axis.

    The contents of `axis` are known.
    """
    assert data.shape is not None
    assert axis.value is not None
    extent = data.shape[normalise_axis(int(axis.value.reshape(())), len(data.shape))]
    return surely_inside(indices, [extent], negative=negative)
