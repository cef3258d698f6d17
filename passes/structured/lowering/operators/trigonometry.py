"""Lowerings of trigonometric and hyperbolic functions."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import math
from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.operators.elementwise_unary import UnaryOp
from loomir.dialects.ov.operators.trigonometry import (
    AcoshOp,
    AcosOp,
    AsinhOp,
    AsinOp,
    AtanhOp,
    AtanOp,
    CoshOp,
    CosOp,
    SinhOp,
    SinOp,
    TanOp,
)
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.operators.elementwise_unary import one_operation, through_float
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.shaped import Shaped

_OPERATIONS: dict[type[UnaryOp], Callable[[SSAValue], Operation]] = {
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


@lowers(*_OPERATIONS)
def function(op: UnaryOp, low: Lowering) -> Shaped:
    return through_float(op, low, one_operation(_OPERATIONS[type(op)]))
