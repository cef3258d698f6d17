"""Lowerings of elementwise operations: unary, binary, comparisons, logic, Select, and bits.

Trigonometric and hyperbolic functions are among the functions of one tensor.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.element_types import dtype_of, f64, i1, i16, is_float, is_unsigned, signless
from loomir.dialects.ov.attributes import to_bool, to_float, to_str
from loomir.dialects.ov.operators.comparison import (
    CompareOp,
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOp,
    LogicalOrOp,
    LogicalXorOp,
    NotEqualOp,
    SelectOp,
)
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    BinaryOp,
    BitCastOp,
    BitwiseAndOp,
    BitwiseBinaryOp,
    BitwiseLeftShiftOp,
    BitwiseNotOp,
    BitwiseOrOp,
    BitwiseRightShiftOp,
    BitwiseXorOp,
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
from loomir.dialects.ov.operators.elementwise_unary import (
    AbsOp,
    AcoshOp,
    AcosOp,
    AsinhOp,
    AsinOp,
    AtanhOp,
    AtanOp,
    CeilingOp,
    ClampOp,
    CoshOp,
    CosOp,
    ErfOp,
    ExpOp,
    FloorOp,
    LogOp,
    NegativeOp,
    ReLUOp,
    RoundOp,
    SigmoidOp,
    SignOp,
    SinhOp,
    SinOp,
    SqrtOp,
    TanhOp,
    TanOp,
    UnaryOp,
)
from loomir.dialects.scalars.row import constant_number
from loomir.passes.structured.lib.generics import elementwise
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath, width
from loomir.passes.structured.lib.tensor_builder import Shaped

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


_TRIGONOMETRIC: dict[type[UnaryOp], Callable[[SSAValue], Operation]] = {
    SinOp: math.SinOp,
    CosOp: math.CosOp,
    TanOp: math.TanOp,
    AsinOp: math.AsinOp,
    AcosOp: math.AcosOp,
    AtanOp: math.AtanOp,
    SinhOp: math.SinhOp,
    CoshOp: math.CoshOp,
    AsinhOp: math.AsinhOp,
    AcoshOp: math.AcoshOp,
    AtanhOp: math.AtanhOp,
}


@lowers(*_TRIGONOMETRIC)
def function(op: UnaryOp, low: Lowering) -> Shaped:
    return through_float(op, low, one_operation(_TRIGONOMETRIC[type(op)]))


_PREDICATES: dict[type[CompareOp], str] = {
    EqualOp: "eq",
    NotEqualOp: "ne",
    LessOp: "lt",
    LessEqualOp: "le",
    GreaterOp: "gt",
    GreaterEqualOp: "ge",
}

_LOGIC: dict[type[LogicalOp], type[arith.AndIOp] | type[arith.OrIOp] | type[arith.XOrIOp]] = {
    LogicalAndOp: arith.AndIOp,
    LogicalOrOp: arith.OrIOp,
    LogicalXorOp: arith.XOrIOp,
}


@lowers(*_PREDICATES)
def comparison(op: CompareOp, low: Lowering) -> Shaped:
    a, b = low.operand(op.a), low.operand(op.b)
    scalars, predicate = ScalarMath(low), _PREDICATES[type(op)]
    return elementwise(low, op.output, [a, b], lambda x, y: scalars.compare(predicate, x, y, a.element))


@lowers(*_LOGIC)
def logic(op: LogicalOp, low: Lowering) -> Shaped:
    operation = _LOGIC[type(op)]

    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        return low.insert(operation(a, b)).result

    return elementwise(low, op.output, [low.operand(op.a), low.operand(op.b)], body)


@lowers(LogicalNotOp)
def logical_not(op: LogicalNotOp, low: Lowering) -> Shaped:
    true = low.constant(1, i1)
    return elementwise(
        low, op.output, [low.operand(op.data)], lambda v: low.insert(arith.XOrIOp(v, true)).result
    )


@lowers(SelectOp)
def select(op: SelectOp, low: Lowering) -> Shaped:
    scalars = ScalarMath(low)
    return elementwise(low, op.output, low.operands(op), scalars.select)


_BITWISE: dict[type[BitwiseBinaryOp], type[arith.AndIOp] | type[arith.OrIOp] | type[arith.XOrIOp]] = {
    BitwiseAndOp: arith.AndIOp,
    BitwiseOrOp: arith.OrIOp,
    BitwiseXorOp: arith.XOrIOp,
}


@lowers(*_BITWISE)
def bitwise(op: BitwiseBinaryOp, low: Lowering) -> Shaped:
    operation = _BITWISE[type(op)]

    def body(a: SSAValue, b: SSAValue) -> SSAValue:
        return low.insert(operation(a, b)).result

    return elementwise(low, op.output, [low.operand(op.a), low.operand(op.b)], body)


@lowers(BitwiseNotOp)
def bitwise_not(op: BitwiseNotOp, low: Lowering) -> Shaped:
    x = low.operand(op.data)
    ones = low.constant(np.bitwise_not(np.zeros((), dtype_of(x.element)))[()], x.element)
    return elementwise(low, op.output, [x], lambda v: low.insert(arith.XOrIOp(v, ones)).result)


@lowers(BitwiseLeftShiftOp, BitwiseRightShiftOp)
def shift(op: BitwiseLeftShiftOp | BitwiseRightShiftOp, low: Lowering) -> Shaped:
    a, b = low.operand(op.a), low.operand(op.b)
    left = isinstance(op, BitwiseLeftShiftOp)
    return elementwise(low, op.output, [a, b], lambda x, y: _shifted(low, x, y, a.element, left=left))


def _shifted(low: Lowering, x: SSAValue, count: SSAValue, element: Attribute, *, left: bool) -> SSAValue:
    """Emit a shift; counts beyond the width shift everything out.

    Such a count is too large for MLIR's shifts. Negative counts are too large as well, because counts are compared as
    unsigned numbers.
    """
    scalars = ScalarMath(low)
    bits = width(element)
    arithmetic = not left and not is_unsigned(element)
    operation = arith.ShLIOp if left else arith.ShRSIOp if arithmetic else arith.ShRUIOp
    number = constant_number(count)
    if number is not None and 0 <= number < bits:
        return low.insert(operation(x, count)).result
    if arithmetic:
        # One bit less than the width leaves nothing but the sign.
        most = low.constant(bits - 1, element)
        return low.insert(operation(x, low.insert(arith.MinUIOp(count, most)).result)).result
    zero = low.constant(0, element)
    inside = low.insert(arith.CmpiOp(count, low.constant(bits, element), "ult")).result
    shifted = low.insert(operation(x, scalars.select(inside, count, zero))).result
    return scalars.select(inside, shifted, zero)


@lowers(BitCastOp)
def bit_cast(op: BitCastOp, low: Lowering) -> Shaped:
    x, target = low.operand(op.data), op.destination_type
    scalars = ScalarMath(low)

    def body(v: SSAValue) -> SSAValue:
        if i1 in (x.element, target):
            return scalars.convert(v, x.element, target)
        if is_float(x.element) and is_float(target) and x.element != target:
            # Two floats of 16 bits: by way of the integer.
            v = low.insert(arith.BitcastOp(v, i16)).result
        return v if v.type == signless(target) else low.insert(arith.BitcastOp(v, signless(target))).result

    return elementwise(low, op.output, [x], body)
