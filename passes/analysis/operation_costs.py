"""Rough cost model of operations.

The cost is the number of computed elements times the operation's cost for one number on the machine (`machines.py`).

The unit is an addition. The cost decides where work that not every run needs is cheaper than a test for its necessity; all such
decisions use this module.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.traits import ConstantLike

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.comparison import LogicalNotOp, SelectOp, TwoToBooleanOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.scalars import SCALARS
from loomir.passes.analysis.machines import Machine

SIMPLE = (
    AddOp,
    SubtractOp,
    MultiplyOp,
    MaximumOp,
    MinimumOp,
    TwoToBooleanOp,
    LogicalNotOp,
    SelectOp,
    ConvertOp,
    ReshapeOp,
    SqueezeOp,
    UnsqueezeOp,
)
"""An instruction for each element, or none."""

_DIVISIONS = (
    arith.DivfOp,
    arith.DivSIOp,
    arith.DivUIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.FloorDivSIOp,
    arith.RemSIOp,
    arith.RemUIOp,
    math.SqrtOp,
)
_NO_FUNCTIONS = (math.AbsFOp, math.AbsIOp, math.CopySignOp, math.FmaOp)
"""Operations of `math` that are an instruction, or two."""


def cost_of(op: Operation, machine: Machine) -> int | None:
    """Return the cost of an operation without regions, on a machine.

    The result is None if the cost is unknown: an extent is dynamic, or the operation is not elementwise.
    """
    if op.has_trait(ConstantLike):
        return 0
    if type(op) in SCALARS:
        return _cost_of_a_number(op, machine)
    if not isinstance(op, OvOperation) or not (op.ELEMENTWISE or isinstance(op, SIMPLE)):
        return None
    elements = 0
    for result in op.results:
        if not isinstance(result.type, TensorType) or not result.type.has_static_shape():
            return None
        elements += prod(result.type.get_shape())
    if isinstance(op, SIMPLE):
        return elements
    return elements * (machine.division if isinstance(op, DivideOp) else machine.function)


def _cost_of_a_number(op: Operation, machine: Machine) -> int | None:
    """The cost of an operation of `arith` or `math` on numbers."""
    if any(isinstance(result.type, TensorType) for result in op.results):
        return None
    if isinstance(op, _DIVISIONS):
        return machine.division
    is_function = op.name.startswith("math.") and not isinstance(op, _NO_FUNCTIONS)
    return machine.function if is_function else 1
