"""Arithmetic on 64-bit integers with known bounds.

Operations of GRAPH are emitted only if the result is not a constant.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp, LessOp, LogicalAndOp, SelectOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.scalars.constants import type_range

LEAST, GREATEST = type_range(i64)


@dataclass(frozen=True)
class Number:
    """Scalar `tensor<i64>` between `lo` and `hi`.

    A constant needs no value, and without a builder no number has one.
    """

    lo: int
    hi: int
    value: SSAValue | None = None

    @property
    def constant(self) -> int | None:
        """The number, where it can only be one."""
        return self.lo if self.lo == self.hi else None


@dataclass(frozen=True)
class Truth:
    """A scalar `tensor<i1>`: `known`, or a value."""

    known: bool | None
    value: SSAValue | None = None


TRUE, FALSE = Truth(True), Truth(False)


class Numbers:
    """Makes numbers of numbers; without a builder only their bounds."""

    def __init__(self, build: GraphBuilder | None = None) -> None:
        self.build = build

    def constant(self, value: int) -> Number:
        """A number that is known."""
        return Number(value, value)

    def value(self, number: Number) -> SSAValue:
        """The number in the program."""
        assert self.build is not None
        return self.build.scalar(number.lo, i64) if number.value is None else number.value

    def add(self, a: Number, b: int) -> Number:
        """a + b; as `plus`."""
        return self.plus(a, self.constant(b))

    def plus(self, a: Number, b: Number) -> Number:
        """Return a + b.

        Beyond 64 bits the sum wraps around, which its bounds indicate: they are wider.
        """
        return a if b.constant == 0 else self._made(AddOp, a, b, a.lo + b.lo, a.hi + b.hi)

    def minus(self, a: Number, b: Number) -> Number:
        """Return a − b.

        Beyond 64 bits the difference wraps around, which its bounds indicate: they are wider.
        """
        return a if b.constant == 0 else self._made(SubtractOp, a, b, a.lo - b.hi, a.hi - b.lo)

    def times(self, a: Number, b: int) -> Number:
        """a · b for b > 0; as `plus`."""
        return a if b == 1 else self._made(MultiplyOp, a, self.constant(b), a.lo * b, a.hi * b)

    def quotient(self, a: Number, b: int) -> Number:
        """Return a / b, rounded down.

        Requires b > 0 and an `a` that has not wrapped around.
        """
        return a if b == 1 else self._made(DivideOp, a, self.constant(b), a.lo // b, a.hi // b)

    def least(self, a: Number, b: Number) -> Number:
        """The less of the two."""
        if a.hi <= b.lo:
            return a
        return b if b.hi <= a.lo else self._made(MinimumOp, a, b, min(a.lo, b.lo), min(a.hi, b.hi))

    def greatest(self, a: Number, b: Number) -> Number:
        """The greater of the two."""
        if a.hi <= b.lo:
            return b
        return a if b.hi <= a.lo else self._made(MaximumOp, a, b, max(a.lo, b.lo), max(a.hi, b.hi))

    def is_less(self, a: Number, b: Number) -> Truth:
        """Return the truth of a < b."""
        if a.hi < b.lo:
            return TRUE
        return FALSE if a.lo >= b.hi else self._asked(LessOp, a, b)

    def is_equal(self, a: Number, b: Number) -> Truth:
        """Return the truth of a = b."""
        if a.hi < b.lo or b.hi < a.lo:
            return FALSE
        return TRUE if a.constant is not None and a.constant == b.constant else self._asked(EqualOp, a, b)

    def both(self, a: Truth, b: Truth) -> Truth:
        """Return the conjunction of both truths."""
        if a.known is not None:
            return b if a.known else FALSE
        if b.known is not None:
            return a if b.known else FALSE
        if self.build is None:
            return Truth(None)
        return Truth(None, self.build.make(LogicalAndOp, a.value, b.value))

    def select(self, condition: Truth, a: Number, b: Number) -> Number:
        """a where the condition holds, else b."""
        if condition.known is not None:
            return a if condition.known else b
        if a.constant is not None and a.constant == b.constant:
            return a
        lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
        if self.build is None:
            return Number(lo, hi)
        return Number(lo, hi, self.build.make(SelectOp, condition.value, self.value(a), self.value(b)))

    def _made(self, op_class: type[OvOperation], a: Number, b: Number, lo: int, hi: int) -> Number:
        if lo == hi or self.build is None:
            return Number(lo, hi)
        return Number(lo, hi, self.build.make(op_class, self.value(a), self.value(b)))

    def _asked(self, op_class: type[OvOperation], a: Number, b: Number) -> Truth:
        if self.build is None:
            return Truth(None)
        return Truth(None, self.build.make(op_class, self.value(a), self.value(b)))
