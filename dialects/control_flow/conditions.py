"""Conditions that are known at a place, from the branches around it.

A condition is decided by the branches around it if the same condition, its negation, a conjunction or disjunction that contains
it, or a comparison that implies the result is known from an enclosing branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from loomir.dialects.control_flow.rewriting import Branch, arms_of, is_condition, negation_of
from loomir.dialects.element_types import i1
from loomir.dialects.ov.operators.comparison import LogicalAndOp, LogicalOrOp
from loomir.dialects.region_flow import enclosing
from loomir.dialects.scalars import EXCHANGED, OPPOSITE, integer_predicate_of
from loomir.dialects.scalars.intervals import Interval, meet
from loomir.dialects.scalars.row import constant_integer, constant_range, type_range

_MOST_PARTS = 32
"""Maximum number of parts of conditions to visit.

It applies to one condition and to all conditions around it. Parts beyond it count as unknown.
"""

_AND = arith.AndIOp | LogicalAndOp
_OR = arith.OrIOp | LogicalOrOp

_ORDERS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
"""Possible orders of two numbers for each relation."""


def enclosing_conditions(op: Operation) -> KnownConditions:
    """Return the conditions known at an operation from its enclosing branches."""
    holds: dict[SSAValue, bool] = {}
    left = _MOST_PARTS
    for around, region in enclosing(op):
        if isinstance(around, Branch):
            for value, truth in parts_of(around.cond, region is arms_of(around)[0]):
                holds.setdefault(value, truth)
                left -= 1
        if left <= 0:
            break
    return KnownConditions(holds)


def parts_of(condition: SSAValue, truth: bool) -> Iterator[tuple[SSAValue, bool]]:
    """Yield a known condition and its parts with their implied truth values."""
    work = [(condition, truth)]
    for _ in range(_MOST_PARTS):
        if not work:
            return
        value, truth = work.pop()
        yield value, truth
        made = value.owner
        if (opposite := negation_of(value)) is not None:
            work.append((opposite, not truth))
        elif isinstance(made, _AND if truth else _OR):
            work += ((part, truth) for part in made.operands)


class Comparison(NamedTuple):
    """A comparison of integers that holds.

    The predicate is its number in `arith.cmpi`; the right side may be a number.
    """

    predicate: int
    lhs: SSAValue
    rhs: SSAValue | int


class KnownConditions:
    """Known truth values of conditions and comparisons at a place."""

    def __init__(self, holds: dict[SSAValue, bool], comparisons: Iterable[Comparison] = ()) -> None:
        self._holds = holds
        self._left = _MOST_PARTS
        self._comparisons = [*comparisons]
        for condition, truth in holds.items():
            if isinstance(made := condition.owner, arith.CmpiOp):
                number = made.predicate.value.data
                self._comparisons.append(
                    Comparison(number if truth else OPPOSITE[number], made.lhs, made.rhs)
                )

    @staticmethod
    def where(condition: SSAValue, truth: bool) -> KnownConditions:
        """Return the conditions known where one has a truth value."""
        return KnownConditions(dict(parts_of(condition, truth)))

    def of(self, condition: SSAValue) -> bool | None:
        """Return the truth value of a condition, or None if unknown."""
        if not self._holds:
            return None
        if condition in self._holds:
            return self._holds[condition]
        self._left -= 1
        if self._left < 0:
            return None
        made = condition.owner
        if (opposite := negation_of(condition)) is not None:
            known = self.of(opposite)
            return None if known is None else not known
        if is_condition(condition.type) and isinstance(made, _AND | _OR):
            parts = [self.of(part) for part in made.operands]
            decides = isinstance(made, _OR)
            if decides in parts:
                return decides
            return None if None in parts else not decides
        if not isinstance(made, arith.CmpiOp):
            return None
        return self.comparison(made.predicate.value.data, made.lhs, made.rhs)

    def comparison(self, predicate: int, value: SSAValue, other: SSAValue) -> bool | None:
        """Return the result of a comparison, or None if unknown.

        It follows from known comparisons of the same two values, and from those of one of them with constants.
        """
        if constant_integer(value) is not None:
            value, other, predicate = other, value, EXCHANGED[predicate]
        for fact in self._comparisons:
            if (found := _decided(fact, predicate, (value, other))) is not None:
                return found
        relation, number = integer_predicate_of(predicate), constant_range(other)[0]
        if constant_integer(other) is None or value.type == i1 or (relation.unsigned and number < 0):
            return None
        low, high = self._range(value, unsigned=relation.unsigned)
        if low > high:
            return None
        orders = ("<" if low < number else "") + ("=" if low <= number <= high else "")
        return _compared(orders + (">" if high > number else ""), _ORDERS[relation.relation])

    def _range(self, value: SSAValue, *, unsigned: bool) -> Interval:
        """Return the range of a value, read as signed or unsigned."""
        ranges = [_reading(value, unsigned=False), _reading(value, unsigned=True)]
        for fact in self._comparisons:
            reading = integer_predicate_of(fact.predicate).unsigned
            ranges[reading] = meet(ranges[reading], _interval(fact, value))
        low, high = ranges[not unsigned]
        # A number that both readings have is the same in both.
        is_same = low >= 0 and high <= _reading(value, unsigned=False)[1]
        return meet(ranges[unsigned], (low, high)) if is_same else ranges[unsigned]


def _reading(value: SSAValue, *, unsigned: bool) -> Interval:
    """Return the range of a value's type, read as signed or unsigned."""
    low, high = type_range(value.type)
    return (0, high - low) if unsigned else (low, high)


def _decided(fact: Comparison, predicate: int, compared: tuple[SSAValue, SSAValue]) -> bool | None:
    """Return the result that a known comparison of the same values implies."""
    number = fact.predicate
    if (fact.rhs, fact.lhs) == compared:
        number = EXCHANGED[number]
    elif (fact.lhs, fact.rhs) != compared:
        return None
    holds, asked = integer_predicate_of(number), integer_predicate_of(predicate)
    possible = _ORDERS[holds.relation]
    if holds.unsigned is not asked.unsigned and "=" not in (possible, _ORDERS[asked.relation]):
        # What is less as a signed number may be more as an unsigned one: no more is known than whether they are equal.
        possible = "<=>" if "=" in possible else "<>"
    return _compared(possible, _ORDERS[asked.relation])


def _compared(possible: str, asked: str) -> bool | None:
    """Return the truth value of a relation, given the possible orders.

    True if the relation holds in all of the orders in which two numbers may compare, False if in none, otherwise None.
    """
    found = {order in asked for order in possible}
    return found.pop() if len(found) == 1 else None


def _interval(fact: Comparison, value: SSAValue) -> Interval:
    """Return a value's range, read as in a comparison that holds."""
    predicate, other = fact.predicate, fact.rhs
    low, high = _reading(value, unsigned=integer_predicate_of(predicate).unsigned)
    if fact.rhs is value:
        predicate, other = EXCHANGED[predicate], fact.lhs
    elif fact.lhs is not value:
        return low, high
    if isinstance(other, SSAValue):
        if constant_integer(other) is None:
            return low, high
        other = constant_range(other)[0]
    holds, number = integer_predicate_of(predicate), other
    if holds.unsigned and number < 0:
        return low, high
    match holds.relation:
        case "==":
            return number, number
        case "<":
            return low, number - 1
        case "<=":
            return low, number
        case ">":
            return number + 1, high
        case ">=":
            return number, high
        case _:
            return low, high
