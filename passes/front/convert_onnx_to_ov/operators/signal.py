"""Fourier transforms."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.comparison import LessOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.failure import RequireOp
from loomir.dialects.ov.operators.fourier import DFTOp, IDFTOp, IRDFTOp, RDFTOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import SET_SHAPES, Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


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
