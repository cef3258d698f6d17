"""Affine conditions of branches in a loop, and their thresholds.

A comparison of integers that are affine in the iteration number i, with a known slope, has one result for all i below a *threshold*, and
another one from there on. `i < k` changes at `k`, `3 i + 7 <= m` at `floor((m - 7) / 3) + 1`; `i == k` changes at `k` and at `k + 1`.

```mlir
^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
  %a = ov.greater_equal %i, %five        // false below 5, then true
  %b = ov.less %i, %k                    // true below k, then false
  %c = ov.logical_and %a, %b
  %w = ov.if %c -> (tensor<4xf32>) { … } else { … }
```

Both operands have to be the integers of their forms: what wraps around compares otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.element_types import i64
from loomir.dialects.ov.integer_forms import REARRANGES, IntegerForms, integer_type
from loomir.dialects.ov.operators.comparison import (
    CompareOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    LogicalXorOp,
)
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.region_flow import comes_from_outside, enclosing
from loomir.dialects.scalars.intervals import Interval, contains
from loomir.dialects.scalars.row import type_range
from loomir.passes.analysis.costs import REGION_SIZE, code_size_of_block
from loomir.passes.analysis.inference.assumptions import EQUAL, GREATER, HOLDS_FOR, LESS

FAR = 1 << 62
"""No iteration has this number: nobody waits for it."""

MAX_PARTS = 32
"""Operations on booleans that one condition is looked back through."""

_SMALL = 1 << 32


class IterationForms(IntegerForms):
    """Forms of a loop's body, with bounds of every symbol."""

    def extents(self, value: SSAValue) -> tuple[int, ...] | None:
        """The shape of a value if it is known."""
        return self._fact_of(value).static

    def interval(self, symbol: SSAValue) -> Interval | None:
        """The bounds of a symbol, at least those of its type."""
        element = integer_type(symbol, self._fact_of)
        if element is None:
            return None
        known = super().interval(symbol)
        lo, hi = type_range(element) if known is None else known
        return (max(lo, 0), min(hi, FAR)) if symbol is self.loop.iteration else (lo, hi)


@dataclass(frozen=True)
class Threshold:
    """The iteration number `floor(numerator / divisor)`.

    The symbols of the numerator are from outside of the loop.
    """

    numerator: AffineForm[SSAValue]
    divisor: int

    @staticmethod
    def of(numerator: AffineForm[SSAValue], divisor: int) -> Threshold:
        """The threshold with the least divisor of those that are known."""
        known = numerator.number
        return Threshold(numerator, divisor) if known is None else Threshold(AffineForm(known // divisor), 1)

    @property
    def number(self) -> int | None:
        """The number if it is known."""
        return self.numerator.number

    def interval(self, forms: IterationForms) -> Interval | None:
        """The bounds of the number."""
        found = self.numerator.interval(forms.interval)
        return None if found is None else (found[0] // self.divisor, found[1] // self.divisor)

    def is_at_most(self, other: Threshold, forms: IterationForms) -> bool:
        """Return True if a threshold is surely not behind another one."""
        if self.divisor == other.divisor:
            distance = (other.numerator - self.numerator).interval(forms.interval)
            return distance is not None and distance[0] >= 0
        own, its = self.interval(forms), other.interval(forms)
        return own is not None and its is not None and own[1] <= its[0]

    def sole_symbol(self) -> SSAValue | None:
        """The symbol if the numerator is one and a small constant."""
        terms = self.numerator.terms
        alone = len(terms) == 1 and terms[0][1] == 1 and isinstance(terms[0][0], SSAValue)
        return terms[0][0] if alone and abs(self.numerator.constant) < _SMALL else None

    def is_computable(self, forms: IterationForms) -> bool:
        """Return True if 64 bits hold the numerator, perhaps limited."""
        own_range = type_range(i64)
        if self.numerator.fits(own_range, forms.interval):
            return True
        symbol = self.sole_symbol()
        bounds = None if symbol is None else forms.interval(symbol)
        return bounds is not None and contains(own_range, bounds)


@dataclass(frozen=True)
class AffineComparison:
    """A comparison with one result between each two thresholds.

    There is one more result than thresholds, which are in order.
    """

    op: CompareOp
    shape: tuple[int, ...]
    thresholds: tuple[Threshold, ...]
    results: tuple[bool, ...]


def affine_comparison(op: CompareOp, forms: IterationForms) -> AffineComparison | None:
    """Return where the result of a comparison changes, or None."""
    a, b = forms.of(op.a), forms.of(op.b)
    shape = forms.extents(op.output)
    if shape is None or a is None or b is None or not (forms.is_exact(op.a) and forms.is_exact(op.b)):
        return None
    slope, rest = (a - b).split(forms.loop.iteration)
    factor, orders = slope.number, (LESS, EQUAL, GREATER)
    if not factor or not all(comes_from_outside(symbol, forms.loop) for symbol in rest.symbols()):
        return None
    if factor < 0:
        factor, rest, orders = -factor, rest * -1, orders[::-1]
    # The difference is 0 or more from ceil(-rest / factor) on, and more than 0 from floor(-rest / factor) + 1 on.
    ends = Threshold.of(rest * -1 + (factor - 1), factor), Threshold.of(rest * -1 + factor, factor)
    holds = [bool(HOLDS_FOR[type(op)] & order) for order in orders]
    thresholds: list[Threshold] = []
    results = holds[:1]
    for end, after in zip(ends, holds[1:]):
        if after is not results[-1]:
            thresholds.append(end)
            results.append(after)
    if not all(threshold.is_computable(forms) for threshold in thresholds):
        return None
    return AffineComparison(op, shape, tuple(thresholds), tuple(results))


def loops_of(condition: SSAValue) -> Iterator[LoopOp]:
    """Yield the loops that the comparisons in a condition depend on.

    They read its iteration number or carried values. This needs no inference; a loop may come twice.
    """
    waiting = [value for op in comparisons_in(condition) for value in op.operands]
    seen = set(waiting)
    while waiting:
        value = waiting.pop()
        owner = value.owner
        if isinstance(owner, Block):
            if isinstance(loop := owner.parent_op(), LoopOp):
                yield loop
        elif not owner.regions and len(seen) < MAX_PARTS:
            waiting += (new := set(owner.operands) - seen)
            seen |= new


_LOGIC = (LogicalAndOp, LogicalOrOp, LogicalXorOp, LogicalNotOp, *REARRANGES)


def comparisons_in(condition: SSAValue) -> Iterator[CompareOp]:
    """Yield the comparisons that a condition combines."""
    waiting, seen = [condition], {condition}
    while waiting:
        op = waiting.pop().owner
        if isinstance(op, CompareOp):
            yield op
        elif isinstance(op, _LOGIC):
            for operand in (op.operands[0],) if isinstance(op, REARRANGES) else op.operands:
                if operand not in seen and len(seen) < MAX_PARTS:
                    seen.add(operand)
                    waiting.append(operand)


def decided(condition: SSAValue, known: Mapping[SSAValue, bool], depth: int = MAX_PARTS) -> bool | None:
    """Return a condition's value from those it combines, or None."""
    if condition in known:
        return known[condition]
    op = condition.owner
    if isinstance(op, ConstantOp):
        return bool(np.all(op.array)) if op.array.size == 1 else None
    if not isinstance(op, _LOGIC) or not depth:
        return None
    if isinstance(op, REARRANGES):
        return decided(op.operands[0], known, depth - 1)
    parts = [decided(operand, known, depth - 1) for operand in op.operands]
    if isinstance(op, LogicalAndOp | LogicalOrOp):
        ends = isinstance(op, LogicalOrOp)
        return ends if ends in parts else None if None in parts else not ends
    if None in parts:
        return None
    return not parts[0] if isinstance(op, LogicalNotOp) else parts[0] is not parts[1]


def untaken_size(branches: Sequence[IfOp], known: Mapping[SSAValue, bool]) -> int:
    """Return the code size that goes if some conditions are known.

    It is that of the arms that are not taken, and of the branches. Outer branches come before those in them.
    """
    saved, gone = 0, set[Operation]()
    for branch in branches:
        if any(op in gone for op, _ in enclosing(branch)) or (taken := decided(branch.cond, known)) is None:
            continue
        arm = (branch.else_region if taken else branch.then_region).block
        saved += code_size_of_block(arm) + REGION_SIZE
        gone.update(op for op in arm.ops if op.regions)
    return saved
