"""Remainders of integers.

OpenVINO assumes that the remainder of a shape value lies between the remainders of the value's lower and upper bound.
"""

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
    """Rewrite an integer remainder by a constant as `a - (a / b) * b`.

    For a remainder that rounds down, add `b` where the remainder has the other sign.
    """
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
