"""Parts of a tensor."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.ov.facts import check_dimensions
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.operators.splitting import SplitOp, VariadicSplitOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Slice", 1)
def slice_by_attributes(node: Node) -> Results:
    """Starts and ends as attributes, steps of 1."""
    starts, ends = node.ints("starts"), node.ints("ends")
    axes = node.ints("axes", range(len(starts)))
    if not len(starts) == len(ends) == len(axes):
        raise Error("invalid-onnx", f"{len(starts)} starts, {len(ends)} ends and {len(axes)} axes")
    return node.op(SliceOp, node.input(0), *(node.vector(v) for v in (starts, ends, [1] * len(starts), axes)))


@translates("Slice", 10, 11, 13)
def slice_by_inputs(node: Node) -> Results:
    """Positions beyond the ends are cut; negative ones count from the end."""
    lists = [node.input(1), node.input(2), node.optional(3), node.optional(4)]
    lengths = {shape[0] for v in lists if v is not None and (shape := node.static_shape(v))}
    if len(lengths) == 1:
        # All are of one length, also where it is known of only some.
        count = node.vector(lengths)
        lists = [v if v is None or node.static_shape(v) else node.op(ReshapeOp, v, count) for v in lists]
    starts, ends, axes, steps = lists
    assert starts is not None
    if steps is None:
        one = node.number(1, starts)
        shape = node.static_shape(starts)
        if shape is not None:
            check_dimensions(max(shape, default=1))
            steps = node.constant(np.ones(shape, np.int64))
        else:
            steps = node.op(BroadcastOp, one, node.op(ShapeOfOp, starts))
    return node.op(SliceOp, node.input(0), starts, ends, steps, axes)


@translates("Split", 1, 2, 11, 13, 18)
def split(node: Node) -> Results:
    """Translate Split, which cuts a tensor into parts along an axis.

    The lengths of the parts are an attribute before version 13 and an input since then. Without them, all parts but the
    last have equal lengths.
    """
    data, axis, count = node.input(0), node.int("axis", 0), node.outputs
    at = node.constant(np.array(axis, np.int64))
    lengths: SSAValue | None = None
    if node.version in (1, 13, 18):
        lengths = node.optional(1)
    if node.version < 13 and node.has("split"):
        lengths = node.vector(node.ints("split"))
    if lengths is not None:
        return node.emit(VariadicSplitOp, data, at, lengths, results=count).results
    if node.version < 18:
        return node.emit(SplitOp, data, at, attributes={"num_splits": count}, results=count).results
    if node.int("num_outputs", count) != count:
        raise Error("invalid-onnx", f"num_outputs is {node.int('num_outputs')}, the node has {count} outputs")
    lengths = _chunks(node, data, axis, count)
    return node.emit(VariadicSplitOp, data, at, lengths, results=count).results


def _chunks(node: Node, data: SSAValue, axis: int, count: int) -> SSAValue:
    """Return the lengths of `count` parts of ceil(extent / count).

    If the extent is not divisible, the last parts are shorter or empty.
    """
    shape = node.shape(data)
    if shape is not None and (extent := shape[normalise_axis(axis, len(shape))]) >= 0:
        length = -(-extent // count)
        return node.vector(max(0, min(length, extent - i * length)) for i in range(count))
    position = node.constant(np.array(0, np.int64))
    extent = node.op(GatherOp, node.op(ShapeOfOp, data), node.vector([axis]), position, out_of_range="error")
    length = node.op(DivideOp, node.op(AddOp, extent, node.vector([count - 1])), node.vector([count]))
    begins = node.op(MultiplyOp, length, node.vector(range(count)))
    left = node.op(MaximumOp, node.op(SubtractOp, extent, begins), node.vector([0]))
    return node.op(MinimumOp, left, length)
