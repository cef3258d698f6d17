"""Lowerings of arithmetic on two tensors."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Attribute, SSAValue

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    BinaryOp,
    DivideOp,
    FloorModOp,
    MaximumOp,
    MinimumOp,
    ModOp,
    MultiplyOp,
    PowerOp,
    SquaredDifferenceOp,
    SubtractOp,
)
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.broadcast_shapes import elementwise
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath
from loomir.passes.structured.lowering.shaped import Shaped

Function = Callable[[ScalarMath, SSAValue, SSAValue, Attribute], SSAValue]


def _squared_difference(s: ScalarMath, a: SSAValue, b: SSAValue, e: Attribute) -> SSAValue:
    difference = s.sub(a, b, e)
    return s.mul(difference, difference, e)


_FUNCTIONS: dict[type[BinaryOp], Function] = {
    AddOp: ScalarMath.add,
    SubtractOp: ScalarMath.sub,
    MultiplyOp: ScalarMath.mul,
    MaximumOp: ScalarMath.maximum,
    MinimumOp: ScalarMath.minimum,
    PowerOp: ScalarMath.power,
    ModOp: lambda s, a, b, e: s.remainder(a, b, e, floored=False),
    FloorModOp: lambda s, a, b, e: s.remainder(a, b, e, floored=True),
    SquaredDifferenceOp: _squared_difference,
}


@lowers(*_FUNCTIONS)
def binary(op: BinaryOp, low: Lowering) -> Shaped:
    function = _FUNCTIONS[type(op)]
    return _lowered(op, low, function)


@lowers(DivideOp)
def divide(op: DivideOp, low: Lowering) -> Shaped:
    floored = to_bool(op.m_pythondiv)
    return _lowered(op, low, lambda s, a, b, e: s.divide(a, b, e, floored=floored))


def _lowered(op: BinaryOp, low: Lowering, function: Function) -> Shaped:
    a, b = low.operand(op.a), low.operand(op.b)
    scalars = ScalarMath(low)
    return elementwise(low, op.output, [a, b], lambda x, y: function(scalars, x, y, a.element))
