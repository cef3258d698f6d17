"""Operators that slice, join, gather, scatter, or sort elements.

The families are parts of a tensor (Slice, Split); tensors put together and repeated (Concat, Tile); elements picked by index, and
elements replaced at indices; zeros and ones by position (OneHot, EyeLike, Trilu); and elements picked by value: NonZero, Unique,
TopK, ArgMax, ArgMin.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64, is_integer
from loomir.dialects.onnx.tensors import element_type
from loomir.dialects.ov.facts import check_dimensions
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, RangeOp
from loomir.dialects.ov.operators.comparison import EqualOp, GreaterEqualOp, LessEqualOp, SelectOp
from loomir.dialects.ov.operators.constant import EyeOp, OneHotOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    FloorModOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.gathering import GatherElementsOp, GatherNDOp, GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, TileOp, VariadicSplitOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, UnsqueezeOp
from loomir.dialects.ov.operators.scattering import ScatterElementsUpdateOp, ScatterNDUpdateOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.operators.sorting import ArgMaxOp, NonZeroOp, TopKOp, UniqueOp
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


@translates("Concat", 1, 4, 11, 13)
def concat(node: Node) -> Results:
    """Translate Concat.

    The axis is 1 by default in version 1 and required in later versions.
    """
    return node.op(ConcatOp, node.inputs(), axis=node.int("axis", 1 if node.version == 1 else None))


@translates("Tile", 6, 13)
def tile(node: Node) -> Results:
    """As often as `repeats` says for each dimension."""
    return node.op(TileOp, node.input(0), node.input(1))


@translates("Tile", 1)
def tile_one_axis(node: Node) -> Results:
    """Version 1 repeats along one axis, both numbers being inputs."""
    data = node.input(0)
    tiles, axis = (
        node.op(ConvertOp, node.scalar(node.input(i), what), destination_type=i64)
        for i, what in ((1, "tiles"), (2, "axis"))
    )
    at_axis = node.op(EqualOp, node.vector(range(node.rank(data))), axis)
    return node.op(TileOp, data, node.op(SelectOp, at_axis, tiles, node.constant(np.array(1, np.int64))))


@translates("Gather", 1, 11, 13)
def gather(node: Node) -> Results:
    """Translate Gather.

    An index out of range is an error, unlike in OpenVINO, where it yields zeros.
    """
    axis = node.constant(np.array(node.int("axis", 0), np.int64))
    return node.op(GatherOp, node.input(0), node.input(1), axis, out_of_range="error")


@translates("GatherElements", 11, 13)
def gather_elements(node: Node) -> Results:
    return node.op(GatherElementsOp, node.input(0), node.input(1), axis=node.int("axis", 0))


@translates("GatherND", 11, 12, 13)
def gather_nd(node: Node) -> Results:
    """Version 11 has no batch dimensions."""
    return node.op(GatherNDOp, node.input(0), node.input(1), batch_dims=node.int("batch_dims", 0))


@translates("Compress", 9, 11, 28)
def compress(node: Node) -> Results:
    """Translate Compress: select the slices whose condition is true.

    Without an axis it selects elements of the flattened tensor.
    """
    data, condition = node.input(0), node.input(1)
    axis = node.int("axis", 0)
    if not node.has("axis"):
        data = node.op(ReshapeOp, data, node.vector([-1]))
    known = node.known(condition)
    if known is not None:
        picked = node.constant(np.flatnonzero(known).astype(np.int64))
    else:
        picked = node.op(ReshapeOp, node.op(NonZeroOp, condition), node.vector([-1]))
    at = node.constant(np.array(axis, np.int64))
    return node.op(GatherOp, data, picked, at, out_of_range="error")


_REDUCTIONS = {"none": "none", "add": "sum", "mul": "prod", "max": "max", "min": "min"}


def _reduction(node: Node) -> str:
    name = node.string("reduction", "none")
    if name not in _REDUCTIONS:
        raise Error("attribute-value", f"reduction must be one of {', '.join(_REDUCTIONS)}, not '{name}'")
    return _REDUCTIONS[name]


@translates("Scatter", 9, 11)
@translates("ScatterElements", 11, 13, 16, 18)
def scatter_elements(node: Node) -> Results:
    """Scatter is the old name; reductions came with version 16."""
    axis = node.constant(np.array(node.int("axis", 0), np.int64))
    return node.op(
        ScatterElementsUpdateOp, node.input(0), node.input(1), node.input(2), axis, reduction=_reduction(node)
    )


@translates("ScatterND", 11, 13, 16, 18)
def scatter_nd(node: Node) -> Results:
    return node.op(ScatterNDUpdateOp, node.input(0), node.input(1), node.input(2), reduction=_reduction(node))


@translates("TensorScatter", 24)
def tensor_scatter(node: Node) -> Results:
    """Translate TensorScatter.

    The updates of batch element b go to position `write_indices[b]` and the following ones on the axis, circularly or not.
    """
    cache, update = node.input(0), node.input(1)
    rank = node.rank(cache, "the cache")
    axis = normalise_axis(node.int("axis", -2), rank)
    if axis == 0:
        raise Error("axis-range", "the axis of TensorScatter cannot be the batch dimension")
    mode = node.string("mode", "linear")
    if mode not in ("linear", "circular"):
        raise Error("attribute-value", f"mode must be one of linear, circular, not '{mode}'")
    zero, one, at = (node.constant(np.array(v, np.int64)) for v in (0, 1, axis))
    shape = node.shape_of(update)
    length = node.op(GatherOp, shape, at, zero)
    places = node.op(RangeOp, zero, length, one, output_type=i64)
    first = node.optional(2)
    extent = node.op(GatherOp, node.shape_of(cache), at, zero)
    if first is not None:
        if mode == "circular":
            first = node.op(FloorModOp, first, extent)  # before the sum, which would wrap around
        places = node.op(AddOp, node.op(UnsqueezeOp, first, node.vector([1])), places)
    else:
        places = node.op(UnsqueezeOp, places, node.vector([0]))
    if mode == "circular":
        places = node.op(FloorModOp, places, extent)
    # [batch, sequence] in the dimensions of the update.
    others = [k for k in range(1, rank) if k != axis]
    if others:
        places = node.op(UnsqueezeOp, places, node.vector(others))
    places = node.op(BroadcastOp, places, shape)
    return node.op(ScatterElementsUpdateOp, cache, places, update, at)


def _integers(node: Node, value: SSAValue) -> SSAValue:
    if is_integer(node.element(value)):
        return value
    return node.op(ConvertOp, value, destination_type=i64)


def _extent(node: Node, value: SSAValue, axis: int) -> SSAValue:
    """An extent of a value as `tensor<i64>`."""
    at, first = (node.constant(np.array(v, np.int64)) for v in (axis, 0))
    return node.op(GatherOp, node.shape_of(value), at, first)


@translates("OneHot", 9, 11, 28)
def one_hot(node: Node) -> Results:
    """Translate OneHot.

    Version 9 ignores negative indices; non-integers are converted to i64.
    """
    indices, depth = _integers(node, node.input(0)), _integers(node, node.input(1))
    zero = node.constant(np.array(0, np.int64))
    off, on = (node.op(GatherOp, node.input(2), node.constant(np.array(k, np.int64)), zero) for k in (0, 1))
    mode = "normalize" if node.version >= 11 else "ignore_negative"
    return node.op(OneHotOp, indices, depth, on, off, axis=node.int("axis", -1), negative_indices_mode=mode)


@translates("EyeLike", 9, 22)
def eye_like(node: Node) -> Results:
    x = node.input(0)
    rank = node.rank(x)
    if rank != 2:
        raise Error("operand-rank", f"EyeLike has a matrix as input, not a tensor of rank {rank}")
    wanted = node.int("dtype", 0)
    element = element_type(wanted) if wanted else node.element(x)
    diagonal = node.constant(np.array(node.int("k", 0), np.int64))
    return node.op(EyeOp, _extent(node, x, 0), _extent(node, x, 1), diagonal, output_type=element)


@translates("Trilu", 14)
def trilu(node: Node) -> Results:
    """Elements on one side of the diagonal k: `column >= row + k` (upper), `column <= row + k`."""
    x = node.input(0)
    rank = node.rank(x)
    if rank < 2:
        raise Error("operand-rank", f"Trilu needs at least two dimensions, not {rank}")
    zero, one = (node.constant(np.array(v, np.int64)) for v in (0, 1))
    rows, columns = (_extent(node, x, a) for a in (rank - 2, rank - 1))
    row, column = (node.op(RangeOp, zero, extent, one, output_type=i64) for extent in (rows, columns))
    row = node.op(UnsqueezeOp, row, node.vector([1]))
    k = node.optional(1)
    if k is not None:
        # Diagonals beyond either corner are alike; a sum with the farthest would wrap around.
        k = node.op(MinimumOp, node.op(ReshapeOp, k, node.vector([])), columns)
        row = node.op(AddOp, row, node.op(MaximumOp, k, node.op(NegativeOp, rows)))
    kept = node.op(GreaterEqualOp if node.int("upper", 1) else LessEqualOp, column, row)
    return node.op(SelectOp, kept, x, node.number(0, x))


@translates("NonZero", 9, 13)
def non_zero(node: Node) -> Results:
    """Translate NonZero.

    A scalar has no dimensions: its result has no rows. For ONNX Runtime it is a vector of one element.
    """
    data = node.input(0)
    found = node.op(NonZeroOp, data)
    if node.shape(data) != () or node.reads_as_onnxruntime(
        "a scalar has no dimensions, so its result has no rows, as the specification says; ONNX Runtime returns one"
    ):
        return found
    zero, one = node.vector([0]), node.vector([1])
    return node.op(SliceOp, found, zero, zero, one, zero)


@translates("Unique", 11, 28)
def unique(node: Node) -> Results:
    """Of the flattened tensor where there is no axis."""
    axis = node.constant(np.array(node.int("axis"), np.int64)) if node.has("axis") else None
    sorted_ = bool(node.int("sorted", 1))
    return node.emit(UniqueOp, node.input(0), axis, attributes={"sorted": sorted_}).results


@translates("TopK", 1, 10, 11, 24)
def top_k(node: Node) -> Results:
    """Translate TopK.

    k is an attribute in version 1. Up to version 10, the operator returns the greatest elements, in order.
    """
    k = node.vector([node.int("k")]) if node.version == 1 else node.input(1)
    found = node.emit(
        TopKOp,
        node.input(0),
        k,
        attributes={
            "axis": node.int("axis", -1),
            "mode": "max" if node.int("largest", 1) else "min",
            "sort": "value" if node.int("sorted", 1) else "none",
            "stable": True,
            "index_element_type": i64,
        },
    )
    return found.results


def _arg(node: Node, mode: str) -> Results:
    return node.op(
        ArgMaxOp,
        node.input(0),
        axis=node.int("axis", 0),
        mode=mode,
        keep_dims=bool(node.int("keepdims", 1)),
        select_last_index=bool(node.int("select_last_index", 0)),
    )


@translates("ArgMax", 1, 11, 12, 13)
def arg_max(node: Node) -> Results:
    """Where the greatest element is."""
    return _arg(node, "max")


@translates("ArgMin", 1, 11, 12, 13)
def arg_min(node: Node) -> Results:
    """Where the least element is."""
    return _arg(node, "min")
