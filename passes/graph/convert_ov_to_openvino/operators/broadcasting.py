"""Broadcasts that change nothing, and Pad by a computed number.

OpenVINO's plugins take zeros for such a number.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1, i32
from loomir.dialects.ov.attributes import to_str
from loomir.dialects.ov.graph_builder import GraphBuilder, static_extents
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp
from loomir.dialects.ov.operators.comparison import SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses


@expresses(BroadcastOp)
def broadcast(op: BroadcastOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Return the operand if it has the extents of the result.

    OpenVINO 2026 crashes if the operand is an output of the model too.
    """
    return [op.data] if op.output.type == op.data.type and static_extents(op.data) is not None else None


@expresses(PadOp)
def pad(op: PadOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Pad with zeros and select the padding number afterwards.

    The number is selected where ones that are padded with zeros are zero.
    """
    if op.pad_value is None or to_str(op.pad_mode, "constant") != "constant":
        return None
    if checks.fact(op.pad_value).value is not None:
        return None
    attributes = {"pad_mode": "constant"}
    one = build.constant(np.array(1, np.int32))
    ones = build.make(BroadcastOp, one, build.make(ShapeOfOp, op.data))
    inside = build.make(PadOp, ones, op.pads_begin, op.pads_end, build.scalar(0, i32), attributes=attributes)
    inside = build.make(ConvertOp, inside, attributes={"destination_type": i1})
    zero = build.like(0, op.data)
    padded = build.make(PadOp, op.data, op.pads_begin, op.pads_end, zero, attributes=attributes)
    return [build.make(SelectOp, inside, padded, op.pad_value)]
