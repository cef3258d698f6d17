"""New operations of the pass.

They are values in another order, and parameters with reordered elements.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.tensors import set_type
from loomir.passes.graph.ov_layout.orders import Order, identity, reordered, significant


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
