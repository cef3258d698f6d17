"""Functions that change nothing when they are applied a second time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf

from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.ov.attributes import to_float, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.comparison import LogicalAndOp, LogicalOrOp, SelectOp
from loomir.dialects.ov.operators.elementwise_binary import (
    BitwiseAndOp,
    BitwiseOrOp,
    MaximumOp,
    MinimumOp,
)
from loomir.dialects.ov.operators.elementwise_unary import (
    AbsOp,
    CeilingOp,
    ClampOp,
    FloorOp,
    ReLUOp,
    RoundOp,
    SignOp,
)
from loomir.dialects.scalars.row import is_integer
from loomir.passes.analysis.dependence import LoopDependence

_KINDS: dict[type[Operation], str] = {
    **dict.fromkeys((MaximumOp, MinimumOp), "extreme"),
    **dict.fromkeys((ReLUOp, ClampOp), "limit"),
    **dict.fromkeys((FloorOp, CeilingOp, RoundOp), "round"),
    **dict.fromkeys((LogicalAndOp, LogicalOrOp, BitwiseAndOp, BitwiseOrOp), "bits"),
    AbsOp: "magnitude",
    SignOp: "sign",
    SelectOp: "select",
}

_ALONE = ({"bits"}, {"select"}, {"sign"}, {"magnitude", "round"})
_OF_FLOATS = (*_ALONE, {"extreme"}, {"limit", "round"})
_OF_INTEGERS = (*_ALONE, {"extreme", "limit", "round"})
"""Kinds of operations of which every chain is idempotent.

- Limits from outside are one limit from below and one from above, in whatever order. Integral ones are as well taken after rounding.
- With conjunctions and disjunctions, each bit becomes 0, 1, or stays; so does each element with selections.
- A magnitude is a magnitude once rounded.

Maxima and minima order −0 before 0, limits of floats (ReLU, Clamp) take them for equal: no chain has both.
"""


@dataclass(frozen=True)
class Step:
    """Operation of a chain.

    `place` is the index of the operand that depends on the carried value.
    """

    op: OvOperation
    place: int


def chain_of(dependence: LoopDependence, number: int) -> Sequence[Step] | None:
    """Return the operations from a carried value to its next value.

    Each has one operand that depends on it. None if there are other operations.
    """
    carried = dependence.carried[number].value
    argument, value = carried.arguments[-1], carried.following
    found: list[Step] = []
    while value is not argument:
        op = value.owner
        if type(op) not in _KINDS or not isinstance(op, OvOperation) or op.parent_op() is not dependence.loop:
            return None
        places = [k for k, operand in enumerate(op.operands) if number in dependence.reads(operand)]
        if len(places) != 1 or (isinstance(op, SelectOp) and places == [0]):
            return None
        found.append(Step(op, places[0]))
        value = op.operands[places[0]]
    return found[::-1]


def is_idempotent(chain: Sequence[Step], element: Attribute) -> bool:
    """Return True if a chain changes nothing the second time.

    The operands of its operations are the same both times.
    """
    kinds = {_KINDS[type(step.op)] for step in chain}
    families = _OF_INTEGERS if is_integer(element) else _OF_FLOATS
    if not chain or not any(kinds <= family for family in families):
        return False
    return kinds != {"limit", "round"} or all(_is_integral(step.op) for step in chain)


def may_be_idempotent(value: SSAValue) -> bool:
    """Return True if the last operation of a chain may be idempotent."""
    return type(value.owner) in _KINDS


def _is_integral(op: OvOperation) -> bool:
    """Return True if an operation gives integers for integers."""
    if isinstance(op, RoundOp):
        return to_str(op.mode) == "half_to_even"
    limits = [to_float(op.min), to_float(op.max)] if isinstance(op, ClampOp) else []
    return all(isinf(limit) or limit == int(limit) for limit in limits)
