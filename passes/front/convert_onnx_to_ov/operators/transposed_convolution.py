"""Transposed convolution."""

from __future__ import annotations

from loomir.dialects.ov.base import AttrValue
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.transposed_convolution import (
    ConvolutionBackpropDataOp,
    GroupConvolutionBackpropDataOp,
)
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import SET_SHAPES, Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates
from loomir.passes.front.convert_onnx_to_ov.windows import Window, weights_and_kernel


@translates("ConvTranspose", 1, 11, 22)
def conv_transpose(node: Node) -> Results:
    """X [N, C, …], W [C, M / group, …], B [M].

    With `output_shape`, or auto_pad SAME (the extents are `extent * stride` then), the padding follows from the
    extents of the result. Its larger half is at the end for SAME_UPPER and else at the beginning: the other way
    round than OpenVINO's names say. More than the kernel reaches is zeros at the end (ONNX Runtime).
    """
    data, weights, bias = node.input(0), node.input(1), node.optional(2)
    shape, kernel = weights_and_kernel(node, weights)
    rank = len(kernel)
    window = Window.of(node, rank)
    padding = node.ints("output_padding", [0] * rank)
    given = node.ints("output_shape", [])
    if len(padding) != rank or len(given) not in (0, rank, rank + 2):
        raise Error("invalid-onnx", f"output_padding or output_shape do not fit {rank} spatial dimensions")
    attributes: dict[str, AttrValue] = {**window.attributes, "output_padding": padding}
    # OpenVINO's same_upper has the larger half at the beginning, its same_lower at the end.
    auto_pad = "same_lower" if window.auto_pad == "same_upper" else "same_upper"
    target = None
    if given:
        # Some exporters write all extents, those of batch and channels too.
        target = node.vector(given[-rank:])
        attributes["auto_pad"] = auto_pad
    elif window.auto_pad in ("same_upper", "same_lower"):
        if min(kernel) < 1:
            raise Error("unknown-shape", f"the kernel is {kernel}", hint=SET_SHAPES)
        attributes.update(_same(window, kernel, padding))
    group = node.int("group", 1)
    if group == 1:
        result = node.op(ConvolutionBackpropDataOp, data, weights, target, **attributes)
    else:
        # Only the first dimension is split: one that is not known is what is left.
        if shape[0] < 0 or sum(e < 0 for e in shape[1:]) > 1:
            raise Error(
                "unknown-shape",
                f"the weights of a grouped convolution have the shape {list(shape)}",
                hint=SET_SHAPES,
            )
        if group < 1 or shape[0] % group:
            raise Error("invalid-onnx", f"{group} groups do not divide the weights of shape {list(shape)}")
        split = node.vector([group, shape[0] // group, *shape[1:]])
        parts = node.op(ReshapeOp, weights, split)
        result = node.op(GroupConvolutionBackpropDataOp, data, parts, target, **attributes)
    if bias is None:
        return result
    return node.op(AddOp, result, node.op(ReshapeOp, bias, node.vector([1, -1] + [1] * rank)))


def _same(window: Window, kernel: list[int], padding: list[int]) -> dict[str, AttrValue]:
    """Return explicit pads that make every extent `extent * stride`.

    A negative pad at the end adds zeros.
    """
    begins: list[int] = []
    ends: list[int] = []
    for extent, stride, dilation, extra in zip(kernel, window.strides, window.dilations, padding):
        total = (extent - 1) * dilation + 1 + extra - stride
        half = max(0, total) // 2
        begin = half if window.auto_pad == "same_upper" else max(0, total) - half
        begins.append(begin)
        ends.append(total - begin)
    return {"pads_begin": begins, "pads_end": ends, "auto_pad": "explicit"}
