"""Shared inference rules: element types, shapes, and intervals of contents.

Rules for element types, ranks, axes, broadcasting and extents work on intervals (`Dim`) and are monotone: a wider operand never
yields a narrower result.

Shapes are computed by operations on small integer tensors, so inference follows bounds of their elements
through arithmetic: that of `loomir.dialects.scalars.intervals`, element by element. Bounds are object arrays of
Python integers here, exact at any size; an element whose interval leaves the range of its type may wrap around,
and anything is possible then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest

import numpy as np
from xdsl.ir import Attribute

from loomir.dialects.element_types import i1, is_float, is_integer
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, UNBOUNDED_LOW, Dim, Fact, Shape, is_tracked, static_shape
from loomir.dialects.scalars import intervals as numbers
from loomir.dialects.scalars.intervals import floored_quotient, truncated_quotient
from loomir.dialects.scalars.row import type_range
from loomir.errors import Error

ONE = Dim(1, 1)

# -- element types


def is_number(element: Attribute) -> bool:
    """Float or integer, not boolean."""
    return is_float(element) or is_integer(element)


def is_boolean(element: Attribute) -> bool:
    return element == i1


def is_number_or_boolean(element: Attribute) -> bool:
    """Anything but a storage type, in which nothing can be compared."""
    return is_number(element) or is_boolean(element)


def same_element(facts: Sequence[Fact], names: Sequence[str] = ()) -> Attribute:
    """Return the common element type of the operands.

    Requires at least one operand. Error messages refer to operands without a name by their number.

    Error: `element-types-differ`.
    """
    first = facts[0].element
    for index, fact in enumerate(facts):
        if fact.element != first:
            what, other = (names[i] if i < len(names) else f"operand {i}" for i in (index, 0))
            raise Error(
                "element-types-differ", f"{what} has elements of type {fact.element}, but {other} of {first}"
            )
    return first


def check_element(fact: Fact, operand: str, accepts: Callable[[Attribute], bool], what: str) -> Fact:
    """Return the fact after checking its element type with `accepts`.

    Error `element-type` unless `accepts` returns True for the element type; `what` describes the accepted types.
    """
    if not accepts(fact.element):
        raise Error("element-type", f"'{operand}' has element type {fact.element}, expected {what}")
    return fact


def check_integer(fact: Fact, operand: str) -> Fact:
    """The fact itself. `Error("element-type")` unless the operand is an integer tensor."""
    if not is_integer(fact.element):
        raise Error(
            "element-type",
            f"{operand} must be an integer tensor, but its elements are {fact.element}",
        )
    return fact


# -- ranks and axes


def check_rank(fact: Fact, operand: str, *ranks: int) -> Fact:
    """The fact itself. `Error("operand-rank")` where the operand has another rank than these."""
    if fact.rank is not None and fact.rank not in ranks:
        wanted = " or ".join(str(r) for r in ranks)
        raise Error("operand-rank", f"{operand} must have rank {wanted}, not {fact.rank}")
    return fact


def normalise_axis(
    axis: int, rank: int, what: str = "axis", *, of_scalar: bool = False, error: str = "axis-range"
) -> int:
    """Return the axis counted from the front.

    Raises `error` unless -rank <= axis < rank.

    A scalar has no axis. With `of_scalar`, a scalar has the axes 0 and -1, as a tensor of one element does, for an operator
    that works along an axis but keeps the shape (Softmax); both return 0.
    """
    span = max(rank, 1) if of_scalar else rank
    if not -span <= axis < span:
        raise Error(error, f"{what} {axis} is out of range for rank {rank}")
    return axis % span


def normalise_axes(axes: Iterable[int], rank: int, what: str = "axis") -> tuple[int, ...]:
    """Axes counted from the front, in the order given. Errors: `axis-range`, `axis-twice`."""
    given = [int(axis) for axis in axes]
    found = tuple(normalise_axis(axis, rank, what) for axis in given)
    if len(set(found)) != len(found):
        raise Error("axis-twice", f"the axes {given} name an axis more than once for rank {rank}")
    return found


# -- broadcasting


def broadcast_dim(a: Dim, b: Dim) -> Dim | None:
    """Return the numpy broadcast of two aligned extents, or None if incompatible.

    A side that may be 1 lets the other side through unchanged; a side that cannot be 1 must be the result.
    """
    if a.static == 1:
        return b
    if b.static == 1:
        return a
    a_one, b_one = _may_be(a, 1), _may_be(b, 1)
    if a_one and b_one:
        return a.join(b)
    if a_one:
        return b
    if b_one:
        return a
    return a.meet(b)


def broadcast_shapes(shapes: Iterable[Shape | None]) -> Shape | None:
    """Return the numpy broadcast of the shapes.

    The result is None if a rank is unknown. Error: `broadcast-shapes`.
    """
    given = list(shapes)
    known = [s for s in given if s is not None]
    if len(known) < len(given):
        return None
    rank = max((len(s) for s in known), default=0)
    result = [ONE] * rank
    for shape in known:
        for position, extent in enumerate(shape, rank - len(shape)):
            merged = broadcast_dim(result[position], extent)
            if merged is None:
                raise Error("broadcast-shapes", f"shapes {show_shapes(known)} do not broadcast")
            result[position] = merged
    return tuple(result)


def broadcast_count(facts: Sequence[Fact]) -> int | None:
    """Return an upper bound for the element count of the numpy broadcast.

    The bound is derived from the element count of one of the tensors, or is None if no tensor yields one. Broadcasting
    enlarges a tensor only along an axis where its extent may be 1 and that of another tensor may be larger.
    """
    found: list[int] = []
    for index, fact in enumerate(facts):
        most = fact.elements.hi
        for other in (*facts[:index], *facts[index + 1 :]):
            if fact.shape is None or other.shape is None:
                return None
            for own, extent in zip_longest(fact.shape[::-1], other.shape[::-1], fillvalue=ONE):
                if own.lo <= 1 and extent.hi != 1:
                    most = None if most is None or extent.hi is None else most * extent.hi
        if most is not None:
            found.append(most)
    return min(found, default=None)


def equal_shapes(shapes: Iterable[Shape | None]) -> Shape | None:
    """Return the meet of shapes that must be equal.

    Error: `broadcast-shapes`.
    """
    known = [s for s in shapes if s is not None]
    if not known:
        return None
    result = known[0]
    for shape in known[1:]:
        merged = [a.meet(b) for a, b in zip(result, shape)] if len(shape) == len(result) else [None]
        if any(d is None for d in merged):
            raise Error(
                "broadcast-shapes", f"shapes {show_shapes(known)} differ, and nothing is broadcast here"
            )
        result = tuple(d for d in merged if d is not None)
    return result


def auto_broadcast_shapes(mode: str, shapes: Sequence[Shape | None]) -> Shape | None:
    """Return the result shape under the attribute `auto_broadcast`.

    The modes are numpy, none (also `explicit`) and pdpd. `pdpd` is the one-sided rule with the default axis: the second
    operand is aligned with the last dimensions of the first, and the result has the rank of the first.
    Errors: `broadcast-shapes`, `attribute-value`.
    """
    if mode == "numpy":
        return broadcast_shapes(shapes)
    if mode in ("none", "explicit"):
        return equal_shapes(shapes)
    if mode == "pdpd":
        first, second = shapes[0], shapes[-1]
        if first is not None and second is not None and len(second) > len(first):
            raise Error(
                "broadcast-shapes", f"shapes {show_shapes([first, second])} do not broadcast one-sidedly"
            )
        return broadcast_shapes(shapes)
    raise Error("attribute-value", f"auto_broadcast is '{mode}', expected numpy, none or pdpd")


def _may_be(d: Dim, extent: int) -> bool:
    return d.lo <= extent and (d.hi is None or extent <= d.hi)


def may_equal(a: Dim, b: Dim) -> bool:
    """Return True if two extents can be equal."""
    return a.meet(b) is not None


def show_shape(shape: Shape | None) -> str:
    """A shape for messages: `[2, 1..5, 0..]`."""
    return "[...]" if shape is None else f"[{', '.join(map(str, shape))}]"


def show_shapes(shapes: Iterable[Shape | None]) -> str:
    return " and ".join(show_shape(s) for s in shapes)


# -- extents as intervals


def map_dim(d: Dim, function: Callable[[int], int]) -> Dim:
    """The extent `function(d)` for a non-decreasing function; below zero becomes zero."""
    lo = max(0, function(d.lo))
    return Dim(lo, None if d.hi is None else max(lo, function(d.hi)))


def join_all(dims: Iterable[Dim]) -> Dim:
    """Return the smallest interval that contains all the given intervals.

    Without any, the result is the unbounded interval.
    """
    items = list(dims)
    result = items[0] if items else Dim()
    for d in items[1:]:
        result = result.join(d)
    return result


def count(shape: Iterable[Dim]) -> Dim:
    """The number of elements of a tensor with these extents."""
    total = ONE
    for extent in shape:
        total = total * extent
    return total


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
