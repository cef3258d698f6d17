"""Lowerings of operations on bits."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of, i1, i16, is_float, is_unsigned, signless
from loomir.dialects.ov.operators.bitwise import (
    BitCastOp,
    BitwiseAndOp,
    BitwiseBinaryOp,
    BitwiseLeftShiftOp,
    BitwiseNotOp,
    BitwiseOrOp,
    BitwiseRightShiftOp,
    BitwiseXorOp,
)
from loomir.dialects.scalars.constants import constant_number
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.broadcast_shapes import elementwise
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath, width
from loomir.passes.structured.lowering.shaped import Shaped

_OPERATIONS: dict[type[BitwiseBinaryOp], type[arith.AndIOp] | type[arith.OrIOp] | type[arith.XOrIOp]] = {
    BitwiseAndOp: arith.AndIOp,
    BitwiseOrOp: arith.OrIOp,
    BitwiseXorOp: arith.XOrIOp,
}


@lowers(*_OPERATIONS)
def bitwise(op: BitwiseBinaryOp, low: Lowering) -> Shaped:
    operation = _OPERATIONS[type(op)]

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
