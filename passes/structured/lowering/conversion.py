"""Lowering of Convert."""

from __future__ import annotations

from loomir.dialects.ov.conversion import ConvertOp
from loomir.passes.structured.lowering.base import Lowering, Shaped, lowers
from loomir.passes.structured.lowering.broadcast_shapes import elementwise
from loomir.passes.structured.lowering.scalars import ScalarMath


@lowers(ConvertOp)
def convert(op: ConvertOp, low: Lowering) -> Shaped:
    x, target = low.operand(op.data), op.destination_type
    if x.element == target:
        return x
    scalars = ScalarMath(low)
    return elementwise(low, op.output, [x], lambda v: scalars.convert(v, x.element, target))
