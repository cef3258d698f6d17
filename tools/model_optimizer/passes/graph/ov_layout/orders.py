"""Orders of axes, and new operations in these orders.

Orders are permutations, with their composition, and orders of fewer axes. A value that lies in the order p has as its axis i the
axis p[i] of the value that the program names.

The new operations are values in another order, and parameters with reordered elements.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.attributes import Bounds, bounds_of_type, is_bounded, with_bounds
from loomir.dialects.element_types import set_type
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp

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


class Edits:
    """Emits operations in front of others.

    Constants are changed instead where possible.
    """

    @staticmethod
    def constant(array: np.ndarray, before: Operation) -> SSAValue:
        """A constant in front of an operation."""
        return GraphBuilder(InsertPoint.before(before), before.location).constant(array)

    def instead(self, old: SSAValue, array: np.ndarray, before: Operation) -> SSAValue:
        """Return a constant with these contents and the old one's type.

        It is the old constant itself if that already has these contents.
        """
        owner = old.owner
        assert isinstance(owner, ConstantOp)
        wanted = array.astype(owner.array.dtype).reshape(owner.array.shape)
        return old if np.array_equal(wanted, owner.array) else self.constant(wanted, before)

    def picked(self, vector: SSAValue, places: Sequence[int], before: Operation) -> SSAValue:
        """The elements of a 1-D tensor at these places."""
        if list(places) == list(range(len(places))):
            return vector
        if isinstance(vector.owner, ConstantOp):
            return self.instead(vector, vector.owner.array[list(places)], before)
        build = GraphBuilder(InsertPoint.before(before), before.location)
        axis = build.constant(np.array(0, np.int64))
        return build.make(GatherOp, vector, build.integers(places), axis)

    def unsqueezed(self, value: SSAValue, axes: Sequence[int], before: Operation) -> SSAValue:
        """Insert axes of extent 1 at these positions of the result."""
        if isinstance(value.owner, ConstantOp):
            return self.constant(np.expand_dims(value.owner.array, tuple(axes)), before)
        build = GraphBuilder(InsertPoint.before(before), before.location)
        return build.make(UnsqueezeOp, value, build.integers(axes))

    @staticmethod
    def in_order(value: SSAValue, order: Order, point: InsertPoint, location: LocationAttr) -> SSAValue:
        """Return the value in another order.

        This takes a Transpose, or an operation without cost if only extents of 1 move.
        """
        build = GraphBuilder(point, location)
        if isinstance(value.owner, ConstantOp):
            return build.constant(np.ascontiguousarray(value.owner.array.transpose(order)))
        type_ = reordered(value.type, order)
        moved = significant(order, value)
        if list(moved) != sorted(moved):
            result = build.make(TransposeOp, value, build.integers(order))
        elif type_.has_static_shape():
            result = build.make(ReshapeOp, value, build.integers(type_.get_shape()))
        else:
            result = _moving_ones(build, value, order)
        set_type(result, type_)
        result.name_hint = value.name_hint
        return result


def _moving_ones(build: GraphBuilder, value: SSAValue, order: Order) -> SSAValue:
    assert isinstance(value.type, TensorType)
    shape = value.type.get_shape()
    ones = [axis for axis in identity(len(shape)) if shape[axis] == 1]
    squeezed = build.make(SqueezeOp, value, build.integers(ones))
    places = [place for place, axis in enumerate(order) if shape[axis] == 1]
    return build.make(UnsqueezeOp, squeezed, build.integers(places))
