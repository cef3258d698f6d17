"""Element-wise interval arithmetic on the contents of small integer tensors.

Shapes are computed by operations on small integer tensors, so inference follows bounds of their elements
through arithmetic. Bounds are object arrays of Python integers here, exact at any size; an element whose
interval leaves the range of its type may wrap around, and anything is possible then.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from loomir.dialects.element_types import i1, is_integer, is_unsigned
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, UNBOUNDED_LOW, Fact, Shape, is_tracked, static_shape

Interval = tuple[np.ndarray, np.ndarray]
"""Lower and upper bounds, object arrays of one shape."""


def type_range(element: Attribute) -> tuple[int, int]:
    """The least and greatest value of an integer type or boolean."""
    if element == i1:
        return 0, 1
    assert isinstance(element, IntegerType)
    width = element.width.data
    return (0, 2**width - 1) if is_unsigned(element) else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)


def tracked(element: Attribute) -> bool:
    """Whether bounds of tensors of this type are kept: those of ui64 don't fit the int64 that holds them."""
    return element == i1 or (is_integer(element) and type_range(element)[1] <= UNBOUNDED_HIGH)


def interval_of(fact: Fact) -> Interval | None:
    """The bounds of a tensor's elements: what is known, else the range of the type; None where not tracked.

    A scalar's are arrays of one element, for numpy turns arithmetic on rank-0 object arrays into bare
    numbers; `fact_from` takes them back.
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
    """A fact with these bounds, where they say anything: what may wrap around may be any number."""
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


def corners(a: Interval, b: Interval, function: Callable[[int, int], int]) -> Interval:
    """The interval of a function that is monotone in each argument, from its values at the four corners."""
    at = np.frompyfunc(function, 2, 1)
    # On rank 0 frompyfunc gives a bare int, which np.minimum would squeeze into 64 bits.
    values = [np.asarray(at(x, y), object) for x in a for y in b]
    lo, hi = values[0], values[0]
    for v in values[1:]:
        lo, hi = np.minimum(lo, v), np.maximum(hi, v)
    return np.asarray(lo, object), np.asarray(hi, object)


def truncated_quotient(x: int, y: int) -> int:
    """x / y rounded towards zero; 0 where y is 0."""
    if y == 0:
        return 0
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


def floored_quotient(x: int, y: int) -> int:
    """x / y rounded down; 0 where y is 0."""
    return 0 if y == 0 else x // y


def divide(a: Interval, b: Interval, quotient: Callable[[int, int], int]) -> Interval:
    """Quotients; where the divisor may be 0 or change sign, what its values nearest to 0 allow, and 0."""
    (a_lo, a_hi), (b_lo, b_hi) = a, b
    a_lo, a_hi, b_lo, b_hi = np.broadcast_arrays(a_lo, a_hi, b_lo, b_hi)
    lo, hi = np.empty(a_lo.shape, object), np.empty(a_lo.shape, object)
    for index in np.ndindex(a_lo.shape):
        low, high = int(b_lo[index]), int(b_hi[index])
        ends = {low, high, *((-1,) if low < 0 <= high else ()), *((1,) if low <= 0 < high else ())}
        found = [quotient(x, y) for x in (int(a_lo[index]), int(a_hi[index])) for y in ends if y]
        if low <= 0 <= high:
            found.append(0)
        lo[index], hi[index] = min(found), max(found)
    return lo, hi


def remainder(a: Interval, b: Interval, *, floored: bool) -> Interval:
    """Remainders: less than the divisor, of one sign where a sign is known."""
    (a_lo, a_hi), (b_lo, b_hi) = a, b
    a_lo, a_hi, b_lo, b_hi = np.broadcast_arrays(a_lo, a_hi, b_lo, b_hi)
    lo, hi = np.empty(a_lo.shape, object), np.empty(a_lo.shape, object)
    for index in np.ndindex(a_lo.shape):
        x0, x1, y0, y1 = (int(side[index]) for side in (a_lo, a_hi, b_lo, b_hi))
        largest = max(0, abs(y0) - 1, abs(y1) - 1)
        if floored:
            least = 0 if y0 >= 0 else -largest
            greatest = 0 if y1 <= 0 else largest
            if y0 >= 0 and x0 >= 0:
                greatest = min(greatest, x1)
        else:
            least = 0 if x0 >= 0 else max(-largest, x0)
            greatest = 0 if x1 <= 0 else min(largest, x1)
        if x0 == x1 and y0 == y1 and y0 != 0:
            exact = x0 % y0 if floored else x0 - y0 * truncated_quotient(x0, y0)
            least = greatest = exact
        lo[index], hi[index] = least, greatest
    return lo, hi


def truth(certain: np.ndarray, possible: np.ndarray) -> Interval:
    """The bounds of a boolean that is true where `certain` and false where not `possible`."""
    return np.asarray(certain, bool).astype(np.int64).astype(object), np.asarray(possible, bool).astype(
        np.int64
    ).astype(object)
