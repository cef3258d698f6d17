"""Number of consecutive iterations in which a comparison holds.

The comparison is of an integer that grows or falls by a constant.

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
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType

from loomir.dialects.scalars.constants import type_range
from loomir.passes.analysis.trip_counts.conditions import Relation
from loomir.passes.analysis.trip_counts.numbers import GREATEST, LEAST, Number, Numbers, Truth

NO_LIMIT = 1 << 62
"""Trip count that no machine reaches.

One more than it is still a 64-bit number.
"""

MAX_STEP = 1 << 15
"""Maximum step of a 64-bit counter.

With a greater step it could wrap around in practice: 2^48 trips of a nanosecond are three days.
"""


@dataclass(frozen=True)
class Limits:
    """The numbers of a type."""

    lo: int
    hi: int

    @staticmethod
    def of(type_: IntegerType) -> Limits:
        """Those of an element type."""
        return Limits(*type_range(type_))

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
    numbers: Numbers,
    relation: Relation,
    first: Number,
    step: int,
    bound: Number,
    limits: Limits,
    *,
    is_left: bool,
) -> Number | None:
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


def _until_equal(numbers: Numbers, first: Number, step: int, bound: Number, limits: Limits) -> Number | None:
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
    distance = Number(low, high, distance.value)
    negative = numbers.is_less(distance, numbers.constant(0))
    return numbers.select(negative, numbers.constant(NO_LIMIT), Number(max(low, 0), high, distance.value))


def _is_far_from_the_end(first: Number, step: int, limits: Limits) -> bool:
    """Return True if a value will not wrap around in practice.

    It may then grow or fall without end.
    """
    far = limits.is_64_bits
    return far and (first.hi <= GREATEST - NO_LIMIT if step > 0 else first.lo >= LEAST + NO_LIMIT)


def _while_between(
    numbers: Numbers, relation: Relation, lower: Number, upper: Number, step: int, limits: Limits
) -> Number | None:
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


def _one_further(numbers: Numbers, bound: Number, rises: bool, limits: Limits) -> Number:
    """Return the bound of `<` equivalent to that of `<=`.

    It wraps around only where it is not used.
    """
    further = numbers.add(bound, 1 if rises else -1)
    return Number(max(further.lo, limits.lo), min(further.hi, limits.hi), further.value)


def _distance(numbers: Numbers, lower: Number, upper: Number) -> Number:
    """Return upper − lower, at least 0.

    If the difference exceeds a 64-bit number, the result is `NO_LIMIT`.
    """
    distance = numbers.minus(numbers.greatest(upper, lower), lower)
    # What the bounds forget: the greatest of both is not less than the one.
    distance = Number(max(distance.lo, 0), distance.hi, distance.value)
    if distance.hi <= GREATEST:
        return distance
    if distance.lo > GREATEST:
        return numbers.constant(NO_LIMIT)
    wrapped = numbers.is_less(Number(LEAST, GREATEST, distance.value), numbers.constant(0))
    return numbers.select(wrapped, numbers.constant(NO_LIMIT), Number(0, GREATEST, distance.value))


def _wraps(numbers: Numbers, steps: Number, first: Number, step: int, limits: Limits) -> Truth:
    """Return the truth of leaving the type's range after the last value.

    The last value for which the comparison holds is `steps` steps from the first; -1 means that there is none. The next step is the
    one that may lead beyond the type.
    """
    size, rises = abs(step), step > 0
    way = numbers.times(steps, size)
    last = numbers.plus(first, way) if rises else numbers.minus(first, way)
    # Where there is a last value, it is one of the type.
    last = Number(max(last.lo, limits.lo), min(last.hi, limits.hi), last.value)
    beyond = (
        numbers.is_less(numbers.constant(limits.hi - size), last)
        if rises
        else numbers.is_less(last, numbers.constant(limits.lo + size))
    )
    return numbers.both(numbers.is_less(numbers.constant(-1), steps), beyond)
