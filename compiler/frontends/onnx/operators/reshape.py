"""Operators that change the shape or the order of dimensions, and that ask for the shape."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.ov.joining import ConcatOp
from loomir.dialects.ov.reduction import ReduceProdOp
from loomir.dialects.ov.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.slicing import SliceOp

SHAPE_VERSIONS = (13, 21, 23, 24, 25)


@translates("Reshape", 1, 5, 13, 14, 19, 21, 23, 24, 25)
def reshape(node: Node) -> Results:
    """0 copies the input's extent unless `allowzero` is set; -1 is what is left."""
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
        axis = node.axis(axis, len(shape))
    if shape is not None and not any(extent < 0 for extent in shape):
        return node.op(ReshapeOp, data, node.vector([prod(shape[:axis]), prod(shape[axis:])]))
    # A target of -1 would be ambiguous where the other extent is 0: both are computed.
    extents = node.op(ShapeOfOp, data)
    head = _slice(node, extents, 0, axis)
    tail = _slice(node, extents, axis, None)
    target = [node.op(ReduceProdOp, part, node.vector([0]), keep_dims=True) for part in (head, tail)]
    return node.op(ReshapeOp, data, node.op(ConcatOp, target, axis=0))


def _slice(node: Node, vector: SSAValue, start: int, stop: int | None) -> SSAValue:
    """`vector[start:stop]`, where positions beyond the ends are cut, as ONNX and Slice-8 both do."""
    last = (1 << 63) - 1 if stop is None else stop
    parameters = [node.vector([v]) for v in (start, last, 1, 0)]
    return node.op(SliceOp, vector, *parameters)


def axes_of(node: Node, since: int) -> SSAValue | None:
    """The axes of Squeeze and Unsqueeze: an attribute before version `since`, an input from it on."""
    if node.version >= since:
        return node.optional(1)
    return node.vector(node.ints("axes")) if node.has("axes") else None


@translates("Squeeze", 1, 11, *SHAPE_VERSIONS)
def squeeze(node: Node) -> Results:
    """Without axes, every dimension of extent 1 goes."""
    return node.op(SqueezeOp, node.input(0), axes_of(node, 13))


@translates("Unsqueeze", 1, 11, *SHAPE_VERSIONS)
def unsqueeze(node: Node) -> Results:
    """New dimensions of extent 1 at these positions of the result."""
    axes = axes_of(node, 13)
    return node.op(UnsqueezeOp, node.input(0), node.input(1) if axes is None else axes)


@translates("Transpose", 1, *SHAPE_VERSIONS)
def transpose(node: Node) -> Results:
    """Without a permutation the dimensions are reversed, which Transpose-1 of OpenVINO spells as an empty order."""
    data = node.input(0)
    shape = node.shape(data)
    default = [] if shape is None else list(reversed(range(len(shape))))
    return node.op(TransposeOp, data, node.vector(node.ints("perm", default)))


@translates("Shape", 1, 13, 15, 19, 21, 23, 24, 25)
def shape(node: Node) -> Results:
    """The extents, or from version 15 on the part from `start` to `end`."""
    extents = node.op(ShapeOfOp, node.input(0))
    if not node.int("start", 0) and not node.has("end"):
        return extents
    return _slice(node, extents, node.int("start", 0), node.int("end") if node.has("end") else None)


@translates("Size", 1, 13, 19, 21, 23, 24, 25)
def size(node: Node) -> Results:
    """The number of elements, a scalar."""
    return node.op(ReduceProdOp, node.op(ShapeOfOp, node.input(0)), node.vector([0]), keep_dims=False)
