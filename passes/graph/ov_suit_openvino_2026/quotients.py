"""Integer quotients that are rounded down.

OpenVINO 2026 rounds them towards zero, whatever the value of `m_pythondiv`.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import (
    LessOp,
    LogicalAndOp,
    LogicalXorOp,
    NotEqualOp,
    SelectOp,
)
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, MultiplyOp, SubtractOp


def round_down(op: DivideOp) -> None:
    """Subtract 1 from a quotient that truncation towards zero rounds up.

    Such a quotient has a non-zero remainder whose sign differs from the divisor's.
    """
    build = GraphBuilder(InsertPoint.before(op), op.location)
    element = build.fact(op.a).element
    if (
        not isinstance(element, IntegerType)
        or element.signedness.data == Signedness.UNSIGNED
        or not to_bool(op.m_pythondiv)
    ):
        return
    zero, one = build.scalar(0, element), build.scalar(1, element)
    attributes = {**op.properties, "m_pythondiv": False}
    towards_zero = build.make(DivideOp, op.a, op.b, attributes=attributes)
    remainder = build.make(SubtractOp, op.a, build.make(MultiplyOp, towards_zero, op.b))
    signs = build.make(LogicalXorOp, build.make(LessOp, remainder, zero), build.make(LessOp, op.b, zero))
    up = build.make(LogicalAndOp, build.make(NotEqualOp, remainder, zero), signs)
    quotient = build.make(SelectOp, up, build.make(SubtractOp, towards_zero, one), towards_zero)
    op.results[0].replace_all_uses_with(quotient)
    op.detach()
    op.erase()
