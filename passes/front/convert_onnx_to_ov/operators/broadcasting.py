"""Expand, Range and Pad."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto
from xdsl.ir import SSAValue

from loomir.dialects.element_types import bf16, f16, f32, i64
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, UNBOUNDED_LOW
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp, RangeOp
from loomir.dialects.ov.operators.comparison import EqualOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    FloorModOp,
    MaximumOp,
    MinimumOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reduction import ReduceSumOp
from loomir.dialects.ov.operators.splitting import SplitOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

PAD_MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge"}


@translates("Expand", 8, 13)
def expand(node: Node) -> Results:
    """Translate Expand.

    Input and target shape are broadcast against each other: either may have the larger extent.
    """
    return node.op(BroadcastOp, node.input(0), node.input(1), mode="bidirectional")


@translates("Range", 11, 27)
def range_(node: Node) -> Results:
    """Translate Range: max(ceil((limit - start) / delta), 0) numbers.

    16-bit floats are by default computed in f32.
    """
    names = ("start", "limit", "delta")
    bounds = [node.scalar(node.input(i), name) for i, name in enumerate(names)]
    element = node.element(bounds[0])
    if element not in (f16, bf16) or node.int("stash_type", TensorProto.FLOAT) != TensorProto.FLOAT:
        return node.op(RangeOp, *bounds, output_type=element)
    wide = [node.op(ConvertOp, v, destination_type=f32) for v in bounds]
    return node.op(ConvertOp, node.op(RangeOp, *wide, output_type=f32), destination_type=element)


@translates("Pad", 1, 2)
def pad_by_attributes(node: Node) -> Results:
    """Pads and the value as attributes (`paddings` in version 1)."""
    pads = node.ints("paddings" if node.version == 1 else "pads")
    begin, end = node.vector(pads[: len(pads) // 2]), node.vector(pads[len(pads) // 2 :])
    value = node.number(node.float("value", 0.0), node.input(0))
    return _pad(node, begin, end, value)


@translates("Pad", 11, 13, 18, 19, 21, 23, 24, 25)
def pad_by_inputs(node: Node) -> Results:
    """Translate Pad with pads as an input.

    The input has all begins, then all ends; from version 18 on only those of the given axes. Negative pads crop.
    """
    axes = node.optional(3)
    begin, end = node.emit(
        SplitOp, node.input(1), node.constant(np.array(0, np.int64)), attributes={"num_splits": 2}, results=2
    ).results
    if axes is not None:
        begin, end = (_on_all_axes(node, pads, axes) for pads in (begin, end))
    value = node.optional(2)
    if value is None:
        value = node.number(0, node.input(0))
    return _pad(node, begin, end, node.scalar(value, "the value"))


def _pad(node: Node, begin: SSAValue, end: SSAValue, value: SSAValue) -> SSAValue:
    mode = node.string("mode", "constant")
    if mode == "wrap":
        return _wrap(node, begin, end)
    if mode not in PAD_MODES:
        raise Error("invalid-onnx", f"there is no padding mode '{mode}'")
    return node.op(PadOp, node.input(0), begin, end, value, pad_mode=PAD_MODES[mode])


def _wrap(node: Node, begin: SSAValue, end: SSAValue) -> SSAValue:
    """Emit padding that wraps around to the opposite side.

    Axis by axis it takes the elements begin … n + end - 1, counted modulo n.
    """
    data = node.input(0)
    zero, one = (node.constant(np.array(v, np.int64)) for v in (0, 1))
    for axis in range(node.rank(data)):
        position = node.constant(np.array(axis, np.int64))
        low, high, extent = (node.op(GatherOp, v, position, zero) for v in (begin, end, node.shape_of(data)))
        count = _sum(node, _sum(node, low, high), extent)
        positions = node.op(
            SubtractOp, node.op(RangeOp, zero, count, one, output_type=i64), node.op(FloorModOp, low, extent)
        )
        data = node.op(GatherOp, data, node.op(FloorModOp, positions, extent), position)
    return data


def _sum(node: Node, a: SSAValue, b: SSAValue) -> SSAValue:
    """Emit `a + b`, saturated to 64 bits.

    A result beyond 64 bits is replaced by the end of the range: below 0 there are no elements, and above no buffer has so many.
    """
    zero, least, most = (node.constant(np.array(v, np.int64)) for v in (0, UNBOUNDED_LOW, UNBOUNDED_HIGH))
    above = node.op(SubtractOp, most, node.op(MaximumOp, b, zero))
    below = node.op(SubtractOp, least, node.op(MinimumOp, b, zero))
    return node.op(AddOp, node.op(MaximumOp, node.op(MinimumOp, a, above), below), b)


def _on_all_axes(node: Node, pads: SSAValue, axes: SSAValue) -> SSAValue:
    """Expand the pads of some axes to pads of all axes.

    The other axes are padded by 0. Errors: `unknown-rank`, `axis-range`, `invalid-onnx`.
    """
    rank = node.rank(node.input(0))
    known = node.known(axes)
    if known is None:
        # One row for each axis of the data, in which the given axis that it is, if any, selects its pad.
        rows = node.constant(np.arange(rank, dtype=np.int64).reshape(rank, 1))
        columns = node.op(FloorModOp, node.op(ConvertOp, axes, destination_type=i64), node.vector([rank]))
        chosen = node.op(SelectOp, node.op(EqualOp, rows, columns), pads, node.vector([0]))
        return node.op(ReduceSumOp, chosen, node.vector([1]), keep_dims=False)
    listed = [normalise_axis(int(axis), rank) for axis in known.reshape(-1)]
    if len(set(listed)) != len(listed):
        raise Error("invalid-onnx", f"an axis occurs twice in {listed}")
    zero = node.constant(np.zeros(1, np.int64))
    with_zero = node.op(ConcatOp, [pads, zero], axis=0)
    positions = [listed.index(axis) if axis in listed else len(listed) for axis in range(rank)]
    return node.op(GatherOp, with_zero, node.vector(positions), node.constant(np.array(0, np.int64)))
