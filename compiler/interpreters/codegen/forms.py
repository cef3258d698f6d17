"""Index values as linear forms and intervals, read off the IR that computes them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.constants import constant_integer
from loomir.dialects.scalars.intervals import contains
from loomir.dialects.scalars.row import is_boolean, is_integer, width_of

MAX_DEPTH = 64
"""How many operations a form is followed through; what is behind is a symbol."""


@dataclass(frozen=True)
class Form:
    """`constant + Σ coefficient · symbol`, as a mathematical integer (no wrap-around)."""

    constant: int
    terms: dict[SSAValue, int]

    def plus(self, other: Form, factor: int = 1) -> Form:
        terms = dict(self.terms)
        for symbol, coefficient in other.terms.items():
            total = terms.get(symbol, 0) + factor * coefficient
            if total:
                terms[symbol] = total
            else:
                terms.pop(symbol, None)
        return Form(self.constant + factor * other.constant, terms)

    def times(self, factor: int) -> Form:
        return Form(0, {}).plus(self, factor)


def type_range(element: Attribute) -> tuple[int, int]:
    """The range of an integer type; a boolean is 0 or 1."""
    if is_boolean(element):
        return 0, 1
    width = width_of(element) if is_integer(element) else 64
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


class Forms:
    """Linear forms and intervals of values, each computed once."""

    def __init__(self) -> None:
        self._forms: dict[SSAValue, Form] = {}
        self._intervals: dict[SSAValue, tuple[int, int]] = {}

    def form(self, value: SSAValue, depth: int = 0) -> Form:
        """The value as a linear form of loop variables and other symbols."""
        known = self._forms.get(value)
        if known is None:
            known = self._forms[value] = self._form(value, depth)
        return known

    def _form(self, value: SSAValue, depth: int) -> Form:
        if (number := constant_integer(value)) is not None:
            return Form(number, {})
        if isinstance(value, OpResult) and isinstance(value.type, IndexType) and depth < MAX_DEPTH:
            op = value.op
            if isinstance(op, arith.AddiOp | arith.SubiOp):
                sign = 1 if isinstance(op, arith.AddiOp) else -1
                return self.form(op.lhs, depth + 1).plus(self.form(op.rhs, depth + 1), sign)
            if isinstance(op, arith.MuliOp):
                for factor, other in ((op.rhs, op.lhs), (op.lhs, op.rhs)):
                    if (number := constant_integer(factor)) is not None:
                        return self.form(other, depth + 1).times(number)
        return Form(0, {value: 1})

    def interval(self, value: SSAValue, depth: int = 0) -> tuple[int, int]:
        """A range that holds every value that an integer can take."""
        known = self._intervals.get(value)
        if known is None:
            known = self._intervals[value] = self._interval(value, depth)
        return known

    def _interval(self, value: SSAValue, depth: int) -> tuple[int, int]:
        full = type_range(value.type)
        if (number := constant_integer(value)) is not None:
            return number, number
        if depth >= MAX_DEPTH:
            return full
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if isinstance(loop, scf.ForOp) and value.index == 0:
                low, high = self.interval(loop.lb, depth + 1)[0], self.interval(loop.ub, depth + 1)[1] - 1
                return low, max(low, high)
            return full
        if not isinstance(value, OpResult):
            return full
        if (exact := self.exact_range(value, depth)) is not None and contains(full, exact):
            return exact
        return full

    def exact_range(self, value: OpResult, depth: int = 0) -> tuple[int, int] | None:
        """The range of the mathematical result of an addition and so on; None for other operations.

        Where it fits the type there is no wrap-around.
        """
        row = SCALARS.get(type(value.op))
        if row is None or row.interval is None:
            return None
        return row.interval(value.op, lambda operand: self.interval(operand, depth + 1))

    def wraps(self, value: OpResult) -> bool:
        """Whether the exact result of an integer operation may leave its type."""
        exact = self.exact_range(value)
        return exact is not None and not contains(type_range(value.type), exact)
