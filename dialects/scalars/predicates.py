"""Predicates of `arith.cmpi` and `arith.cmpf`, by their numbers in MLIR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects import arith

RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
"""Relations of numbers, written as in C and Python.

With NaN all but `!=` are false, in numpy too.
"""


@dataclass(frozen=True)
class IntegerPredicate:
    """A relation of the operands, read as signed or as unsigned."""

    relation: str
    unsigned: bool = False

    @property
    def reflexive(self) -> bool:
        """True if the predicate holds between a number and itself."""
        return "=" in self.relation and self.relation != "!="


@dataclass(frozen=True)
class FloatPredicate:
    """Predicate of `arith.cmpf`: a relation of the operands, or its negation.

    Beside the usual relations there are `<>` (one operand is less than the other), `ordered` (neither is NaN) and `false`. With
    `negated`, the predicate is the negation of the relation.
    """

    relation: str
    negated: bool = False


_INTEGER = (
    *map(IntegerPredicate, ("==", "!=", "<", "<=", ">", ">=")),
    *(IntegerPredicate(relation, unsigned=True) for relation in ("<", "<=", ">", ">=")),
)
_FLOAT = (
    *map(FloatPredicate, ("false", "==", ">", ">=", "<", "<=", "<>", "ordered")),
    # Unordered ones are the negation of the opposite.
    *(FloatPredicate(relation, negated=True) for relation in ("<>", "<=", "<", ">=", ">")),
    FloatPredicate("!="),
    FloatPredicate("ordered", negated=True),
    FloatPredicate("false", negated=True),
)


LESS = 2
"""Predicate of `arith.cmpi` for signed less-than."""
OPPOSITE = (1, 0, 5, 4, 3, 2, 9, 8, 7, 6)
"""Negation of each predicate of `arith.cmpi`."""
EXCHANGED = (0, 1, 4, 5, 2, 3, 8, 9, 6, 7)
"""Equivalent of each predicate of `arith.cmpi` for swapped operands."""


def integer_predicate(op: arith.CmpiOp) -> IntegerPredicate:
    return integer_predicate_of(op.predicate.value.data)


def integer_predicate_of(number: int) -> IntegerPredicate:
    """Return the integer predicate of this number."""
    return _INTEGER[number]


def float_predicate(op: arith.CmpfOp) -> FloatPredicate:
    return _FLOAT[op.predicate.value.data]
