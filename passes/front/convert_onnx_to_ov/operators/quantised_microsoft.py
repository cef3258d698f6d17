"""Quantised operators of the domain `com.microsoft`.

ONNX Runtime's quantiser generates them beside ONNX's own.

Most are an operator of ONNX between a DequantizeLinear for each tensor and a QuantizeLinear for the result. Source:
ContribOperators.md of ONNX Runtime 1.20. An omitted zero point is 0, and the result has the type of the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.ir import SSAValue

from loomir.dialects.element_types import f32, ui8
from loomir.dialects.ov.operators.comparison import EqualOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import RoundOp
from loomir.dialects.ov.operators.reduction import ReduceMaxOp, ReduceMinOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, TransposeOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.operators.quantisation import (
    behind,
    dequantize_linear,
    integer_product,
    quantize_linear,
    requantised,
)
from loomir.passes.front.convert_onnx_to_ov.registry import Results, find_translator, translates

MICROSOFT = "com.microsoft"

_translates = partial(translates, domain=MICROSOFT)

_translates("QuantizeLinear", 1)(quantize_linear)
_translates("DequantizeLinear", 1)(dequantize_linear)


def _dequantised(node: Node, place: int) -> SSAValue:
    """Dequantise the tensor in the inputs from `place` on.

    The inputs are its integers, scale and zero point.
    """
    given = [node.input(place), node.input(place + 1), node.optional(place + 2)]
    return _only(dequantize_linear(node.as_node("DequantizeLinear", 13, given)))


def _quantised(node: Node, real: SSAValue, place: int, like: SSAValue) -> SSAValue:
    """Quantise a result by the inputs from `place` on.

    The inputs are its scale and zero point.
    """
    zero = node.optional(place + 1)
    if zero is None:
        zero = node.number(0, like)
    given = [real, node.input(place), zero]
    return _only(quantize_linear(node.as_node("QuantizeLinear", 13, given)))


def _only(results: Results) -> SSAValue:
    value = results if isinstance(results, SSAValue) else results[0]
    assert value is not None
    return value


def _as_onnx(
    node: Node, operator: str, version: int, inputs: Sequence[SSAValue | None], *attributes: str
) -> SSAValue:
    """Emit the translation of an ONNX operator for these inputs."""
    translator = find_translator(operator, version)
    assert translator is not None, f"{operator}-{version}"
    return _only(translator(node.as_node(operator, version, inputs, *attributes)))


@_translates("QLinearAdd", 1)
@_translates("QLinearMul", 1)
def binary(node: Node) -> Results:
    """Translate QLinearAdd or QLinearMul.

    Inputs: A, its scale and zero point, B, its scale and zero point, those of the result.
    """
    operator = "Add" if node.operator == "QLinearAdd" else "Mul"
    real = _as_onnx(node, operator, 14, [_dequantised(node, 0), _dequantised(node, 3)])
    return _quantised(node, real, 6, node.input(0))


@_translates("QLinearSigmoid", 1)
@_translates("QLinearLeakyRelu", 1)
def unary(node: Node) -> Results:
    """X, its scale and zero point, those of the result."""
    operator, version = ("Sigmoid", 13) if node.operator == "QLinearSigmoid" else ("LeakyRelu", 16)
    real = _as_onnx(node, operator, version, [_dequantised(node, 0)], "alpha")
    return _quantised(node, real, 3, node.input(0))


@_translates("QLinearSoftmax", 1)
def softmax(node: Node) -> Results:
    """Softmax of the version that the opset `opset` has."""
    opset = node.int("opset")
    version = max((v for v in (1, 11, 13) if v <= opset), default=1)
    real = _as_onnx(node, "Softmax", version, [_dequantised(node, 0)], "axis")
    return _quantised(node, real, 3, node.input(0))


@_translates("QLinearReduceMean", 1)
def reduce_mean(node: Node) -> Results:
    """Means over the axes that an attribute names."""
    real = _as_onnx(node, "ReduceMean", 13, [_dequantised(node, 0)], "axes", "keepdims")
    return _quantised(node, real, 3, node.input(0))


_WINDOW = ("auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides")


@_translates("QLinearAveragePool", 1)
@_translates("QLinearGlobalAveragePool", 1)
def average_pool(node: Node) -> Results:
    """Translate average pooling over windows or over all pixels.

    With `channels_last` the channels are the last axis.
    """
    operator = node.operator.removeprefix("QLinear")
    data = _dequantised(node, 0)
    last = bool(node.int("channels_last", 0))
    rank = node.rank(data)
    if last:
        data = _transposed(node, data, [0, rank - 1, *range(1, rank - 1)])
    version = 19 if operator == "AveragePool" else 1
    real = _as_onnx(node, operator, version, [data], *_WINDOW)
    if last:
        real = _transposed(node, real, [0, *range(2, rank), 1])
    return _quantised(node, real, 3, node.input(0))


def _transposed(node: Node, value: SSAValue, order: Sequence[int]) -> SSAValue:
    return node.op(TransposeOp, value, node.vector(order))


@_translates("QLinearConcat", 1)
def concat(node: Node) -> Results:
    """Translate the quantised Concat.

    Inputs: scale and zero point of the result, then each tensor with its own.
    """
    if len(node) < 5 or (len(node) - 2) % 3:
        raise Error("invalid-onnx", f"{len(node)} inputs: expected two, and three for each tensor")
    parts = [_dequantised(node, place) for place in range(2, len(node), 3)]
    return _quantised(node, _as_onnx(node, "Concat", 13, parts, "axis"), 0, node.input(2))


@_translates("QLinearWhere", 1)
def where(node: Node) -> Results:
    """Translate the quantised Where.

    Inputs: a condition, two tensors with scale and zero point, those of the result.
    """
    real = _as_onnx(node, "Where", 16, [node.input(0), _dequantised(node, 1), _dequantised(node, 4)])
    return _quantised(node, real, 7, node.input(1))


@_translates("QGemm", 1)
def gemm(node: Node) -> Results:
    """Translate the quantised Gemm: alpha · A' · B' + C.

    It is computed in 32-bit integers and requantised; without a scale of the result it is returned in floats. C is in steps of the
    product.
    """
    a, a_scale, b, b_scale = (node.input(place) for place in (0, 1, 3, 4))
    turned = {f"transpose_{side.lower()}": bool(node.int(f"trans{side}", 0)) for side in "AB"}
    total = integer_product(node, a, node.optional(2), b, _of_columns(node, 5), node.optional(6), **turned)
    scales, alpha = [a_scale, b_scale], node.float("alpha", 1.0)
    if alpha != 1.0:
        scales.append(node.number(alpha, a_scale))
    y_scale = node.optional(7)
    if y_scale is not None:
        return requantised(node, total, scales, y_scale, node.optional(8), node.element(a))
    return _scaled(node, total, scales)


def _of_columns(node: Node, place: int) -> SSAValue | None:
    """The zero points of B's columns, which are its rows with `transB`."""
    zero = node.optional(place)
    if zero is None or not node.int("transB", 0) or node.shape(zero) in ((), (1,)):
        return zero
    return behind(node, zero, 1)


@_translates("MatMulIntegerToFloat", 1)
def matmul_integer_to_float(node: Node) -> Results:
    """A · B in 32-bit integers, times both scales, plus a bias."""
    a_zero, b_zero = node.optional(4), node.optional(5)
    total = integer_product(node, node.input(0), a_zero, node.input(1), b_zero)
    real = _scaled(node, total, [node.input(2), node.input(3)])
    bias = node.optional(6)
    return real if bias is None else node.op(AddOp, real, bias)


@_translates("DynamicQuantizeMatMul", 1)
def dynamic_quantize_matmul(node: Node) -> Results:
    """Translate the product of a dynamically quantised A and integers B.

    A is quantised to u8 by its least and greatest number; the product is in floats, plus a bias.
    """
    data, scale, zero = _quantised_by_range(node, node.input(0))
    total = integer_product(node, data, zero, node.input(1), node.optional(3))
    real, bias = _scaled(node, total, [scale, node.input(2)]), node.optional(4)
    return real if bias is None else node.op(AddOp, real, bias)


def _quantised_by_range(node: Node, real: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """Quantise as ONNX's DynamicQuantizeLinear does.

    Returns the integers, scale and zero point. If all numbers are zero, the scale is 1.
    """
    flat, zero = node.op(ReshapeOp, real, node.vector([-1])), node.number(0, real)
    axes = node.vector([0])
    least = node.op(MinimumOp, node.op(ReduceMinOp, flat, axes, keep_dims=False), zero)
    most = node.op(MaximumOp, node.op(ReduceMaxOp, flat, axes, keep_dims=False), zero)
    span = node.op(SubtractOp, most, least)
    scale = node.op(DivideOp, span, node.number(255, real))
    scale = node.op(SelectOp, node.op(EqualOp, span, zero), node.number(1, real), scale)
    place = node.op(DivideOp, node.op(SubtractOp, zero, least), scale)
    place = node.op(ConvertOp, node.op(RoundOp, place), destination_type=ui8)
    given = [real, scale, place]
    return _only(quantize_linear(node.as_node("QuantizeLinear", 13, given))), scale, place


def _scaled(node: Node, total: SSAValue, scales: Sequence[SSAValue]) -> SSAValue:
    """A sum of integers in floats."""
    factor = scales[0]
    for scale in scales[1:]:
        factor = node.op(MultiplyOp, factor, scale)
    return node.op(MultiplyOp, node.op(ConvertOp, total, destination_type=f32), factor)
