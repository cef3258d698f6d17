"""Questions that shape inference asks of operands that are parameters: axes, shapes, pads, positions.

A parameter is a small integer tensor whose contents may be known, bounded element by element, or unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loomir.dialects.element_types import is_integer
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.errors import Error

Interval = tuple[int, int]
"""Lowest and highest value of an integer."""


def check_integer(fact: Fact, operand: str) -> Fact:
    """The fact itself. `Error("element-type")` unless the operand is an integer tensor."""
    if not is_integer(fact.element):
        raise Error(
            "element-type",
            f"{operand} must be an integer tensor, but its elements are {fact.element}",
        )
    return fact


def check_rank(fact: Fact, operand: str, *ranks: int) -> Fact:
    """The fact itself. `Error("operand-rank")` where the operand has another rank than these."""
    if fact.rank is not None and fact.rank not in ranks:
        wanted = " or ".join(str(r) for r in ranks)
        raise Error("operand-rank", f"{operand} must have rank {wanted}, not {fact.rank}")
    return fact


def check_one_element(fact: Fact, operand: str) -> Fact:
    """The fact itself. `Error("operand-size")` unless the operand is a scalar or has one element of rank 1."""
    check_rank(fact, operand, 0, 1)
    if length(fact) not in (None, 1):
        raise Error("operand-size", f"{operand} must be one number, it has {length(fact)}")
    return fact


def check_one_number(fact: Fact, operand: str) -> Fact:
    """The fact itself. `Error("operand-rank")` unless the operand can be a scalar or 1-D with one element."""
    check_rank(fact, operand, 0, 1)
    if fact.shape and fact.shape[0].meet(Dim(1, 1)) is None:
        raise Error("operand-rank", f"{operand} must be one number, not {fact.shape[0]}")
    return fact


def check_same_element(operands: Iterable[tuple[str, Fact]]) -> None:
    """`Error("element-types-differ")` unless all have the element type of the first."""
    first: tuple[str, Fact] | None = None
    for name, fact in operands:
        if first is None:
            first = (name, fact)
        elif fact.element != first[1].element:
            raise Error(
                "element-types-differ",
                f"{name} has elements of type {fact.element}, but {first[0]} of {first[1].element}",
            )


def intervals(fact: Fact, operand: str, *ranks: int) -> list[Interval] | None:
    """Bounds of each element of an integer operand of one of these ranks (default: 0 or 1), flat; None where
    unknown."""
    check_integer(fact, operand)
    check_rank(fact, operand, *(ranks or (0, 1)))
    bounds = fact.bounds
    if bounds is None:
        return None
    return [(int(lo), int(hi)) for lo, hi in zip(bounds[0].reshape(-1), bounds[1].reshape(-1))]


def integers(fact: Fact, operand: str, *ranks: int) -> list[int] | None:
    """The elements of an integer operand, flat, where all are known."""
    check_integer(fact, operand)
    check_rank(fact, operand, *(ranks or (0, 1)))
    return None if fact.value is None else [int(v) for v in fact.value.reshape(-1)]


def length(fact: Fact) -> int | None:
    """How many elements a parameter of rank 0 or 1 has, where that is one number."""
    if fact.shape is None:
        return None
    return fact.shape[0].static if fact.shape else 1


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


def normalise_axis(axis: int, rank: int, what: str = "axis") -> int:
    """The axis counted from the front. `Error("axis-range")` unless -rank <= axis < rank."""
    if not -rank <= axis < rank:
        raise Error("axis-range", f"{what} {axis} is out of range for rank {rank}")
    return axis % rank


def normalise_axes(axes: Sequence[int], rank: int, what: str = "axis") -> list[int]:
    """Axes counted from the front. Errors: `axis-range`, `axis-twice`."""
    found = [normalise_axis(axis, rank, what) for axis in axes]
    if len(set(found)) != len(found):
        raise Error("axis-twice", f"the axes {list(axes)} name an axis more than once for rank {rank}")
    return found


def count(shape: Iterable[Dim]) -> Dim:
    """The number of elements of a tensor with these extents."""
    total = Dim(1, 1)
    for extent in shape:
        total = total * extent
    return total


def join_all(shape: Shape) -> Dim:
    """An interval that holds any of these extents (unknown where there are none)."""
    if not shape:
        return Dim()
    joined = shape[0]
    for extent in shape[1:]:
        joined = joined.join(extent)
    return joined
