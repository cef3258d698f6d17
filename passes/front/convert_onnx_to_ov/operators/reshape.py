"""Operators that change or return the shape, or permute dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.ov.operators.elementwise_binary import DivideOp, MultiplyOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.layout import DepthToSpaceOp, SpaceToDepthOp
from loomir.dialects.ov.operators.reduction import ReduceProdOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.operators.splitting import SplitOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

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
