"""Fourier transforms."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.fourier import DFTOp, IDFTOp, IRDFTOp, RDFTOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("DFT", 17, 20)
def dft(node: Node) -> Results:
    """Along one axis, of real (the last extent is 1) or complex numbers (2)."""
    x = node.input(0)
    axis = node.int("axis", 1) if node.version == 17 else -2
    if node.version > 17 and node.optional(2) is not None:
        (axis,) = node.known_ints(node.input(2), "the axis")
    length = node.optional(1)
    return _transform(
        node, x, axis, length, inverse=bool(node.int("inverse", 0)), half=bool(node.int("onesided", 0))
    )


def _transform(
    node: Node, x: SSAValue, axis: int, length: SSAValue | None, *, inverse: bool, half: bool
) -> SSAValue:
    rank = node.rank(x)
    axis = normalise_axis(axis, rank)
    if axis == rank - 1:
        raise Error("axis-range", "the last dimension, that of complex numbers, cannot be transformed")
    parts = (node.shape(x) or (-1,))[-1]
    if parts not in (1, 2):
        raise Error(
            "fourier-parts", "it is not known whether the numbers are real or complex", hint="fix the shapes"
        )
    axes = node.vector([axis])
    size = None if length is None else _vector(node, length)
    if half and inverse:
        value = node.op(IRDFTOp, _pairs(node, x, parts), axes, size)
        return node.op(UnsqueezeOp, value, node.vector([-1]))
    if half:
        if parts == 2:
            raise Error("invalid-onnx", "onesided needs real numbers")
        return node.op(RDFTOp, node.op(SqueezeOp, x, node.vector([-1])), axes, size)
    return node.op(IDFTOp if inverse else DFTOp, _pairs(node, x, parts), axes, size)


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


def _scalar(node: Node, value: int) -> SSAValue:
    return node.constant(np.array(value, np.int64))


@translates("STFT", 17)
def stft(node: Node) -> Results:
    """The transforms of frames that begin every `frame_step` elements, times a window."""
    signal, window, given = node.input(0), node.optional(2), node.optional(3)
    (step,) = node.known_ints(node.input(1), "frame_step")
    extents = node.shape(signal)
    known = None if extents is None else extents[1]
    if given is not None:
        (length,) = node.known_ints(given, "frame_length")
    else:
        length = (node.shape(window) or (-1,))[0] if window is not None else known or -1
    if length < 1 or step < 1:
        raise Error(
            "fourier-parts", f"frame_length is {length}, frame_step {step}, expected known positive numbers"
        )
    zero, one = _scalar(node, 0), _scalar(node, 1)
    total = node.op(GatherOp, node.shape_of(signal), one, zero)
    free = node.op(SubtractOp, total, _scalar(node, length))
    frames = node.op(AddOp, node.op(DivideOp, free, _scalar(node, step)), one)
    starts = node.op(MultiplyOp, node.op(RangeOp, zero, frames, one, output_type=i64), _scalar(node, step))
    places = node.op(AddOp, node.op(UnsqueezeOp, starts, node.vector([1])), node.vector(range(length)))
    # [batch, frames, length, 1 or 2]
    value = node.op(GatherOp, signal, places, one)
    if window is not None:
        value = node.op(MultiplyOp, value, node.op(UnsqueezeOp, window, node.vector([1])))
    real = node.shape(value) is not None and (node.shape(value) or (-1,))[-1] == 1
    return _transform(node, value, -2, None, inverse=False, half=real and bool(node.int("onesided", 1)))
