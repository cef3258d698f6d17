"""Lowerings of comparisons, logic and Select."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1
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
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.broadcast_shapes import elementwise
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath
from loomir.passes.structured.lowering.shaped import Shaped

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
