"""Number of consecutive iterations in which a comparison holds.

The comparison (`a < b`, `a <= b`, `a != b`; a condition is a conjunction of those) is of an integer that grows or falls by a
constant.

With f(j) = F + s · j (the value in iteration j) and a bound C from outside the loop, for s > 0:

| condition | holds for the first … j |
|---|---|
| f < C | ceil((C − F) / s), where F < C |
| f <= C | as f < C + 1; always where C is the greatest number of its type |
| f != C | C − F, where s = 1; round the end of the type, where C is less |
| f == C | 1, where F is C |

For s < 0 the same holds for the negated numbers. The values of f must not wrap around before: where f would exceed its type, the
condition continues to hold. With 64 bits, the loop then practically never ends (`NO_LIMIT`); with fewer bits there is no closed
form.

The formulas are arithmetic on 64-bit integers with known bounds (`BoundedMath`). Operations of GRAPH are emitted only if the result is
not a constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.integer_forms import REARRANGES
from loomir.dialects.ov.operators.comparison import (
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    LogicalNotOp,
    NotEqualOp,
    SelectOp,
)
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.scalars.row import type_range

LEAST, GREATEST = type_range(i64)


@dataclass(frozen=True)
class BoundedScalar:
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
class BooleanScalar:
    """A scalar `tensor<i1>`: `known`, or a value."""

    known: bool | None
    value: SSAValue | None = None


TRUE, FALSE = BooleanScalar(True), BooleanScalar(False)


class BoundedMath:
    """Makes numbers of numbers; without a builder only their bounds."""

    def __init__(self, build: GraphBuilder | None = None) -> None:
        self.build = build

    def constant(self, value: int) -> BoundedScalar:
        """A number that is known."""
        return BoundedScalar(value, value)

    def value(self, number: BoundedScalar) -> SSAValue:
        """The number in the program."""
        assert self.build is not None
        return self.build.scalar(number.lo, i64) if number.value is None else number.value

    def add(self, a: BoundedScalar, b: int) -> BoundedScalar:
        """a + b; as `plus`."""
        return self.plus(a, self.constant(b))

    def plus(self, a: BoundedScalar, b: BoundedScalar) -> BoundedScalar:
        """Return a + b.

        Beyond 64 bits the sum wraps around, which its bounds indicate: they are wider.
        """
        return a if b.constant == 0 else self._made(AddOp, a, b, a.lo + b.lo, a.hi + b.hi)

    def minus(self, a: BoundedScalar, b: BoundedScalar) -> BoundedScalar:
        """Return a − b.

        Beyond 64 bits the difference wraps around, which its bounds indicate: they are wider.
        """
        return a if b.constant == 0 else self._made(SubtractOp, a, b, a.lo - b.hi, a.hi - b.lo)

    def times(self, a: BoundedScalar, b: int) -> BoundedScalar:
        """a · b for b > 0; as `plus`."""
        return a if b == 1 else self._made(MultiplyOp, a, self.constant(b), a.lo * b, a.hi * b)

    def quotient(self, a: BoundedScalar, b: int) -> BoundedScalar:
        """Return a / b, rounded down.

        Requires b > 0 and an `a` that has not wrapped around.
        """
        return a if b == 1 else self._made(DivideOp, a, self.constant(b), a.lo // b, a.hi // b)

    def least(self, a: BoundedScalar, b: BoundedScalar) -> BoundedScalar:
        """The less of the two."""
        if a.hi <= b.lo:
            return a
        return b if b.hi <= a.lo else self._made(MinimumOp, a, b, min(a.lo, b.lo), min(a.hi, b.hi))

    def greatest(self, a: BoundedScalar, b: BoundedScalar) -> BoundedScalar:
        """The greater of the two."""
        if a.hi <= b.lo:
            return b
        return a if b.hi <= a.lo else self._made(MaximumOp, a, b, max(a.lo, b.lo), max(a.hi, b.hi))

    def is_less(self, a: BoundedScalar, b: BoundedScalar) -> BooleanScalar:
        """Return the truth of a < b."""
        if a.hi < b.lo:
            return TRUE
        return FALSE if a.lo >= b.hi else self._asked(LessOp, a, b)

    def is_equal(self, a: BoundedScalar, b: BoundedScalar) -> BooleanScalar:
        """Return the truth of a = b."""
        if a.hi < b.lo or b.hi < a.lo:
            return FALSE
        return TRUE if a.constant is not None and a.constant == b.constant else self._asked(EqualOp, a, b)

    def both(self, a: BooleanScalar, b: BooleanScalar) -> BooleanScalar:
        """Return the conjunction of both truths."""
        if a.known is not None:
            return b if a.known else FALSE
        if b.known is not None:
            return a if b.known else FALSE
        if self.build is None:
            return BooleanScalar(None)
        return BooleanScalar(None, self.build.make(LogicalAndOp, a.value, b.value))

    def select(self, condition: BooleanScalar, a: BoundedScalar, b: BoundedScalar) -> BoundedScalar:
        """a where the condition holds, else b."""
        if condition.known is not None:
            return a if condition.known else b
        if a.constant is not None and a.constant == b.constant:
            return a
        lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
        if self.build is None:
            return BoundedScalar(lo, hi)
        return BoundedScalar(lo, hi, self.build.make(SelectOp, condition.value, self.value(a), self.value(b)))

    def _made(
        self, op_class: type[OvOperation], a: BoundedScalar, b: BoundedScalar, lo: int, hi: int
    ) -> BoundedScalar:
        if lo == hi or self.build is None:
            return BoundedScalar(lo, hi)
        return BoundedScalar(lo, hi, self.build.make(op_class, self.value(a), self.value(b)))

    def _asked(self, op_class: type[OvOperation], a: BoundedScalar, b: BoundedScalar) -> BooleanScalar:
        if self.build is None:
            return BooleanScalar(None)
        return BooleanScalar(None, self.build.make(op_class, self.value(a), self.value(b)))


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


NO_LIMIT = 1 << 62
"""Trip count that no machine reaches.

One more than it is still a 64-bit number.
"""

MAX_STEP = 1 << 15
"""Maximum step of a 64-bit counter.

With a greater step it could wrap around in practice: 2^48 trips of a nanosecond are three days.
"""


@dataclass(frozen=True)
class TypeLimits:
    """The numbers of a type."""

    lo: int
    hi: int

    @staticmethod
    def of(type_: IntegerType) -> TypeLimits:
        """Those of an element type."""
        return TypeLimits(*type_range(type_))

    def wrapped(self, value: int) -> int:
        """The number of the type that has the same low bits."""
        return (value - self.lo) % (self.hi - self.lo + 1) + self.lo

    @property
    def is_64_bits(self) -> bool:
        """True if the limits are those of 64-bit integers.

        The arithmetic here uses these integers.
        """
        return (self.lo, self.hi) == (LEAST, GREATEST)


def leading_trips(
    numbers: BoundedMath,
    relation: Relation,
    first: BoundedScalar,
    step: int,
    bound: BoundedScalar,
    limits: TypeLimits,
    *,
    is_left: bool,
) -> BoundedScalar | None:
    """Return the number of consecutive j from 0 satisfying the relation.

    The relation is `f(j) relation bound` (with `is_left`; otherwise `bound relation f(j)`).

    `f(j)` is `first + step · j`; it and `bound` are numbers of a type whose least and greatest values are `limits`. The result is None
    if no closed form is certain.
    """
    if abs(step) > min(MAX_STEP, limits.hi) or limits.hi > GREATEST:
        return None
    nothing, no_limit = numbers.constant(0), numbers.constant(NO_LIMIT)
    if relation == "==":
        # With a step it is no more, until it wraps around.
        met = numbers.is_equal(first, bound)
        return numbers.select(met, numbers.constant(1) if step else no_limit, nothing)
    if relation == "!=":
        return _until_equal(numbers, first, step, bound, limits)
    lower, upper = (first, bound) if is_left else (bound, first)
    if step and (step > 0) == is_left:
        return _while_between(numbers, relation, lower, upper, step, limits)
    if step and not _is_far_from_the_end(first, step, limits):
        return None
    # It goes away from the bound, or stays: what holds first goes on to hold.
    if relation == "<":
        return numbers.select(numbers.is_less(lower, upper), no_limit, nothing)
    return numbers.select(numbers.is_less(upper, lower), nothing, no_limit)


def _until_equal(
    numbers: BoundedMath, first: BoundedScalar, step: int, bound: BoundedScalar, limits: TypeLimits
) -> BoundedScalar | None:
    if step == 0:
        return numbers.select(numbers.is_equal(first, bound), numbers.constant(0), numbers.constant(NO_LIMIT))
    lower, upper = (first, bound) if step > 0 else (bound, first)
    if lower.constant is not None and upper.constant is not None and lower.lo <= upper.lo:
        steps, rest = divmod(upper.lo - lower.lo, abs(step))
        if not rest:
            return numbers.constant(NO_LIMIT if steps > GREATEST else steps)
    if abs(step) != 1 or (not limits.is_64_bits and lower.hi > upper.lo):
        return None
    # Where the bound is behind, the counter goes round once.
    distance = numbers.minus(upper, lower)
    if distance.constant is not None:
        wrapped = limits.wrapped(distance.lo)
        return numbers.constant(NO_LIMIT if wrapped < 0 else wrapped)
    if distance.lo >= LEAST and distance.hi <= GREATEST:
        low, high = distance.lo, distance.hi
    else:
        low, high = LEAST, GREATEST
    distance = BoundedScalar(low, high, distance.value)
    negative = numbers.is_less(distance, numbers.constant(0))
    return numbers.select(
        negative, numbers.constant(NO_LIMIT), BoundedScalar(max(low, 0), high, distance.value)
    )


def _is_far_from_the_end(first: BoundedScalar, step: int, limits: TypeLimits) -> bool:
    """Return True if a value will not wrap around in practice.

    It may then grow or fall without end.
    """
    far = limits.is_64_bits
    return far and (first.hi <= GREATEST - NO_LIMIT if step > 0 else first.lo >= LEAST + NO_LIMIT)


def _while_between(
    numbers: BoundedMath,
    relation: Relation,
    lower: BoundedScalar,
    upper: BoundedScalar,
    step: int,
    limits: TypeLimits,
) -> BoundedScalar | None:
    """`lower < upper` (or `<=`), of which the step moves one towards the other."""
    rises = step > 0
    size = abs(step)
    bound = upper if rises else lower
    extreme = limits.hi if rises else limits.lo
    always = None
    if relation == "<=":
        # As `<`, with a bound one further; where there is none further, it holds for ever.
        always = numbers.is_equal(bound, numbers.constant(extreme))
        if always.known:
            return numbers.constant(NO_LIMIT)
        bound = _one_further(numbers, bound, rises, limits)
        lower, upper = (lower, bound) if rises else (bound, upper)
    distance = _distance(numbers, lower, upper)
    steps = numbers.quotient(numbers.add(distance, -1), size)
    trips = distance if size == 1 else numbers.add(steps, 1)
    # The last value for which it holds is at most one before the bound.
    reach = bound.hi - 1 + size if rises else bound.lo + 1 - size
    if (reach > limits.hi) if rises else (reach < limits.lo):
        if not limits.is_64_bits:
            return None
        wraps = _wraps(numbers, steps, lower if rises else upper, step, limits)
        trips = numbers.select(wraps, numbers.constant(NO_LIMIT), trips)
    if always is not None:
        trips = numbers.select(always, numbers.constant(NO_LIMIT), trips)
    return trips


def _one_further(
    numbers: BoundedMath, bound: BoundedScalar, rises: bool, limits: TypeLimits
) -> BoundedScalar:
    """Return the bound of `<` equivalent to that of `<=`.

    It wraps around only where it is not used.
    """
    further = numbers.add(bound, 1 if rises else -1)
    return BoundedScalar(max(further.lo, limits.lo), min(further.hi, limits.hi), further.value)


def _distance(numbers: BoundedMath, lower: BoundedScalar, upper: BoundedScalar) -> BoundedScalar:
    """Return upper − lower, at least 0.

    If the difference exceeds a 64-bit number, the result is `NO_LIMIT`.
    """
    distance = numbers.minus(numbers.greatest(upper, lower), lower)
    # What the bounds forget: the greatest of both is not less than the one.
    distance = BoundedScalar(max(distance.lo, 0), distance.hi, distance.value)
    if distance.hi <= GREATEST:
        return distance
    if distance.lo > GREATEST:
        return numbers.constant(NO_LIMIT)
    wrapped = numbers.is_less(BoundedScalar(LEAST, GREATEST, distance.value), numbers.constant(0))
    return numbers.select(wrapped, numbers.constant(NO_LIMIT), BoundedScalar(0, GREATEST, distance.value))


def _wraps(
    numbers: BoundedMath, steps: BoundedScalar, first: BoundedScalar, step: int, limits: TypeLimits
) -> BooleanScalar:
    """Return the truth of leaving the type's range after the last value.

    The last value for which the comparison holds is `steps` steps from the first; -1 means that there is none. The next step is the
    one that may lead beyond the type.
    """
    size, rises = abs(step), step > 0
    way = numbers.times(steps, size)
    last = numbers.plus(first, way) if rises else numbers.minus(first, way)
    # Where there is a last value, it is one of the type.
    last = BoundedScalar(max(last.lo, limits.lo), min(last.hi, limits.hi), last.value)
    beyond = (
        numbers.is_less(numbers.constant(limits.hi - size), last)
        if rises
        else numbers.is_less(last, numbers.constant(limits.lo + size))
    )
    return numbers.both(numbers.is_less(numbers.constant(-1), steps), beyond)
