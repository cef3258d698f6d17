"""Selects of booleans: OpenVINO 2026 refuses those between an input of the model and what it computes, which it holds in two types."""

from __future__ import annotations

from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i1
from loomir.dialects.ov.attributes import to_str
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LogicalAndOp, LogicalNotOp, LogicalOrOp, SelectOp


def select_booleans(op: SelectOp) -> None:
    """Say `c ? a : b` as `c & a | !c & b`."""
    build = GraphBuilder(InsertPoint.before(op), op.location)
    if build.fact(op.output).element != i1 or to_str(op.auto_broadcast) != "numpy":
        return
    first = build.make(LogicalAndOp, op.cond, op.then)
    second = build.make(LogicalAndOp, build.make(LogicalNotOp, op.cond), op.else_value)
    op.output.replace_all_uses_with(build.make(LogicalOrOp, first, second))
    op.detach()
    op.erase()
