"""Constants, identities, changes of shape, Expand, Range and Pad.

Identity, and Dropout at inference, are gone in GRAPH. Changes of shape are operators that change or return the shape, or permute
dimensions or elements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from onnx import TensorProto
from xdsl.ir import SSAValue

from loomir.dialects.element_types import bf16, dtype_of, f16, f32, i64
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, UNBOUNDED_LOW
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp, RangeOp
from loomir.dialects.ov.operators.comparison import EqualOp, SelectOp
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
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp
from loomir.dialects.ov.operators.layout import DepthToSpaceOp, ReverseSequenceOp, SpaceToDepthOp
from loomir.dialects.ov.operators.reduction import ReduceProdOp, ReduceSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import SET_VALUES, Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

VALUE_ATTRIBUTES = (
    "value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings", "sparse_value"
)  # fmt: skip


@translates("Constant", 1, 9, 11, 12, 13, 19, 21, 23, 24, 25)
def constant(node: Node) -> Results:
    """Exactly one of the value attributes."""
    forms = [name for name in VALUE_ATTRIBUTES if node.has(name)]
    if len(forms) != 1:
        raise Error("invalid-onnx", f"a Constant has one value, here are {len(forms)}")
    match forms[0]:
        case "value":
            array = node.tensor("value")
        case "value_float":
            array = np.array(node.float("value_float"), np.float32)
        case "value_floats":
            array = np.array(node.floats("value_floats"), np.float32)
        case "value_int":
            array = np.array(node.int("value_int"), np.int64)
        case "value_string":
            array = np.array(node.string("value_string"), object)
        case "value_strings":
            array = np.array(node.strings("value_strings"), object)
        case "sparse_value":
            array = node.tensor("sparse_value")
        case _:
            array = np.array(node.ints("value_ints"), np.int64)
    return node.constant(array)


@translates("ConstantOfShape", 9, 20, 21, 23, 24, 25)
def constant_of_shape(node: Node) -> Results:
    """One element, by default the float 0, repeated."""
    value = node.tensor("value") if node.has("value") else np.zeros(1, np.float32)
    if value.size != 1:
        raise Error("invalid-onnx", f"the value must have one element, not {value.size}")
    return node.op(BroadcastOp, node.constant(value.reshape(())), node.input(0))


@translates("Identity", 1, 13, 14, 16, 19, 21, 23, 24, 25)
def identity(node: Node) -> Results:
    """The value itself."""
    return node.input(0)


@translates("Dropout", 1, 6, 7, 10, 12, 13, 22)
def dropout(node: Node) -> Results:
    """Nothing at inference; the mask says that every element is kept."""
    data = node.input(0)
    mode = node.optional(2)
    training = node.known(mode) if mode is not None else np.array(False)
    old_training = node.version < 7 and not node.int("is_test", 0)
    if (training is None or training.any() or old_training) and not _drops_nothing(node):
        hint = SET_VALUES if training is None else None
        raise Error("unsupported-attribute", "Dropout in training mode is not supported", hint=hint)
    if not node.is_requested(1):
        return data
    # Before version 12 the mask is not defined at inference; ONNX Runtime gives zeros.
    element = np.bool_ if node.version >= 10 else dtype_of(node.element(data))
    mask = node.constant(np.array(node.version >= 12, element))
    return [data, node.op(BroadcastOp, mask, node.shape_of(data))]


def _drops_nothing(node: Node) -> bool:
    """Return True if the ratio is known to be 0."""
    if node.version < 12:
        return node.float("ratio", 0.5) == 0
    ratio = None if node.optional(1) is None else node.known(node.input(1))
    return ratio is not None and not ratio.any()


SHAPE_VERSIONS = (13, 21, 23, 24, 25)


@translates("Reshape", 1, 5, 13, 14, 19, 21, 23, 24, 25)
def reshape(node: Node) -> Results:
    """Translate Reshape.

    0 copies the input's extent unless `allowzero` is set; -1 is the remaining extent.
    """
    shape = node.vector(node.ints("shape")) if node.version < 5 else node.input(1)
    return node.op(ReshapeOp, node.input(0), shape, special_zero=not node.int("allowzero", 0))


@translates("Flatten", 1, 9, 11, *SHAPE_VERSIONS)
def flatten_operator(node: Node) -> Results:
    """To two dimensions: those before the axis and those from it on."""
    return flatten(node, node.input(0), node.int("axis", 1))


def flatten(node: Node, data: SSAValue, axis: int) -> SSAValue:
    """`[d0·…·d(axis-1), d(axis)·…]`; either product may be empty, hence 1. Error: `axis-range`."""
    shape = node.shape(data)
    if shape is not None and axis != len(shape):
        axis = normalise_axis(axis, len(shape))
    if shape is not None and not any(extent < 0 for extent in shape):
        return node.op(ReshapeOp, data, node.vector([prod(shape[:axis]), prod(shape[axis:])]))
    # A target of -1 would be ambiguous where the other extent is 0: both are computed.
    extents = node.op(ShapeOfOp, data)
    head = _slice(node, extents, 0, axis)
    tail = _slice(node, extents, axis, None)
    target = [node.op(ReduceProdOp, part, node.vector([0]), keep_dims=True) for part in (head, tail)]
    return node.op(ReshapeOp, data, node.op(ConcatOp, target, axis=0))


def _slice(node: Node, vector: SSAValue, start: int, stop: int | None) -> SSAValue:
    """Emit `vector[start:stop]`.

    Positions beyond the ends are clamped, as both ONNX and Slice-8 do.
    """
    last = (1 << 63) - 1 if stop is None else stop
    parameters = [node.vector([v]) for v in (start, last, 1, 0)]
    return node.op(SliceOp, vector, *parameters)


def axes_of(node: Node, since: int) -> SSAValue | None:
    """Return the axes of Squeeze and Unsqueeze.

    They are an attribute before version `since`, an input from it on.
    """
    if node.version >= since:
        return node.optional(1)
    return node.vector(node.ints("axes")) if node.has("axes") else None


@translates("Squeeze", 1, 11, *SHAPE_VERSIONS)
def squeeze(node: Node) -> Results:
    """Translate Squeeze.

    Without axes, every dimension of extent 1 is removed; a dimension in the axes must have extent 1.
    """
    return node.op(SqueezeOp, node.input(0), axes_of(node, 13), strict=True)


@translates("Unsqueeze", 1, 11, *SHAPE_VERSIONS)
def unsqueeze(node: Node) -> Results:
    """New dimensions of extent 1 at these positions of the result."""
    axes = axes_of(node, 13)
    return node.op(UnsqueezeOp, node.input(0), node.input(1) if axes is None else axes)


@translates("Transpose", 1, *SHAPE_VERSIONS)
def transpose(node: Node) -> Results:
    """Translate Transpose.

    Without a permutation the dimensions are reversed, which Transpose-1 of OpenVINO expresses as an empty order.
    """
    data = node.input(0)
    shape = node.shape(data)
    default = [] if shape is None else list(reversed(range(len(shape))))
    return node.op(TransposeOp, data, node.vector(node.ints("perm", default)))


@translates("Shape", 1, 13, 15, 19, 21, 23, 24, 25)
def shape(node: Node) -> Results:
    """Translate Shape.

    From version 15 on it returns the extents from `start` to `end`.
    """
    extents = node.op(ShapeOfOp, node.input(0))
    if not node.int("start", 0) and not node.has("end"):
        return extents
    return _slice(node, extents, node.int("start", 0), node.int("end") if node.has("end") else None)


@translates("Size", 1, 13, 19, 21, 23, 24, 25)
def size(node: Node) -> Results:
    """The number of elements, a scalar."""
    return node.op(ReduceProdOp, node.op(ShapeOfOp, node.input(0)), node.vector([0]), keep_dims=False)


@translates("DepthToSpace", 1, 11, 13, 28)
def depth_to_space(node: Node) -> Results:
    """Translate DepthToSpace: [N, C·b², H, W] → [N, C, H·b, W·b].

    The block is the outer (DCR) or the inner (CRD) part of the depth.
    """
    size, outer = _block(node)
    if node.stays_a_layer and _is_image(node):
        return node.op(DepthToSpaceOp, node.input(0), **_as_attributes(size, outer))
    n, c, h, w = _image(node, node.input(0))
    inner, b = node.op(DivideOp, c, node.vector([size * size])), node.vector([size])
    if outer:
        extents, order = [n, b, b, inner, h, w], [0, 3, 4, 1, 5, 2]
    else:
        extents, order = [n, inner, b, b, h, w], [0, 1, 4, 2, 5, 3]
    parts = node.op(TransposeOp, _shaped(node, node.input(0), extents), node.vector(order))
    return _shaped(node, parts, [n, inner, node.op(MultiplyOp, h, b), node.op(MultiplyOp, w, b)])


@translates("SpaceToDepth", 1, 13, 28)
def space_to_depth(node: Node) -> Results:
    """Translate SpaceToDepth: [N, C, H·b, W·b] → [N, C·b², H, W].

    The block is the outer (DCR) or the inner (CRD) part of the depth.
    """
    size, outer = _block(node)
    if node.stays_a_layer and _is_image(node):
        return node.op(SpaceToDepthOp, node.input(0), **_as_attributes(size, outer))
    n, c, h, w = _image(node, node.input(0))
    b = node.vector([size])
    high, wide = (node.op(DivideOp, extent, b) for extent in (h, w))
    parts = _shaped(node, node.input(0), [n, c, high, b, wide, b])
    parts = node.op(TransposeOp, parts, node.vector([0, 3, 5, 1, 2, 4] if outer else [0, 1, 3, 5, 2, 4]))
    return _shaped(node, parts, [n, node.op(MultiplyOp, c, node.vector([size * size])), high, wide])


def _block(node: Node) -> tuple[int, bool]:
    """Return the block size, and True in mode DCR.

    In that mode, the block is the outer part of the depth.
    """
    size, mode = node.int("blocksize"), node.string("mode", "DCR")
    if size < 1 or mode not in ("DCR", "CRD"):
        raise Error("invalid-onnx", f"there is no block of size {size} in mode '{mode}'")
    return size, mode == "DCR"


def _is_image(node: Node) -> bool:
    """Return True if OpenVINO's operation is surely the same as ONNX's.

    OpenVINO's operation takes any number of spatial dimensions; an input of rank 4 has two, as in ONNX.
    """
    return node.shape(node.input(0)) is not None and node.rank(node.input(0)) == 4


def _as_attributes(size: int, outer: bool) -> Mapping[str, int | str]:
    return {"block_size": size, "mode": "blocks_first" if outer else "depth_first"}


def _image(node: Node, data: SSAValue) -> Sequence[SSAValue]:
    """The four extents of an image, each `tensor<1xi64>`."""
    extents = node.shape_of(data)
    return node.emit(
        SplitOp, extents, node.constant(np.array(0, np.int64)), attributes={"num_splits": 4}, results=4
    ).results


def _shaped(node: Node, data: SSAValue, extents: Sequence[SSAValue]) -> SSAValue:
    return node.op(ReshapeOp, data, node.op(ConcatOp, extents, axis=0))


@translates("ReverseSequence", 10, 28)
def reverse_sequence(node: Node) -> Results:
    axes = {"batch_axis": node.int("batch_axis", 1), "seq_axis": node.int("time_axis", 0)}
    return node.op(ReverseSequenceOp, node.input(0), node.input(1), **axes)


PAD_MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge"}


@translates("Expand", 8, 13)
def expand(node: Node) -> Results:
    """Translate Expand.

    Input and target shape are broadcast against each other: either may have the larger extent.
    """
    return node.op(BroadcastOp, node.input(0), node.input(1), mode="bidirectional")


@translates("Range", 11, 27)
def range_(node: Node) -> Results:
    """Translate Range: max(ceil((limit - start) / delta), 0) numbers.

    16-bit floats are by default computed in f32.
    """
    names = ("start", "limit", "delta")
    bounds = [node.scalar(node.input(i), name) for i, name in enumerate(names)]
    element = node.element(bounds[0])
    if element not in (f16, bf16) or node.int("stash_type", TensorProto.FLOAT) != TensorProto.FLOAT:
        return node.op(RangeOp, *bounds, output_type=element)
    wide = [node.op(ConvertOp, v, destination_type=f32) for v in bounds]
    return node.op(ConvertOp, node.op(RangeOp, *wide, output_type=f32), destination_type=element)


@translates("Pad", 1, 2)
def pad_by_attributes(node: Node) -> Results:
    """Pads and the value as attributes (`paddings` in version 1)."""
    pads = node.ints("paddings" if node.version == 1 else "pads")
    begin, end = node.vector(pads[: len(pads) // 2]), node.vector(pads[len(pads) // 2 :])
    value = node.number(node.float("value", 0.0), node.input(0))
    return _pad(node, begin, end, value)


@translates("Pad", 11, 13, 18, 19, 21, 23, 24, 25)
def pad_by_inputs(node: Node) -> Results:
    """Translate Pad with pads as an input.

    The input has all begins, then all ends; from version 18 on only those of the given axes. Negative pads crop.
    """
    axes = node.optional(3)
    begin, end = node.emit(
        SplitOp, node.input(1), node.constant(np.array(0, np.int64)), attributes={"num_splits": 2}, results=2
    ).results
    if axes is not None:
        begin, end = (_on_all_axes(node, pads, axes) for pads in (begin, end))
    value = node.optional(2)
    if value is None:
        value = node.number(0, node.input(0))
    return _pad(node, begin, end, node.scalar(value, "the value"))


def _pad(node: Node, begin: SSAValue, end: SSAValue, value: SSAValue) -> SSAValue:
    mode = node.string("mode", "constant")
    if mode == "wrap":
        return _wrap(node, begin, end)
    if mode not in PAD_MODES:
        raise Error("invalid-onnx", f"there is no padding mode '{mode}'")
    return node.op(PadOp, node.input(0), begin, end, value, pad_mode=PAD_MODES[mode])


def _wrap(node: Node, begin: SSAValue, end: SSAValue) -> SSAValue:
    """Emit padding that wraps around to the opposite side.

    Axis by axis it takes the elements begin … n + end - 1, counted modulo n.
    """
    data = node.input(0)
    zero, one = (node.constant(np.array(v, np.int64)) for v in (0, 1))
    for axis in range(node.rank(data)):
        position = node.constant(np.array(axis, np.int64))
        low, high, extent = (node.op(GatherOp, v, position, zero) for v in (begin, end, node.shape_of(data)))
        count = _sum(node, _sum(node, low, high), extent)
        positions = node.op(
            SubtractOp, node.op(RangeOp, zero, count, one, output_type=i64), node.op(FloorModOp, low, extent)
        )
        data = node.op(GatherOp, data, node.op(FloorModOp, positions, extent), position)
    return data


def _sum(node: Node, a: SSAValue, b: SSAValue) -> SSAValue:
    """Emit `a + b`, saturated to 64 bits.

    A result beyond 64 bits is replaced by the end of the range: below 0 there are no elements, and above no buffer has so many.
    """
    zero, least, most = (node.constant(np.array(v, np.int64)) for v in (0, UNBOUNDED_LOW, UNBOUNDED_HIGH))
    above = node.op(SubtractOp, most, node.op(MaximumOp, b, zero))
    below = node.op(SubtractOp, least, node.op(MinimumOp, b, zero))
    return node.op(AddOp, node.op(MaximumOp, node.op(MinimumOp, a, above), below), b)


def _on_all_axes(node: Node, pads: SSAValue, axes: SSAValue) -> SSAValue:
    """Expand the pads of some axes to pads of all axes.

    The other axes are padded by 0. Errors: `unknown-rank`, `axis-range`, `invalid-onnx`.
    """
    rank = node.rank(node.input(0))
    known = node.known(axes)
    if known is None:
        # One row for each axis of the data, in which the given axis that it is, if any, selects its pad.
        rows = node.constant(np.arange(rank, dtype=np.int64).reshape(rank, 1))
        columns = node.op(FloorModOp, node.op(ConvertOp, axes, destination_type=i64), node.vector([rank]))
        chosen = node.op(SelectOp, node.op(EqualOp, rows, columns), pads, node.vector([0]))
        return node.op(ReduceSumOp, chosen, node.vector([1]), keep_dims=False)
    listed = [normalise_axis(int(axis), rank) for axis in known.reshape(-1)]
    if len(set(listed)) != len(listed):
        raise Error("invalid-onnx", f"an axis occurs twice in {listed}")
    zero = node.constant(np.zeros(1, np.int64))
    with_zero = node.op(ConcatOp, [pads, zero], axis=0)
    positions = [listed.index(axis) if axis in listed else len(listed) for axis in range(rank)]
    return node.op(GatherOp, with_zero, node.vector(positions), node.constant(np.array(0, np.int64)))
