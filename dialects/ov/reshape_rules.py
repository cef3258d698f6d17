"""Result shapes of Reshape and Squeeze.

They are computed before the operation runs (by intervals) and when it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import reduce
from itertools import combinations
from math import prod

from xdsl.ir import Attribute

from loomir.dialects.ov.facts import MAX_RANK, Dim, Fact, Shape, dim
from loomir.dialects.ov.parameters import Interval, dimensions
from loomir.dialects.ov.shape_rules import ONE, count
from loomir.errors import Error


def reshaped_to_any(data: Fact, shape: Fact) -> Fact:
    """Return the result of a Reshape to a shape of unknown contents.

    Only the length of the shape, or an upper bound of it, is known.

    Error: `reshape-size`.
    """
    most = None if shape.shape is None or not shape.shape else shape.shape[0].hi
    if (n := dimensions(shape)) is not None:
        return Fact(data.element, _refined(data, (Dim(),) * n))
    if shape.shape is None or most is None or most > MAX_RANK:
        return Fact(data.element, None)
    shapes: list[Shape] = []
    for rank in range(shape.shape[0].lo, most + 1):
        with suppress(Error):  # the number of elements does not fit this rank
            shapes.append(_refined(data, (Dim(),) * rank))
    return Fact.of_shapes(data.element, shapes)


def reshaped(data: Fact, pattern: Sequence[Interval], *, special_zero: bool) -> Shape:
    """Return the extents of a Reshape to a shape with element bounds.

    Errors: `reshape-pattern`, `reshape-size`.
    """
    extents: list[Dim] = []
    inferred: int | None = None
    copied: set[int] = set()
    for index, (lo, hi) in enumerate(pattern):
        if hi < -1:
            raise Error("reshape-pattern", f"element {index} of the wanted shape is {hi}")
        if lo == hi == -1:
            if inferred is not None:
                raise Error("reshape-pattern", f"the wanted shape has -1 at both {inferred} and {index}")
            inferred = index
            extents.append(Dim())
            continue
        extent = Dim() if lo < 0 else Dim(lo, hi)
        if special_zero and lo <= 0 <= hi:
            if data.shape is not None and index >= len(data.shape):
                if lo == hi:
                    raise Error(
                        "reshape-pattern",
                        f"element {index} of the wanted shape is 0, but data has rank {len(data.shape)}",
                    )
                copy = Dim()
            else:
                copy = Dim() if data.shape is None else data.shape[index]
            if lo == hi:
                copied.add(index)
                extent = copy
            else:
                extent = extent.join(copy)
        extents.append(extent)
    if inferred is not None and data.shape is not None:
        rest = _without(data, copied)
        others = count(d for i, d in enumerate(extents) if i != inferred and i not in copied)
        extents[inferred] = _quotient(rest, others)
    unsure = any(lo <= -1 <= hi and lo != hi for lo, hi in pattern)
    if inferred is None and not unsure and data.shape is not None:
        # Copied extents are the same number on both sides, known or not.
        rest = _without(data, copied)
        least = prod(d.lo for i, d in enumerate(extents) if i not in copied)
        if rest.hi is not None and least > rest.hi:
            raise Error("reshape-size", f"data has {rest} elements, the wanted shape {least} or more")
        wanted = count(d for i, d in enumerate(extents) if i not in copied)
        if rest.meet(wanted) is None and not _may_be_zero(data.shape, copied):
            raise Error("reshape-size", f"data has {rest} elements, the wanted shape {wanted}")
    return _refined(data, tuple(extents))


def _refined(data: Fact, extents: Shape) -> Shape:
    """Narrow extents by the number of elements, which stays the same."""
    if data.shape is None:
        return extents
    total = data.elements
    if total.lo < 1 or total.hi is None:
        return extents
    # Every extent is at least 1, and at most the number of elements divided by the others.
    floors = [max(1, d.lo) for d in extents]
    product = 1
    for floor in floors:
        product *= floor
    narrowed: list[Dim] = []
    for extent, floor in zip(extents, floors):
        bound = total.hi // (product // floor)
        met = extent.meet(Dim(1, bound)) if bound >= 1 else None
        if met is None:
            raise Error(
                "reshape-size",
                f"data has {total} elements, which do not fit a shape with an extent {extent}",
            )
        narrowed.append(met)
    open_ = [i for i, d in enumerate(narrowed) if d.static is None]
    if len(open_) == 1 and total.static is not None:
        others = 1
        for i, d in enumerate(narrowed):
            if i != open_[0]:
                others *= d.lo
        if total.lo % others:
            raise Error("reshape-size", f"data has {total} elements, which {others} does not divide")
        narrowed[open_[0]] = dim(total.lo // others)
    return tuple(narrowed)


def _without(data: Fact, copied: set[int]) -> Dim:
    """Return the product of the extents that are not copied.

    If none is copied, it is the number of elements.
    """
    if data.shape is None or not copied:
        return data.elements
    return count(d for i, d in enumerate(data.shape) if i not in copied)


def _may_be_zero(shape: Shape, copied: set[int]) -> bool:
    return any(shape[i].lo == 0 for i in copied)


def _quotient(total: Dim, others: Dim) -> Dim:
    """Return the extents e with e · others = total.

    Raises `Error("reshape-size")` if there is none.
    """
    if total.static is not None and others.static is not None:
        if others.lo == 0:
            return Dim(0, 0)
        if total.lo % others.lo:
            raise Error("reshape-size", f"data has {total} elements, which {others} does not divide")
        return dim(total.lo // others.lo)
    hi = None if total.hi is None else total.hi // max(1, others.lo)
    # ceil(lo / others.hi); where the others may be 0 the result may be 0.
    lo = 0 if others.hi is None or others.lo == 0 else -(-total.lo // others.hi)
    if hi is not None and lo > hi:
        raise Error("reshape-size", f"data has {total} elements, which {others} does not divide")
    return Dim(lo, hi)


def reshaped_extents(data: tuple[int, ...], pattern: list[int], special_zero: bool) -> list[int]:
    """Return the shape that a reshape pattern yields for the data shape.

    Raises `Error("runtime-shape")` if the pattern does not fit.
    """
    copied = [special_zero and v == 0 for v in pattern]
    if (
        any(c and i >= len(data) for i, c in enumerate(copied))
        or pattern.count(-1) > 1
        or min(pattern, default=0) < -1
    ):
        raise Error("runtime-shape", f"{pattern} is no shape for data of shape {list(data)}")
    extents = [data[i] if c else v for i, (c, v) in enumerate(zip(copied, pattern))]
    if -1 in pattern:
        # Copied extents take no part: they may be 0.
        rest = prod(d for i, d in enumerate(data) if not (i < len(copied) and copied[i]))
        others = prod(v for v, c in zip(pattern, copied) if not c and v != -1)
        if (others and rest % others) or (not others and rest):
            raise Error("runtime-shape", f"data of shape {list(data)} cannot have shape {pattern}")
        extents[pattern.index(-1)] = rest // others if others else 0
    if prod(extents) != prod(data):
        raise Error("runtime-shape", f"data of shape {list(data)} cannot have shape {pattern}")
    return extents


_MAX_UNSURE = 6
"""Maximum number of extents that may or may not be 1.

If there are more, it is only known that some are dropped.
"""


def without_ones(element: Attribute, shape: Shape) -> Fact:
    """Return a fact for the shape with its extents of 1 removed.

    If some extents may or may not be 1, the fact joins the shapes of all possible ranks.
    """
    unsure = [k for k, d in enumerate(shape) if d.static is None and d.meet(ONE) is not None]
    if len(unsure) > _MAX_UNSURE:
        return Fact(element, None)
    facts = [
        Fact(element, tuple(d for k, d in enumerate(shape) if d.static != 1 and k not in gone))
        for count in range(len(unsure) + 1)
        for gone in combinations(unsure, count)
    ]
    return reduce(Fact.join, facts)
