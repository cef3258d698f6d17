"""Broadcast that changes nothing: OpenVINO 2026 dies of one whose operand is an output of the model too."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.ov.graph_builder import GraphBuilder, static_extents
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses


@expresses(BroadcastOp)
def broadcast(op: BroadcastOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """The operand, where it has the extents of the result."""
    return [op.data] if op.output.type == op.data.type and static_extents(op.data) is not None else None
