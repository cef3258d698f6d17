"""ConvertLike as Convert."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertLikeOp, ConvertOp
from loomir.passes.graph.decompositions import decomposes


@decomposes(ConvertLikeOp)
def convert_like(op: ConvertLikeOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Only the element type of `like` counts."""
    attributes = {
        "destination_type": build.fact(op.like).element,
        "saturate": op.saturate,
        "round_mode": op.round_mode,
    }
    return [build.make(ConvertOp, op.data, attributes=attributes)]
