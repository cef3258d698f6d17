"""Element-wise interval arithmetic on the contents of small integer tensors.

Shapes are computed by operations on small integer tensors, so inference follows bounds of their elements
through arithmetic: that of `loomir.dialects.scalars.intervals`, element by element. Bounds are object arrays of
Python integers here, exact at any size; an element whose interval leaves the range of its type may wrap around,
and anything is possible then.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Attribute

from loomir.dialects.element_types import i1, is_integer
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, UNBOUNDED_LOW, Fact, Shape, is_tracked, static_shape
from loomir.dialects.scalars import intervals as numbers
from loomir.dialects.scalars.constants import type_range
from loomir.dialects.scalars.intervals import floored_quotient, truncated_quotient

__all__ = ["floored_quotient", "truncated_quotient", "type_range"]

Interval = tuple[np.ndarray, np.ndarray]
"""Lower and upper bounds, object arrays of one shape."""


def tracked(element: Attribute) -> bool:
    """Return True if bounds of tensors of this type are tracked.

    Those of ui64 do not fit the int64 that holds them.
    """
    return element == i1 or (is_integer(element) and type_range(element)[1] <= UNBOUNDED_HIGH)


def interval_of(fact: Fact) -> Interval | None:
    """Return the bounds of a tensor's elements, or None if not tracked.

    They are the known bounds, else the range of the type.

    The bounds of a scalar are arrays of one element, because numpy turns arithmetic on rank-0 object arrays into bare numbers;
    `fact_from` converts them back.
    """
    if not tracked(fact.element):
        return None
    if (bounds := fact.bounds) is not None:
        lo, hi = bounds
        return np.atleast_1d(np.asarray(lo, object)), np.atleast_1d(np.asarray(hi, object))
    shape = fact.static
    if shape is None or not is_tracked(shape):
        return None
    least, greatest = type_range(fact.element)
    extents = shape or (1,)
    return np.full(extents, least, object), np.full(extents, greatest, object)


def fact_from(element: Attribute, shape: Shape | None, interval: Interval | None) -> Fact:
    """Return a fact with these bounds, if they restrict anything.

    An element that may wrap around may be any number.
    """
    if interval is None or not tracked(element):
        return Fact(element, shape)
    lo, hi = (np.asarray(side, object) for side in interval)
    static = static_shape(shape)
    if static == () and lo.shape == (1,):
        lo, hi = lo.reshape(()), hi.reshape(())
    if static != lo.shape or not is_tracked(static):
        return Fact(element, shape)
    least, greatest = type_range(element)
    wraps = np.asarray(lo < least, bool) | np.asarray(hi > greatest, bool)
    lo, hi = np.where(wraps, least, lo), np.where(wraps, greatest, hi)
    if lo.size and np.all(lo == least) and np.all(hi == greatest):
        return Fact(element, shape)
    low = np.asarray(np.maximum(lo, UNBOUNDED_LOW)).astype(np.int64)
    high = np.asarray(np.minimum(hi, UNBOUNDED_HIGH)).astype(np.int64)
    return Fact(element, shape, lo=low.reshape(lo.shape), hi=high.reshape(lo.shape))


def _elementwise(rule: Callable[..., tuple[int, int]], a: Interval, b: Interval) -> Interval:
    """A rule on the intervals of two numbers, of each two elements."""
    at = np.frompyfunc(lambda a_lo, a_hi, b_lo, b_hi: rule((a_lo, a_hi), (b_lo, b_hi)), 4, 2)
    lo, hi = at(*a, *b)
    # On rank 0 frompyfunc gives bare ints, which numpy would squeeze into 64 bits.
    return np.asarray(lo, object), np.asarray(hi, object)


def corners(a: Interval, b: Interval, function: Callable[[int, int], int]) -> Interval:
    """Return the interval of a function that is monotone in each argument.

    It follows from the function's values at the four corners.
    """
    return _elementwise(numbers.corners(function), a, b)


def divide(a: Interval, b: Interval, rounding: Callable[[int, int], int]) -> Interval:
    """Quotients; by 0 they are 0."""
    return _elementwise(numbers.quotient(rounding), a, b)


def remainder(a: Interval, b: Interval, *, floored: bool) -> Interval:
    """Return the remainders of a division rounded down or towards zero.

    Remainders by 0 are 0.
    """
    return _elementwise(numbers.floored_remainder if floored else numbers.remainder, a, b)


def truth(certain: np.ndarray, possible: np.ndarray) -> Interval:
    """Return the bounds of a boolean.

    It is true where `certain`, and false where not `possible`.
    """
    return np.asarray(certain, bool).astype(np.int64).astype(object), np.asarray(possible, bool).astype(
        np.int64
    ).astype(object)
