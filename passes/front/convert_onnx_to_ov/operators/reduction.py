"""Reductions, cumulative operators, matrix products and Fourier transforms.

Cumulative operators are sums and products up to each element; Einsum is Einstein's summation convention.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import f64, i1, i64, is_float
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.comparison import LessOp, SelectOp
from loomir.dialects.ov.operators.contraction import DFTOp, EinsumOp, IDFTOp, IRDFTOp, MatMulOp, RDFTOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import AbsOp, ExpOp, LogOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.internal import RequireOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reduction import (
    CumProdOp,
    CumSumOp,
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogicalAndOp,
    ReduceLogicalOrOp,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import SET_SHAPES, Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

BEFORE_AXES_INPUT = (1, 11, 13)


def _axes(node: Node, data: SSAValue) -> SSAValue | None:
    """Return the axes to reduce, or None to reduce none.

    They are an attribute, or an input from version 18 on (13 for ReduceSum).

    Without axes all are reduced, or with `noop_with_empty_axes` none.
    """
    as_input = node.version >= (13 if node.operator == "ReduceSum" else 18)
    given = node.optional(1) if as_input else None
    if not as_input and node.has("axes"):
        given = node.vector(node.ints("axes"))
    noop = bool(node.int("noop_with_empty_axes", 0))
    count = (0,) if given is None else node.fact(given).static
    if given is None or count == (0,):
        return None if noop else _all_axes(node, data)
    return given if noop or count is not None else _or_all(node, given, _all_axes(node, data))


def _all_axes(node: Node, data: SSAValue) -> SSAValue:
    shape = node.shape(data)
    if shape is not None:
        return node.vector(range(len(shape)))
    rank = node.op(ReshapeOp, node.op(ShapeOfOp, node.op(ShapeOfOp, data)), node.vector([]))
    zero, one = (node.constant(np.array(v, np.int64)) for v in (0, 1))
    return node.op(RangeOp, zero, rank, one, output_type=node.element(rank))


def _or_all(node: Node, axes: SSAValue, every: SSAValue) -> SSAValue:
    """The axes, how many is not known; all where there are none."""
    zero, count = node.vector([0]), node.shape_of(axes)
    end = node.op(SelectOp, node.op(LessOp, zero, count), count, node.shape_of(every))
    return node.op(SliceOp, node.op(ConcatOp, [axes, every], axis=0), zero, end, node.vector([1]))


def _reduce(node: Node, op_class: type[OvOperation], data: SSAValue) -> SSAValue:
    axes = _axes(node, data)
    count = (0,) if axes is None else node.fact(axes).static
    if count in (None, (0,)) and op_class in (ReduceL1Op, ReduceL2Op):
        # Where no axis is reduced (a scalar has none), each element is on its own: only the norms change it.
        data = node.op(AbsOp, data)
    return (
        data
        if axes is None or count == (0,)
        else node.op(op_class, data, axes, keep_dims=bool(node.int("keepdims", 1)))
    )


def _real(node: Node, value: SSAValue) -> SSAValue:
    """Convert integers to doubles, in which logarithms are computed.

    The result is rounded towards zero.
    """
    return value if is_float(node.element(value)) else node.op(ConvertOp, value, destination_type=f64)


def _as(node: Node, value: SSAValue, like: SSAValue) -> SSAValue:
    element = node.element(like)
    return value if node.element(value) == element else node.op(ConvertOp, value, destination_type=element)


def _reduction(
    operator: str, op_class: type[OvOperation], *versions: int, logical: type[OvOperation] | None = None
) -> None:
    @translates(operator, *versions)
    def translate(node: Node) -> Results:
        data = node.input(0)
        if node.element(data) == i1 and logical is not None:
            return _reduce(node, logical, data)
        return _reduce(node, op_class, data)


_reduction("ReduceSum", ReduceSumOp, *BEFORE_AXES_INPUT)
_reduction("ReduceMean", ReduceMeanOp, *BEFORE_AXES_INPUT, 18)
_reduction("ReduceProd", ReduceProdOp, *BEFORE_AXES_INPUT, 18)
_reduction("ReduceL1", ReduceL1Op, *BEFORE_AXES_INPUT, 18)
_reduction("ReduceL2", ReduceL2Op, *BEFORE_AXES_INPUT, 18)
_reduction("ReduceMax", ReduceMaxOp, *BEFORE_AXES_INPUT, 12, 18, 20, logical=ReduceLogicalOrOp)
_reduction("ReduceMin", ReduceMinOp, *BEFORE_AXES_INPUT, 12, 18, 20, logical=ReduceLogicalAndOp)


@translates("ReduceSumSquare", *BEFORE_AXES_INPUT, 18)
def reduce_sum_square(node: Node) -> Results:
    """sum(x²)."""
    x = node.input(0)
    return _reduce(node, ReduceSumOp, node.op(MultiplyOp, x, x))


@translates("ReduceLogSum", *BEFORE_AXES_INPUT, 18, 28)
def reduce_log_sum(node: Node) -> Results:
    """log(sum(x))."""
    x = node.input(0)
    return _as(node, node.op(LogOp, _real(node, _reduce(node, ReduceSumOp, x))), x)


@translates("ReduceLogSumExp", *BEFORE_AXES_INPUT, 18, 28)
def reduce_log_sum_exp(node: Node) -> Results:
    """Translate ReduceLogSumExp without overflow.

    It computes m + log(sum(exp(x - m))) with m = max(x), or 0 where that is infinite.
    """
    given = node.input(0)
    axes = _axes(node, given)
    if axes is None:
        return given
    x = _real(node, given)
    largest = node.op(ReduceMaxOp, x, axes, keep_dims=True)
    finite = node.op(LessOp, node.op(AbsOp, largest), node.number(float("inf"), x))
    shift = node.op(SelectOp, finite, largest, node.number(0, x))
    keep = bool(node.int("keepdims", 1))
    total = node.op(ReduceSumOp, node.op(ExpOp, node.op(SubtractOp, x, shift)), axes, keep_dims=keep)
    if not keep:
        shift = node.op(ReduceMaxOp, shift, axes, keep_dims=False)
    return _as(node, node.op(AddOp, node.op(LogOp, total), shift), given)


def _cumulative(node: Node, op_class: type[OvOperation]) -> Results:
    flags = {name: bool(node.int(name, 0)) for name in ("exclusive", "reverse")}
    return node.op(op_class, node.input(0), node.input(1), **flags)


@translates("CumSum", 11, 14)
def cum_sum(node: Node) -> Results:
    return _cumulative(node, CumSumOp)


@translates("CumProd", 26)
def cum_prod(node: Node) -> Results:
    return _cumulative(node, CumProdOp)


@translates("MatMul", 1, 9, 13)
def matmul(node: Node) -> Results:
    """Translate MatMul, with numpy's semantics.

    Leading dimensions are broadcast; vectors are rows on the left and columns on the right.
    """
    return node.op(MatMulOp, node.input(0), node.input(1))


@translates("Gemm", 1, 6, 7, 9, 11, 13)
def gemm(node: Node) -> Results:
    """alpha·A'·B' + beta·C, where C is broadcast."""
    alpha, beta, c = node.float("alpha", 1.0), node.float("beta", 1.0), node.optional(2)
    result = node.op(
        MatMulOp,
        node.input(0),
        node.input(1),
        transpose_a=bool(node.int("transA", 0)),
        transpose_b=bool(node.int("transB", 0)),
    )
    if alpha != 1.0:
        result = node.op(MultiplyOp, result, node.number(alpha, result))
    if c is None or beta == 0.0:
        return result
    if beta != 1.0:
        c = node.op(MultiplyOp, c, node.number(beta, c))
    return node.op(AddOp, result, c)


@translates("Einsum", 12, 28)
def einsum(node: Node) -> Results:
    return node.op(EinsumOp, node.inputs(), equation=node.string("equation"))


@translates("DFT", 17, 20)
def dft(node: Node) -> Results:
    """Translate DFT along one axis, of real or complex numbers.

    The last extent is 1 for real and 2 for complex numbers.
    """
    axis = node.constant(np.array(node.int("axis", 1) if node.version == 17 else -2))
    if node.version > 17:
        axis = node.optional(2) or axis
    inverse, half = (bool(node.int(name, 0)) for name in ("inverse", "onesided"))
    return _transform(node, node.input(0), axis, node.optional(1), inverse=inverse, half=half)


def _transform(
    node: Node, x: SSAValue, axis: SSAValue, length: SSAValue | None, *, inverse: bool, half: bool
) -> SSAValue:
    parts = (node.shape(x) or (-1,))[-1]
    if parts not in (1, 2):
        raise Error(
            "fourier-parts", "it is not known whether the numbers are real or complex", hint=SET_SHAPES
        )
    axes = _of_signal(node, axis, node.rank(x))
    size = None if length is None else _vector(node, length)
    if half and inverse:
        value = node.op(IRDFTOp, _pairs(node, x, parts), axes, size)
        return node.op(UnsqueezeOp, value, node.vector([-1]))
    if half:
        if parts == 2:
            raise Error("invalid-onnx", "onesided needs real numbers")
        return node.op(RDFTOp, node.op(SqueezeOp, x, node.vector([-1])), axes, size)
    return node.op(IDFTOp if inverse else DFTOp, _pairs(node, x, parts), axes, size)


def _of_signal(node: Node, axis: SSAValue, rank: int) -> SSAValue:
    """Return the axis, counted from the front, among the signal's dimensions.

    The result is a vector. Error: `axis-range`.
    """
    known = node.known(axis)
    if known is not None:
        place = normalise_axis(int(known.item()), rank)
        if place == rank - 1:
            raise Error("axis-range", "the last dimension, that of complex numbers, cannot be transformed")
        return node.vector([place])
    axis, zero, beyond = _vector(node, axis), node.vector([0]), node.vector([rank])
    place = node.op(SelectOp, node.op(LessOp, axis, zero), node.op(AddOp, axis, beyond), axis)
    # What is no axis of x must be none of the signal, whose last one is -1.
    return node.op(SelectOp, node.op(LessOp, place, zero), beyond, place)


def _pairs(node: Node, x: SSAValue, parts: int) -> SSAValue:
    """Real numbers with zeros as imaginary parts."""
    if parts == 2:
        return x
    return node.op(ConcatOp, [x, node.op(MultiplyOp, x, node.number(0, x))], axis=-1)


def _vector(node: Node, value: SSAValue) -> SSAValue:
    """A scalar as an i64 vector of one element."""
    if node.element(value) != i64:
        value = node.op(ConvertOp, value, destination_type=i64)
    return node.op(ReshapeOp, value, node.vector([1]))


@translates("STFT", 17)
def stft(node: Node) -> Results:
    """The transforms of frames that begin every `frame_step` elements, times a window."""
    signal, window, given = node.input(0), node.optional(2), node.optional(3)
    zero, one = (node.constant(np.array(v, np.int64)) for v in (0, 1))
    total = node.op(GatherOp, node.shape_of(signal), one, zero)
    if given is None:
        given = total if window is None else node.op(GatherOp, node.shape_of(window), zero, zero)
    step, length = (node.op(ReshapeOp, _vector(node, v), node.vector([])) for v in (node.input(1), given))
    frames = node.op(AddOp, node.op(DivideOp, node.op(SubtractOp, total, length), step), one)
    starts = node.op(MultiplyOp, node.op(RangeOp, zero, frames, one, output_type=i64), step)
    inside = node.op(RangeOp, zero, length, one, output_type=i64)
    places = node.op(AddOp, node.op(UnsqueezeOp, starts, node.vector([1])), inside)
    # [batch, frames, length, 1 or 2]
    value = node.op(GatherOp, signal, places, one)
    if window is not None:
        value = node.op(MultiplyOp, value, node.op(UnsqueezeOp, window, node.vector([1])))
    real = (node.shape(value) or (-1,))[-1] == 1
    half = real and bool(node.int("onesided", 1))
    result = _transform(node, value, node.constant(np.array(-2)), None, inverse=False, half=half)
    for number, what in ((step, "frame_step"), (length, "frame_length")):
        known = node.known(number)
        if known is None:
            # Asked of the result: the extents follow from the numbers whether or not they are right.
            positive = node.op(LessOp, zero, number)
            result = node.op(RequireOp, result, positive, kind="shape", reason=f"{what} is not positive")
        elif known < 1:
            raise Error("fourier-parts", f"{what} is {known}, not positive")
    return result
