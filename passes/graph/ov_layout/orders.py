"""Orders of axes: permutations, their composition, and orders of fewer axes.

A value that lies in the order p has as its axis i the axis p[i] of the value that the program names.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.ov.bounds import Bounds, bounds_of_type, is_bounded, with_bounds

Order = tuple[int, ...]


def identity(rank: int) -> Order:
    """The order in which a tensor is."""
    return tuple(range(rank))


def channels_last(rank: int) -> Order:
    """N, space, C of N, C, space."""
    return (0, *range(2, rank), 1) if rank > 2 else identity(rank)


def then(first: Order, second: Order) -> Order:
    """Compose two orders: `second` applied to a value that lies in `first`."""
    return tuple(first[axis] for axis in second)


def inverse(order: Order) -> Order:
    """The order that undoes one."""
    found = [0] * len(order)
    for place, axis in enumerate(order):
        found[axis] = place
    return tuple(found)


def kept(order: Order, axes: Collection[int]) -> Order:
    """Return the order of the remaining axes, renumbered.

    Only the axes `axes` remain.
    """
    rank = {axis: place for place, axis in enumerate(sorted(axes))}
    return tuple(rank[axis] for axis in order if axis in rank)


def lifted(order: Order, axes: Sequence[int], rank: int) -> Order:
    """Extend an order of some axes to `rank` axes.

    The axes `axes`, increasing, lie as `order` specifies. Each of the others stays behind the one that it stood behind.
    """
    behind: dict[int, list[int]] = {}
    last, among = -1, set(axes)
    for axis in range(rank):
        if axis in among:
            last = axis
        else:
            behind.setdefault(last, []).append(axis)
    found = list(behind.get(-1, ()))
    for place in order:
        found += (axes[place], *behind.get(axes[place], ()))
    return tuple(found)


def significant(order: Order, value: SSAValue) -> Order:
    """Return a tensor's axes in this order, without extents of 1.

    Orders with the same result have the same memory layout.
    """
    assert isinstance(value.type, TensorType)
    shape = value.type.get_shape()
    return tuple(axis for axis in order if shape[axis] != 1)


def rank_of(value: SSAValue) -> int | None:
    """The rank that a tensor's type says."""
    return value.type.get_num_dims() if isinstance(value.type, TensorType) else None


def reordered(type_: Attribute, order: Order) -> TensorType:
    """The type of a tensor in another order, bounds and all."""
    assert isinstance(type_, TensorType)
    shape = type_.get_shape()
    turned = TensorType(type_.element_type, [shape[axis] for axis in order])
    if not is_bounded(type_):
        return turned
    bounds = bounds_of_type(type_)
    return with_bounds(turned, Bounds([bounds[axis] for axis in order], bounds.elements))
