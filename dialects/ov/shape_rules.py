"""Shared shape inference rules: element types, ranks, axes, broadcasting, extents.

All rules work on intervals (`Dim`) and are monotone: a wider operand never yields a narrower result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest

from xdsl.ir import Attribute

from loomir.dialects.element_types import i1, is_float, is_integer
from loomir.dialects.ov.facts import Dim, Fact, Shape
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
