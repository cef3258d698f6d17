"""Remainders of integers: of what a shape says, OpenVINO takes one to lie between the remainders of the least and the greatest number."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LessOp, LogicalAndOp, LogicalXorOp, NotEqualOp, SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    FloorModOp,
    ModOp,
    MultiplyOp,
    SubtractOp,
)


def subtract_multiples(op: ModOp | FloorModOp) -> None:
    """Say a remainder of integers by a constant as `a - (a / b) * b`, and `b` more where it has the other sign, rounded down."""
    build = GraphBuilder(InsertPoint.before(op), op.location)
    element = build.fact(op.a).element
    divisor = op.b.owner
    if not isinstance(element, IntegerType) or not isinstance(divisor, ConstantOp) or not divisor.array.all():
        return
    attributes = {**op.properties, "m_pythondiv": False}
    quotient = build.make(DivideOp, op.a, op.b, attributes=attributes)
    remainder = build.make(SubtractOp, op.a, build.make(MultiplyOp, quotient, op.b))
    if isinstance(op, FloorModOp):
        zero = build.scalar(0, element)
        signs = build.make(LogicalXorOp, build.make(LessOp, remainder, zero), build.make(LessOp, op.b, zero))
        other = build.make(LogicalAndOp, build.make(NotEqualOp, remainder, zero), signs)
        remainder = build.make(SelectOp, other, build.make(AddOp, remainder, op.b), remainder)
    op.results[0].replace_all_uses_with(remainder)
    op.detach()
    op.erase()
