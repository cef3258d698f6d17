"""Conditions as what they compare: `a < b`, `a <= b`, `a != b`, and conjunctions of those."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from xdsl.ir import Block, SSAValue

from loomir.dialects.ov.operators.comparison import (
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    LogicalNotOp,
    NotEqualOp,
)
from loomir.passes.analysis.trip_counts.affine import REARRANGES

Relation = Literal["<", "<=", "!=", "=="]

_RELATIONS: dict[type, tuple[Relation, bool]] = {
    LessOp: ("<", False),
    LessEqualOp: ("<=", False),
    GreaterOp: ("<", True),
    GreaterEqualOp: ("<=", True),
    NotEqualOp: ("!=", False),
    EqualOp: ("==", False),
}
"""The relation, and whether its sides are exchanged."""

_NEGATED: dict[Relation, tuple[Relation, bool]] = {
    "<": ("<=", True),
    "<=": ("<", True),
    "!=": ("==", False),
    "==": ("!=", False),
}
"""Of whole numbers: `not (a < b)` is `b <= a`."""


@dataclass(frozen=True)
class Comparison:
    """`left relation right`, of integers or floats."""

    relation: Relation
    left: SSAValue
    right: SSAValue


def terms(condition: SSAValue) -> Iterator[SSAValue]:
    """The conditions of which all must hold."""
    waiting = [condition]
    while waiting:
        value = through_reshapes(waiting.pop())
        if isinstance(value.owner, LogicalAndOp):
            waiting.extend(reversed(value.owner.operands))
        else:
            yield value


def comparison(condition: SSAValue) -> Comparison | None:
    """Return the comparison that a condition performs, or None.

    The result is valid for whole numbers only, since NaN is neither less nor not less.
    """
    negations = 0
    value = through_reshapes(condition)
    while isinstance(value.owner, LogicalNotOp):
        negations += 1
        value = through_reshapes(value.owner.data)
    op = value.owner
    if isinstance(op, Block) or type(op) not in _RELATIONS:
        return None
    relation, exchanged = _RELATIONS[type(op)]
    left, right = reversed(op.operands) if exchanged else op.operands
    if negations % 2:
        relation, exchanged = _NEGATED[relation]
        left, right = (right, left) if exchanged else (left, right)
    return Comparison(relation, left, right)


def through_reshapes(value: SSAValue) -> SSAValue:
    """The value of which this is a reshape."""
    while isinstance(value.owner, REARRANGES):
        value = value.owner.operands[0]
    return value
