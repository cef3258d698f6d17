"""Ranges of floats that are certain to be +0 or greater.

Such a float is neither NaN nor −0 nor negative; an example is one computed from an iteration number.

    %f = arith.sitofp %j : i64 to f32           j of 0 … 99: 0 … 99
    %v = arith.mulf %f, %c : f32                c = 0.01: 0 … 0.99
    %m = arith.maximumf %x, %v : f32            a comparison is enough: what is no NaN is v or larger, and no zero below it

Only intervals from +0 upwards are tracked; sums and products stay in such intervals. An interval that may overflow ends at
infinity and is not multiplied further: infinity times 0 is NaN.
"""

from __future__ import annotations

from math import copysign, inf

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import AnyFloat, FloatAttr
from xdsl.ir import SSAValue

from loomir.dialects.scalars.row import is_boolean
from loomir.dialects.vectors import lane_type
from loomir.passes.analysis.integer_ranges import IntegerRanges

Interval = tuple[float, float]

_DEPTH = 12
"""How many operations are followed."""
_LARGEST = {16: 65504.0, 32: 3.4028234663852886e38, 64: 1.7976931348623157e308}


def from_zero_on(value: SSAValue, integers: IntegerRanges, depth: int = _DEPTH) -> Interval | None:
    """Return the range of a float that is certainly +0 or greater.

    For a vector of floats the range covers each lane. The result is None if the value may be negative, −0 or NaN.

    The bounds are those of exact arithmetic except for overflow, so a rounded number may be off them by the rounding.
    """
    op = value.owner
    if depth == 0:
        return None

    def of(operand: SSAValue) -> Interval | None:
        return from_zero_on(operand, integers, depth - 1)

    match op:
        case arith.ConstantOp() if isinstance(op.value, FloatAttr):
            number = op.value.value.data
            return (number, number) if copysign(1.0, number) > 0 and number < inf else None
        case vector.BroadcastOp():
            return of(op.source) if isinstance(lane_type(op.source.type), AnyFloat) else None
        case arith.SIToFPOp() | arith.UIToFPOp():
            return _of_integer(op, integers)
        case arith.AddfOp() | arith.MulfOp() | arith.MaximumfOp() | arith.MinimumfOp():
            a, b = of(op.lhs), of(op.rhs)
            return None if a is None or b is None else _of_two(op, a, b)
        case _:
            return None


def _of_integer(op: arith.SIToFPOp | arith.UIToFPOp, integers: IntegerRanges) -> Interval | None:
    (operand,) = op.operands
    if isinstance(op, arith.SIToFPOp) and is_boolean(lane_type(operand.type)):
        return None  # As a signed number it is −1.
    low, high = integers.of(operand)
    return _limited(float(low), float(high), op.results[0]) if low >= 0 else None


def _of_two(
    op: arith.AddfOp | arith.MulfOp | arith.MaximumfOp | arith.MinimumfOp, a: Interval, b: Interval
) -> Interval | None:
    match op:
        case arith.MulfOp():
            return _limited(a[0] * b[0], a[1] * b[1], op.result) if a[1] < inf and b[1] < inf else None
        case arith.AddfOp():
            return _limited(a[0] + b[0], a[1] + b[1], op.result)
        case arith.MaximumfOp():
            return max(a[0], b[0]), max(a[1], b[1])
        case _:
            return min(a[0], b[0]), min(a[1], b[1])


def _limited(low: float, high: float, result: SSAValue) -> Interval | None:
    type_ = lane_type(result.type)
    largest = _LARGEST.get(type_.bitwidth) if isinstance(type_, AnyFloat) else None
    if largest is None or low > largest / 2:
        return None
    return low, (high if high <= largest / 2 else inf)
