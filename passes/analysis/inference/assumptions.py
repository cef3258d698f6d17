"""Facts that hold in a branch because it was taken.

They are the condition, and what it implies for values from outside.

```mlir
%c = ov.less %k, %three : …          // where %c holds %k is at most 2, where it does not %k is at least 3
%d = ov.less %k, %five : …
%r = ov.if %c -> (tensor<f32>) {
  …                                  // %d holds here, and %k + 1 is at most 3
} else {
  …                                  // here %d may hold or not
}
```

A condition is decomposed: into the operand of a negation, both parts of a conjunction that holds, both parts of a disjunction
that does not hold. A comparison determines in which *order* its operands may be (less, equal, greater, or none if one is NaN),
and thereby the results of other comparisons of the same two values; for integers and booleans of one element it narrows the
intervals. From these, the facts of outside values are recomputed in the branch, on demand. Floats have no intervals; arithmetic
that may wrap around implies nothing (`intervals`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.element_types import i1, is_integer
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.comparison import (
    CompareOp,
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    NotEqualOp,
    SelectOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.shape_rules import fact_from, interval_of, tracked
from loomir.dialects.region_flow import owning_block
from loomir.dialects.speculation import succeeds
from loomir.passes.analysis.inference.state import InferenceState, transfer

MAX_CONDITIONS = 64
"""Of a longer conjunction or disjunction not more parts are looked at."""

MAX_STEPS = 8
"""Maximum number of operations followed from a narrowed value."""

LESS, EQUAL, GREATER, UNORDERED = 1, 2, 4, 8
ANY_ORDER = LESS | EQUAL | GREATER | UNORDERED

HOLDS_FOR: dict[type[Operation], int] = {
    LessOp: LESS,
    LessEqualOp: LESS | EQUAL,
    GreaterOp: GREATER,
    GreaterEqualOp: GREATER | EQUAL,
    EqualOp: EQUAL,
    NotEqualOp: LESS | GREATER | UNORDERED,
}
"""In which orders of its operands a comparison holds."""


def _mirrored(orders: int) -> int:
    """The orders of the operands the other way round."""
    others = orders & (EQUAL | UNORDERED)
    return others | (GREATER if orders & LESS else 0) | (LESS if orders & GREATER else 0)


class Contradiction(Exception):
    """The condition cannot be so, for what is known."""


class Assumptions:
    """Assumptions in one branch of an `ov.if` and in its enclosing branches.

    The enclosing branches are those of `outer`. `depths` maps the blocks that the analysis is in, now those around the `ov.if`, to
    their nesting depths.
    """

    def __init__(self, state: InferenceState, depths: Mapping[Block, int], outer: Assumptions | None) -> None:
        self._state = state
        self._depths = depths
        self._depth = len(depths)
        self._outer = outer
        self._assumed: dict[SSAValue, Fact] = {}
        self._followed: dict[SSAValue, Fact] = {}
        self._orders: dict[tuple[SSAValue, SSAValue], int] = {}
        self._steps = 0

    # -- questions

    def fact(self, value: SSAValue) -> Fact:
        """Return the fact of a value that is read in the branch."""
        found = self._state.definition_fact(value)
        if found.value is not None or not has_interval(found) or not self._is_outside(value):
            return found
        if (followed := self._followed.get(value)) is None:
            followed = self._assumption(value) or found
            # While it is followed, and where it is given up, it is what was found.
            self._followed[value] = followed
            if followed.value is None and self._steps < MAX_STEPS:
                self._steps += 1
                self._followed[value] = followed = self._follow(value.owner, followed)
                self._steps -= 1
        return followed

    def chosen(self, op: SelectOp, result: Fact) -> Fact:
        """Return the fact of a single selected number.

        It covers each of the two values under the condition that selects it.
        """
        facts: list[Fact] = []
        for value, holds in ((op.then, True), (op.else_value, False)):
            assumptions = Assumptions(self._state, self._depths, self)
            if assumptions.assume(op.cond, holds):
                facts.append(assumptions.fact(value))
        if not facts or not all(has_interval(fact) and fact.static == result.static for fact in facts):
            return result
        ends = [_ends_of(fact) for fact in facts]
        lo, hi = min(lo for lo, _ in ends), max(hi for _, hi in ends)
        least, most = _ends_of(result)
        return _between(result, max(lo, least), min(hi, most)) if lo <= most and hi >= least else result

    def compared(self, op: Operation, results: Sequence[Fact]) -> Sequence[Fact]:
        """Return the facts of an operation's results.

        For a comparison the fact includes what the order of its operands implies.
        """
        if (known := self._comparison(op)) is None or not has_interval(results[0]):
            return results
        return [_between(results[0], int(known), int(known))]

    @property
    def contents(self) -> dict[SSAValue, np.ndarray]:
        """The values from outside whose contents are known here, and not elsewhere."""
        return {v: f.value for v, f in {**self._assumed, **self._followed}.items() if f.value is not None}

    # -- conditions

    def assume(self, condition: SSAValue, holds: bool) -> bool:
        """Assume that a condition holds, or does not.

        Returns True if this is consistent with the known facts; otherwise nothing is assumed.
        """
        return self._possible(lambda: self._assume(condition, holds))

    def narrow(self, value: SSAValue, lo: int, hi: int) -> bool:
        """Assume that a value of one element is between two numbers.

        Returns the same as `assume`.
        """
        return self._possible(lambda: self._narrow(value, lo, hi))

    def order(self, a: SSAValue, b: SSAValue, orders: int) -> bool:
        """Let two values be in one of these orders. Returns as `assume`."""
        return self._possible(lambda: self._assume_all(self._order(a, b, orders)))

    def _possible(self, assumed: Callable[[], None]) -> bool:
        try:
            assumed()
        except Contradiction:
            self._assumed.clear()
            self._orders.clear()
            return False
        finally:
            # What was followed on the way did not know of all that is assumed.
            self._followed.clear()
        return True

    def _assume(self, condition: SSAValue, holds: bool) -> None:
        self._assume_all([(condition, holds)])

    def _assume_all(self, conditions: Iterable[tuple[SSAValue, bool]]) -> None:
        waiting = list(conditions)
        for _ in range(MAX_CONDITIONS):
            if not waiting:
                break
            value, truth = waiting.pop()
            self._narrow(value, int(truth), int(truth))
            waiting += self._parts(value.owner, truth)

    def _parts(self, op: object, holds: bool) -> Iterator[tuple[SSAValue, bool]]:
        """The conditions that follow where the operation's result is this. Raises `Contradiction`."""
        if isinstance(op, LogicalNotOp):
            yield op.data, not holds
        elif isinstance(op, LogicalAndOp | LogicalOrOp):
            neutral = isinstance(op, LogicalAndOp)
            for part, other in ((op.a, op.b), (op.b, op.a)):
                known = self.fact(other).value
                # All parts of a conjunction that holds; of one that does not, the one beside what holds.
                if holds == neutral or (known is not None and known.size == 1 and bool(known) == neutral):
                    yield part, holds
        elif isinstance(op, CompareOp) and (holds_for := HOLDS_FOR.get(type(op))) is not None:
            yield from self._order(op.a, op.b, holds_for if holds else ANY_ORDER & ~holds_for)
        elif isinstance(op, ReshapeOp | SqueezeOp | UnsqueezeOp):
            yield op.data, holds

    def _order(self, a: SSAValue, b: SSAValue, orders: int) -> Iterator[tuple[SSAValue, bool]]:
        """Assume that two values are in one of these orders.

        Yields the booleans that become known.
        """
        orders &= self._orders_of(a, b)
        if not orders:
            raise Contradiction
        self._orders[a, b], self._orders[b, a] = orders, _mirrored(orders)
        if (of_a := self._ends(a)) is None or (of_b := self._ends(b)) is None:
            return
        (a_lo, a_hi), (b_lo, b_hi) = of_a, of_b
        apart = not orders & EQUAL
        if not orders & GREATER:
            a_hi, b_lo = min(a_hi, b_hi - apart), max(b_lo, a_lo + apart)
        if not orders & LESS:
            a_lo, b_hi = max(a_lo, b_lo + apart), min(b_hi, a_hi - apart)
        if apart:
            # One that is a single number takes it away from the end of the other.
            a_lo, a_hi = _without(a_lo, a_hi, b_lo, b_hi)
            b_lo, b_hi = _without(b_lo, b_hi, a_lo, a_hi)
        for value, lo, hi in (a, a_lo, a_hi), (b, b_lo, b_hi):
            self._narrow(value, lo, hi)
            if lo == hi and self.fact(value).element == i1:
                yield value, bool(lo)

    def _narrow(self, value: SSAValue, lo: int, hi: int) -> None:
        """Assume that a value is between two numbers.

        If the value is the only element of another value, that one is narrowed too. Raises `Contradiction`.
        """
        while (ends := self._ends(value)) is not None:
            lo, hi = max(lo, ends[0]), min(hi, ends[1])
            if lo > hi:
                raise Contradiction
            if (lo, hi) != ends:
                self._assumed[value] = _between(self.fact(value), lo, hi)
                self._followed.pop(value, None)
            if not isinstance(op := value.owner, ReshapeOp | SqueezeOp | UnsqueezeOp):
                return
            value = op.data

    # -- facts

    def _is_outside(self, value: SSAValue) -> bool:
        """Return True if a value is defined outside of the branch.

        The facts of other values already follow from all that holds where they are defined: in the branch, or in the body of a loop
        that the analysis has just left.
        """
        block = owning_block(value)
        return block is not None and self._depths.get(block, self._depth) < self._depth

    def _comparison(self, op: Operation) -> bool | None:
        """Return a comparison's result if the order of its operands decides it."""
        holds_for = HOLDS_FOR.get(type(op))
        if holds_for is None:
            return None
        orders = self._orders_of(op.operands[0], op.operands[1])
        if orders == ANY_ORDER or orders & holds_for not in (0, orders):
            return None
        return orders & holds_for != 0

    def _assumption(self, value: SSAValue) -> Fact | None:
        scope: Assumptions | None = self
        while scope is not None:
            if (assumed := scope._assumed.get(value)) is not None:
                return assumed
            scope = scope._outer
        return None

    def _follow(self, op: object, fact: Fact) -> Fact:
        """Return the fact of an operation's result under the assumptions.

        The result replaces `fact`.
        """
        if not isinstance(op, OvOperation) or op.regions or len(op.results) != 1:
            return fact
        if (known := self._comparison(op)) is not None:
            return _between(fact, int(known), int(known))
        facts = [self.fact(o) for o in op.operands]
        if all(f is self._state.definition_fact(o) for f, o in zip(facts, op.operands)) or not succeeds(
            op, facts
        ):
            return fact
        (result,) = transfer(op, facts)
        if not has_interval(result) or result.static != fact.static:
            return fact
        ends = _ends_of(fact)
        lo, hi = (pick(pair) for pick, pair in zip((max, min), zip(_ends_of(result), ends)))
        return _between(fact, lo, hi) if lo <= hi and (lo, hi) != ends else fact

    def _ends(self, value: SSAValue) -> tuple[int, int] | None:
        fact = self.fact(value)
        return _ends_of(fact) if has_interval(fact) else None

    def _orders_of(self, a: SSAValue, b: SSAValue) -> int:
        orders = ANY_ORDER
        scope: Assumptions | None = self
        while scope is not None:
            orders &= scope._orders.get((a, b), ANY_ORDER)
            scope = scope._outer
        element = self._state.definition_fact(a).element
        whole = is_integer(element) or element == i1
        return orders & ~UNORDERED if whole and orders != ANY_ORDER else orders


def has_interval(fact: Fact) -> bool:
    """Return True if a tensor is one number with a tracked interval."""
    return tracked(fact.element) and (shape := fact.static) is not None and prod(shape) == 1


def _ends_of(fact: Fact) -> tuple[int, int]:
    interval = interval_of(fact)
    assert interval is not None
    return int(interval[0].item()), int(interval[1].item())


def _between(fact: Fact, lo: int, hi: int) -> Fact:
    """The fact of the same tensor with these ends."""
    assert fact.static is not None
    extents = fact.static or (1,)
    return fact_from(fact.element, fact.shape, (np.full(extents, lo, object), np.full(extents, hi, object)))


def _without(lo: int, hi: int, other_lo: int, other_hi: int) -> tuple[int, int]:
    if other_lo != other_hi:
        return lo, hi
    return lo + (lo == other_lo), hi - (hi == other_lo)
