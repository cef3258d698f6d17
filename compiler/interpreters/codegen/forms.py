"""Index values as linear forms, read off the IR that computes them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import OpResult, SSAValue

from loomir.dialects.scalars.constants import constant_integer
from loomir.passes.analysis.integer_ranges import IntegerRanges

MAX_DEPTH = 64
"""Maximum number of operations through which a form is followed.

The values beyond are symbols.
"""


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


class Forms:
    """Linear forms of values, each computed once, and their `ranges`."""

    def __init__(self) -> None:
        self.ranges = IntegerRanges()
        self._forms: dict[SSAValue, Form] = {}

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
