"""Lowerings of functions of one tensor."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.element_types import dtype_of, f64, is_float, is_unsigned
from loomir.dialects.ov.attributes import to_float, to_str
from loomir.dialects.ov.operators.elementwise_unary import (
    AbsOp,
    CeilingOp,
    ClampOp,
    ErfOp,
    ExpOp,
    FloorOp,
    LogOp,
    NegativeOp,
    ReLUOp,
    RoundOp,
    SigmoidOp,
    SignOp,
    SqrtOp,
    TanhOp,
    UnaryOp,
)
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.broadcast_shapes import elementwise
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath
from loomir.passes.structured.lowering.shaped import Shaped

FloatFunction = Callable[[Lowering, SSAValue, Attribute], SSAValue]
"""Emitter of a function of a scalar of a float type."""


def _sigmoid(low: Lowering, x: SSAValue, element: Attribute) -> SSAValue:
    one = low.constant(1.0, element)
    power = low.insert(math.ExpOp(low.insert(arith.NegfOp(x)).result)).result
    return low.insert(arith.DivfOp(one, low.insert(arith.AddfOp(one, power)).result)).result


def one_operation(operation: Callable[[SSAValue], Operation]) -> FloatFunction:
    """A function that is one operation of `math`."""
    return lambda low, x, element: low.insert(operation(x)).results[0]


_FLOAT_FUNCTIONS: dict[type[UnaryOp], FloatFunction] = {
    SqrtOp: one_operation(math.SqrtOp),
    ExpOp: one_operation(math.ExpOp),
    LogOp: one_operation(math.LogOp),
    TanhOp: one_operation(math.TanhOp),
    ErfOp: one_operation(math.ErfOp),
    SigmoidOp: _sigmoid,
}


@lowers(*_FLOAT_FUNCTIONS)
def float_function(op: UnaryOp, low: Lowering) -> Shaped:
    return through_float(op, low, _FLOAT_FUNCTIONS[type(op)])


def through_float(op: UnaryOp, low: Lowering, function: FloatFunction) -> Shaped:
    """Apply a float function to each element.

    Integers are computed in double precision and rounded to the nearest.
    """
    x = low.operand(op.data)
    scalars = ScalarMath(low)

    def body(v: SSAValue) -> SSAValue:
        if is_float(x.element):
            return function(low, v, x.element)
        real = function(low, scalars.convert(v, x.element, f64), f64)
        return scalars.convert(low.insert(math.RoundEvenOp(real)).result, f64, x.element)

    return elementwise(low, op.output, [x], body)


@lowers(AbsOp)
def absolute(op: AbsOp, low: Lowering) -> Shaped:
    x = low.operand(op.data)
    if is_unsigned(x.element):
        return x
    if is_float(x.element):
        return elementwise(low, op.output, [x], lambda v: low.insert(math.AbsFOp(v)).result)
    return elementwise(low, op.output, [x], lambda v: low.insert(math.AbsIOp(v)).result)


@lowers(NegativeOp)
def negative(op: NegativeOp, low: Lowering) -> Shaped:
    x = low.operand(op.data)
    if is_float(x.element):
        return elementwise(low, op.output, [x], lambda v: low.insert(arith.NegfOp(v)).result)
    zero = low.constant(0, x.element)
    return elementwise(low, op.output, [x], lambda v: low.insert(arith.SubiOp(zero, v)).result)


@lowers(ReLUOp)
def relu(op: ReLUOp, low: Lowering) -> Shaped:
    """`x < 0 ? 0 : x`: C compilers make one max instruction of it."""
    x = low.operand(op.data)
    if is_unsigned(x.element):
        return x
    scalars = ScalarMath(low)
    zero = low.constant(0, x.element)

    def body(v: SSAValue) -> SSAValue:
        return scalars.select(scalars.compare("lt", v, zero, x.element), zero, v)

    return elementwise(low, op.output, [x], body)


@lowers(ClampOp)
def clamp(op: ClampOp, low: Lowering) -> Shaped:
    x = low.operand(op.data)
    scalars = ScalarMath(low)
    limits = (to_float(op.min), to_float(op.max)) if is_float(x.element) else op.integer_limits(x.element)
    with np.errstate(over="ignore"):
        # In the tensor's own type first: a limit beyond its range is an infinity.
        typed = [np.asarray(v, dtype_of(x.element)) for v in limits]
    lower, upper = (low.constant(v, x.element) for v in typed)

    def body(v: SSAValue) -> SSAValue:
        v = scalars.select(scalars.compare("lt", v, lower, x.element), lower, v)
        return scalars.select(scalars.compare("gt", v, upper, x.element), upper, v)

    return elementwise(low, op.output, [x], body)


@lowers(FloorOp, CeilingOp)
def rounded(op: UnaryOp, low: Lowering) -> Shaped:
    x = low.operand(op.data)
    if not is_float(x.element):
        return x
    rounding = math.FloorOp if isinstance(op, FloorOp) else math.CeilOp
    return elementwise(low, op.output, [x], lambda v: low.insert(rounding(v)).result)


@lowers(RoundOp)
def round_to_nearest(op: RoundOp, low: Lowering) -> Shaped:
    x = low.operand(op.data)
    if not is_float(x.element):
        return x
    rounding = math.RoundEvenOp if to_str(op.mode) == "half_to_even" else math.RoundOp
    return elementwise(low, op.output, [x], lambda v: low.insert(rounding(v)).result)


@lowers(SignOp)
def sign(op: SignOp, low: Lowering) -> Shaped:
    """1 above 0, -1 below, else x itself: a zero or NaN."""
    x = low.operand(op.data)
    scalars = ScalarMath(low)
    zero, one = low.constant(0, x.element), low.constant(1, x.element)

    def body(v: SSAValue) -> SSAValue:
        result = scalars.select(scalars.compare("gt", v, zero, x.element), one, v)
        if is_unsigned(x.element):
            return result
        minus = low.constant(-1, x.element)
        return scalars.select(scalars.compare("lt", v, zero, x.element), minus, result)

    return elementwise(low, op.output, [x], body)
