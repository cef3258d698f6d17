"""Workarounds for booleans in OpenVINO 2026.

OpenVINO 2026 refuses a Select of a model input and a computed value, because it holds these booleans in two types. It
also refuses a Convert to booleans of a value that is not the first output of a layer.
"""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i1
from loomir.dialects.ov.attributes import to_str
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import (
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    NotEqualOp,
    SelectOp,
)
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.tensors import any_tensor_of


def compare_with_zero(op: ConvertOp) -> None:
    """Say a Convert to booleans of one of several results as `x != 0`."""
    source = op.data.owner
    if (
        any_tensor_of(op.output).element_type != i1
        or not isinstance(source, Operation)
        or len(source.results) == 1
    ):
        return
    build = GraphBuilder(InsertPoint.before(op), op.location)
    op.output.replace_all_uses_with(build.make(NotEqualOp, op.data, build.like(0, op.data)))
    op.detach()
    op.erase()


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
