"""Convolution."""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates
from loomir.passes.front.convert_onnx_to_ov.windows import Window, weights_and_kernel


@translates("Conv", 1, 11, 22)
def conv(node: Node) -> Results:
    """Translate Conv: N-dimensional, with groups and bias.

    X [N, C, …], W [M, C / group, …], B [M].
    """
    return convolve(node, node.input(0), node.input(1), node.optional(2))


def convolve(
    node: Node,
    data: SSAValue,
    weights: SSAValue,
    bias: SSAValue | None = None,
    *,
    window: Window | None = None,
) -> SSAValue:
    """Emit a convolution of these values with a node's attributes.

    The weights are converted to the element type of the data. `window` replaces strides, dilations and pads. Error: `invalid-onnx`.
    """
    _, kernel = weights_and_kernel(node, weights)
    rank = len(kernel)
    window = window or Window.of(node, rank)
    group = node.int("group", 1)
    if group != 1:
        weights = _in_groups(node, weights, group)
    if node.element(weights) != node.element(data):
        weights = node.op(ConvertOp, weights, destination_type=node.element(data))
    operation = ConvolutionOp if group == 1 else GroupConvolutionOp
    result = node.op(operation, data, weights, **window.attributes)
    if bias is None:
        return result
    return node.op(AddOp, result, node.op(ReshapeOp, bias, node.vector([1, -1] + [1] * rank)))


def _in_groups(node: Node, weights: SSAValue, group: int) -> SSAValue:
    """Reshape weights to separate the groups.

    [M, C / group, …] becomes [group, M / group, C / group, …]. Error: `invalid-onnx`.
    """
    shape = node.static_shape(weights)
    if group < 1 or (shape is not None and shape[0] % group):
        raise Error("invalid-onnx", f"{group} groups do not divide the weights of shape {shape}")
    if shape is not None:
        return node.op(ReshapeOp, weights, node.vector([group, shape[0] // group, *shape[1:]]))
    tail = node.op(SliceOp, node.op(ShapeOfOp, weights), *(node.vector([v]) for v in (1, 1 << 31, 1, 0)))
    return node.op(ReshapeOp, weights, node.op(ConcatOp, [node.vector([group, -1]), tail], axis=0))
