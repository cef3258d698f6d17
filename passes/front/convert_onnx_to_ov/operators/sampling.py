"""Sampling at places that are data."""

from __future__ import annotations

from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.sampling import DeformableConvolutionOp, GridSampleOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates
from loomir.passes.front.convert_onnx_to_ov.windows import Window

MODES = {
    "bilinear": "bilinear", "linear": "bilinear", "nearest": "nearest", "bicubic": "bicubic", "cubic": "bicubic",
}  # fmt: skip


@translates("GridSample", 16, 20, 22)
def grid_sample(node: Node) -> Results:
    """Translate GridSample.

    Version 20 renamed the modes bilinear and bicubic, and allows any number of spatial axes.
    """
    mode = node.string("mode", "linear")
    if mode not in MODES:
        raise Error("invalid-onnx", f"the mode '{mode}' does not exist")
    return node.op(
        GridSampleOp,
        node.input(0),
        node.input(1),
        mode=MODES[mode],
        padding_mode=node.string("padding_mode", "zeros"),
        align_corners=bool(node.int("align_corners", 0)),
    )


@translates("DeformConv", 19, 22)
def deform_conv(node: Node) -> Results:
    """X, W, offset, B, mask; two spatial axes."""
    rank = node.rank(node.input(1), "the weights") - 2
    window = Window.of(node, rank)
    result = node.op(
        DeformableConvolutionOp,
        node.input(0),
        node.input(2),
        node.input(1),
        node.optional(4),
        group=node.int("group", 1),
        deformable_group=node.int("offset_group", 1),
        bilinear_interpolation_pad=True,
        **window.attributes,
    )
    bias = node.optional(3)
    if bias is None:
        return result
    return node.op(AddOp, result, node.op(ReshapeOp, bias, node.vector([1, -1] + [1] * rank)))
