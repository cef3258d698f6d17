"""Quantisation, dequantisation and arithmetic of quantised tensors.

Products and convolutions of quantised tensors are computed in exact integer arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import (
    bf16,
    f8e8m0,
    f16,
    f32,
    f64,
    i32,
    is_float,
    is_integer,
    is_storage_integer,
    is_unsigned,
    ui8,
)
from loomir.dialects.onnx.tensors import element_type
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp, RoundOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import SET_SHAPES, Node
from loomir.passes.front.convert_onnx_to_ov.operators.sliding_windows import WindowAttributes, convolve
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

# -- quantising and dequantising


@translates("QuantizeLinear", 10, 13, 19, 21, 23, 24, 25, 28)
def quantize_linear(node: Node) -> Results:
    """Translate QuantizeLinear: round(x / scale) + zero point.

    The result is saturated to the range of the type.
    """
    zero = node.optional(2)
    target = element_type(node.int("output_dtype", 0)) if node.int("output_dtype", 0) else None
    if zero is not None:
        if target is not None and target != node.element(zero):
            raise Error("invalid-onnx", f"output_dtype is {target}, the zero point {node.element(zero)}")
        target = node.element(zero)
    grid = _Grid.of(node, node.input(0), node.input(1))
    scale = grid.parameter(node.input(1))
    precision = element_type(node.int("precision", 0)) if node.int("precision", 0) else node.element(scale)
    if precision == f8e8m0:
        precision = f32
    elif is_integer(precision):
        # The quotient is no integer, and every i32 is a double.
        precision = f64
    quotient = node.op(DivideOp, _to(node, grid.data, precision), _to(node, scale, precision))
    saturate = node.int("saturate", 1) != 0
    return grid.restored(_quantised(node, quotient, grid.optional(zero), target or ui8, saturate))


@translates("DequantizeLinear", 10, 13, 19, 21, 23, 24, 25, 28)
def dequantize_linear(node: Node) -> Results:
    """(x - zero point) * scale, in single precision."""
    grid = _Grid.of(node, node.input(0), node.input(1))
    scale, zero = grid.parameter(node.input(1)), grid.optional(node.optional(2))
    data = _to(node, grid.data, f32)
    if zero is not None and not _is_zero(node, zero):
        data = node.op(SubtractOp, data, _to(node, zero, f32))
    result = node.op(MultiplyOp, data, _to(node, scale, f32))
    target = element_type(node.int("output_dtype", 0)) if node.int("output_dtype", 0) else node.element(scale)
    if not is_float(target):
        raise Error("invalid-onnx", f"the result would be of type {target}: output_dtype is missing")
    return grid.restored(_to(node, result, target))


def _quantised(
    node: Node, real: SSAValue, zero: SSAValue | None, target: Attribute, saturate: bool = True
) -> SSAValue:
    """Round floats, add the zero point, and saturate to the type's range."""
    if is_integer(target) or is_storage_integer(target):
        real = node.op(RoundOp, real)
    if zero is not None and not _is_zero(node, zero):
        # 16 bits of float don't hold the sum.
        wide = f32 if node.element(real) in (f16, bf16) else node.element(real)
        real = node.op(AddOp, _to(node, real, wide), _to(node, zero, wide))
    if is_storage_integer(target):
        least, greatest = _limits(target)
        real = node.op(ClampOp, real, min=least, max=greatest)
    return node.op(ConvertOp, real, destination_type=target, saturate=saturate)


def _limits(element: Attribute) -> tuple[float, float]:
    """The range of an integer type of 2 or 4 bits."""
    span = 1 << element.width.data  # pyright: ignore[reportAttributeAccessIssue]
    return (0.0, float(span - 1)) if is_unsigned(element) else (float(-span // 2), float(span // 2 - 1))


def _to(node: Node, value: SSAValue, element: Attribute) -> SSAValue:
    """A value in another element type."""
    if node.element(value) == element:
        return value
    return node.op(ConvertOp, value, destination_type=element)


def _is_zero(node: Node, value: SSAValue) -> bool:
    known = node.known(value)
    return known is not None and not known.astype(np.float32).any()


@dataclass(frozen=True)
class _Grid:
    """Layout of scales and zero points on a tensor.

    There is one for all elements, one for each index of an axis, or one for each block.

    If blocks divide the axis, it is split in two, and the parameters have the extent 1 on the inner one: nothing is repeated in
    memory.
    """

    node: Node
    given: SSAValue
    data: SSAValue
    axis: int | None = None
    """Axis along which the parameters vary, or None for a single one."""
    block: int = 0
    split: bool = False

    @staticmethod
    def of(node: Node, data: SSAValue, scale: SSAValue) -> _Grid:
        """Build it for a node with the attributes `axis` and `block_size`.

        Errors: `unknown-rank`, `unknown-shape`, `axis-range`, `invalid-onnx`.
        """
        shape = node.shape(scale)
        block = node.int("block_size", 0)
        if shape is None:
            raise Error("unknown-rank", "the rank of the scale is not known")
        if shape == () or (not block and prod(shape) == 1):
            return _Grid(node, data, data)
        rank = node.rank(data)
        if not block:
            if len(shape) != 1:
                raise Error("invalid-onnx", f"a scale of shape {list(shape)} needs a block_size")
            # The only axis of a vector needs not be named.
            axis = 0 if rank == 1 else normalise_axis(node.int("axis", 1), rank)
            return _Grid(node, data, data, axis)
        axis = normalise_axis(node.int("axis", 1), rank)
        extents = node.shape(data)
        assert extents is not None
        if min(shape) < 0:
            raise Error("unknown-shape", f"the scale of blocks has the shape {list(shape)}", hint=SET_SHAPES)
        if len(shape) != rank or block < 0:
            raise Error(
                "invalid-onnx", f"a scale of shape {list(shape)} and blocks of {block} do not fit rank {rank}"
            )
        if shape[axis] * block != extents[axis]:
            if extents[axis] >= 0 and not 0 <= shape[axis] * block - extents[axis] < block:
                raise Error(
                    "invalid-onnx",
                    f"{shape[axis]} blocks of {block} do not fit the extent {extents[axis]} of axis {axis}",
                )
            return _Grid(node, data, data, axis, block)
        behind = extents[axis + 1 :]
        if min(behind, default=0) < 0:
            return _Grid(node, data, data, axis, block)
        if 0 in (shape[axis], *behind):
            # A 0 behind the axis would copy the wrong extent: the data is empty, and all extents are given.
            if min(extents) < 0:
                return _Grid(node, data, data, axis, block)
            target, copied = [*extents[:axis], shape[axis], block, *behind], False
        else:
            # 0 copies an extent, so that those in front may be unknown.
            target, copied = [*([0] * axis), shape[axis], block, *behind], True
        split = node.op(ReshapeOp, data, node.vector(target), special_zero=copied)
        return _Grid(node, data, split, axis, block, split=True)

    def optional(self, value: SSAValue | None) -> SSAValue | None:
        """A zero point where there is one."""
        return None if value is None else self.parameter(value)

    def parameter(self, value: SSAValue) -> SSAValue:
        """A scale or zero point so that it broadcasts to the data."""
        node, shape = self.node, self.node.shape(value)
        if self.axis is None:
            return value if shape == () else node.op(ReshapeOp, value, node.vector([]))
        if not self.block:
            behind = node.rank(self.data) - 1 - self.axis
            return value if not behind else node.op(ReshapeOp, value, node.vector([-1] + [1] * behind))
        assert shape is not None
        inner = [*shape[: self.axis + 1], 1, *shape[self.axis + 1 :]]
        value = node.op(ReshapeOp, value, node.vector(inner))
        if self.split:
            return value
        inner[self.axis + 1] = self.block
        repeated = [*shape[: self.axis], shape[self.axis] * self.block, *shape[self.axis + 1 :]]
        value = node.op(BroadcastOp, value, node.vector(inner))
        value = node.op(ReshapeOp, value, node.vector(repeated))
        at, one = node.vector([self.axis]), node.vector([1])
        extent = node.op(
            SliceOp, node.shape_of(self.data), at, node.vector([self.axis + 1]), one, node.vector([0])
        )
        return node.op(SliceOp, value, node.vector([0]), extent, one, at)

    def restored(self, result: SSAValue) -> SSAValue:
        """A result with the extents of what was given."""
        return self.node.op(ReshapeOp, result, self.node.shape_of(self.given)) if self.split else result


# -- products and convolutions


@translates("MatMulInteger", 10)
def matmul_integer(node: Node) -> Results:
    """Translate MatMulInteger: (A - a_zero_point) · (B - b_zero_point).

    The product wraps around in 32 bits.
    """
    a, zero = node.input(0), node.optional(2)
    zero = None if zero is None else _per_row(node, zero, a)
    return integer_product(node, a, zero, node.input(1), node.optional(3))


@translates("ConvInteger", 10)
def conv_integer(node: Node) -> Results:
    """Translate ConvInteger.

    It is the convolution of x - x_zero_point by w - w_zero_point; padding is x_zero_point, so that it counts as 0.
    """
    return _convolved(node, node.input(0), node.optional(2), node.input(1), node.optional(3), None)


@translates("QLinearMatMul", 10, 21)
def qlinear_matmul(node: Node) -> Results:
    """Translate QLinearMatMul.

    The product is computed in 32-bit integers (for 8-bit floats: in single precision), scaled and quantised.
    """
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = node.inputs()
    product = integer_product(node, a, _per_row(node, a_zero, a), b, b_zero)
    return requantised(node, product, [_per_row(node, a_scale, a), b_scale], y_scale, y_zero)


@translates("QLinearConv", 10)
def qlinear_conv(node: Node) -> Results:
    """The convolution in 32-bit integers with its bias, scaled and quantised."""
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = (node.input(k) for k in range(8))
    total = _convolved(node, x, x_zero, w, w_zero, node.optional(8))
    scale = w_scale if _is_single(node, w_scale) else behind(node, w_scale, node.rank(w) - 2)
    return requantised(node, total, [x_scale, scale], y_scale, y_zero)


def requantised(
    node: Node,
    total: SSAValue,
    scales: Sequence[SSAValue],
    y_scale: SSAValue,
    y_zero: SSAValue | None,
    target: Attribute = ui8,
) -> SSAValue:
    """total · (the product of the scales / y_scale), quantised.

    Of integers in double precision: the product of two scales is exact, and of quotient and product no more than the last bit is wrong,
    so that the result is what exact arithmetic rounds to, but where that is within 2⁻²⁰ of the middle of two integers. Of floats of 8
    bits in single precision.
    """
    element = f64 if is_integer(node.element(total)) else f32
    factor, *others = (_to(node, _single(node, scale), element) for scale in (*scales, y_scale))
    for scale in others[:-1]:
        factor = node.op(MultiplyOp, factor, scale)
    factor = node.op(DivideOp, factor, others[-1])
    real = node.op(MultiplyOp, _to(node, total, element), factor)
    zero = None if y_zero is None else _single(node, y_zero)
    return _quantised(node, real, zero, target if y_zero is None else node.element(y_zero))


def _convolved(
    node: Node,
    data: SSAValue,
    zero: SSAValue | None,
    weights: SSAValue,
    weights_zero: SSAValue | None,
    bias: SSAValue | None,
) -> SSAValue:
    """The convolution of data - zero by weights - weights_zero.

    The data is padded with the zero point before it is widened: what pads 8 bits needs no memory of 32.
    """
    rank = node.rank(weights, "the weights") - 2
    window = WindowAttributes.of(node, rank)
    is_padded = window.auto_pad.startswith("same") or any(window.pads_begin) or any(window.pads_end)
    if any(window.pads_begin) or any(window.pads_end):
        value = node.number(0, data) if zero is None else _single(node, zero)
        begin, end = (node.vector([0, 0, *pads]) for pads in (window.pads_begin, window.pads_end))
        data = node.op(PadOp, data, begin, end, value, pad_mode="constant")
        window = replace(window, pads_begin=[0] * rank, pads_end=[0] * rank)
    filters_zero = None if weights_zero is None else _per_filter(node, weights_zero, weights)
    filters = _narrow(node, weights, filters_zero)
    if filters is None:
        filters = centred(node, weights, filters_zero)
    # (What is padded is left out where it counts as 0, which is cheaper than a bias.)
    offset = None if is_padded else _offset(node, zero, filters, tuple(range(1, rank + 2)))
    if offset is not None:
        zero = None
        bias = node.constant(offset) if bias is None else _sum(node, bias, offset)
    return convolve(node, centred(node, data, zero), filters, bias, window=window)


def integer_product(
    node: Node,
    a: SSAValue,
    a_zero: SSAValue | None,
    b: SSAValue,
    b_zero: SSAValue | None,
    bias: SSAValue | None = None,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> SSAValue:
    """Emit (a − a_zero) · (b − b_zero) + bias in i32.

    For 8-bit floats it is computed in f32.
    """
    narrow, offset = _narrow(node, b, b_zero), None
    if narrow is None:
        right = centred(node, b, b_zero)
    else:
        right = _to(node, narrow, i32)
        if node.rank(b) == 2 and is_integer(node.element(a)):
            offset = _offset(node, a_zero, narrow, 1 if transpose_b else 0)
    left = centred(node, a, None if offset is not None else a_zero)
    product = node.op(MatMulOp, left, right, transpose_a=transpose_a, transpose_b=transpose_b)
    if offset is not None:
        bias = node.constant(offset) if bias is None else _sum(node, bias, offset)
    return product if bias is None else node.op(AddOp, product, bias)


def _offset(
    node: Node, zero: SSAValue | None, weights: SSAValue, axes: int | tuple[int, ...]
) -> np.ndarray | None:
    """Return the correction of a product for an unsubtracted zero point.

    It is the negated excess of the product for each column of the weights (wrapping around), or None if it is unknown or zero.
    """
    value, known = None if zero is None else node.known(zero), node.known(weights)
    if value is None or value.size != 1 or not value.any() or known is None or known.dtype.kind not in "iu":
        return None
    return (-int(value.reshape(-1)[0]) * known.astype(np.int64).sum(axes)).astype(np.int32)


def _sum(node: Node, bias: SSAValue, offset: np.ndarray) -> SSAValue:
    known = node.known(bias)
    if known is not None:
        return node.constant((known.astype(np.int64) + offset).astype(np.int32))
    return node.op(AddOp, bias, node.constant(offset))


def centred(node: Node, value: SSAValue, zero: SSAValue | None) -> SSAValue:
    """value - zero, in i32 (floats of 8 bits in f32)."""
    element = i32 if is_integer(node.element(value)) else f32
    if (narrow := _narrow(node, value, zero)) is not None:
        return _to(node, narrow, element)
    wide = _to(node, value, element)
    if zero is None or _is_zero(node, zero):
        return wide
    return node.op(SubtractOp, wide, _to(node, _single(node, zero), element))


def _narrow(node: Node, value: SSAValue, zero: SSAValue | None) -> SSAValue | None:
    """Return a constant integer value - zero in the fewest bits.

    The result is None if the value is unknown.
    """
    known, offset = node.known(value), np.zeros((), np.int8) if zero is None else node.known(zero)
    if known is None or offset is None or not is_integer(node.element(value)):
        return None
    offset = offset.reshape(()) if offset.size == 1 else offset
    exact = known.astype(np.int32) - offset.astype(np.int32)
    for dtype in (known.dtype, np.dtype(np.int8), np.dtype(np.int16)):
        if np.array_equal(exact.astype(dtype).astype(np.int32), exact):
            return node.constant(exact.astype(dtype))
    return node.constant(exact)


def _is_single(node: Node, value: SSAValue) -> bool:
    shape = node.shape(value)
    return shape is not None and prod(shape) == 1


def _single(node: Node, value: SSAValue) -> SSAValue:
    """Convert a one-element parameter to a scalar.

    Any other parameter is returned unchanged.
    """
    if node.shape(value) == () or not _is_single(node, value):
        return value
    return node.op(ReshapeOp, value, node.vector([]))


def behind(node: Node, value: SSAValue, count: int) -> SSAValue:
    """A vector as the first of 1 + count dimensions."""
    if (known := node.known(value)) is not None:
        return node.constant(known.reshape([-1] + [1] * count))
    return node.op(ReshapeOp, value, node.vector([-1] + [1] * count))


def _per_row(node: Node, value: SSAValue, matrix: SSAValue) -> SSAValue:
    """Shape a parameter of the left operand for broadcasting.

    A vector has an element for each row of the matrix.
    """
    if _is_single(node, value) or node.rank(value, "the zero point or scale") != 1:
        return value
    return behind(node, value, 1) if node.rank(matrix) > 1 else value


def _per_filter(node: Node, value: SSAValue, weights: SSAValue) -> SSAValue:
    """Shape a parameter of weights [M, …] for broadcasting.

    A vector has an element for each output channel.
    """
    if _is_single(node, value):
        return value
    return behind(node, value, node.rank(weights) - 1)
