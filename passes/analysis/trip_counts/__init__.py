"""Trip counts of loops with a condition, if independent of data.

A condition that `ov.next` forwards is decomposed into terms that must all hold (`conditions`). For each term that compares an
integer that is affine in the iteration number (`affine`) with one from outside, a formula computes for how many consecutive
iterations it holds (`closed_form`), in numbers that are constants, bounds, or operations before the loop (`numbers`). A
condition that depends on constants only is computed (`evaluated`).

The loop then runs at most one iteration more than the condition holds. If the condition before the loop is the same one, on the
values before the first iteration, it determines how often the loop runs without any other condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.passes.analysis.inference.state import State
from loomir.passes.analysis.trip_counts.affine import Affine, AffineForms, integer_type
from loomir.passes.analysis.trip_counts.closed_form import NO_LIMIT, Limits, leading_trips
from loomir.passes.analysis.trip_counts.conditions import Comparison, comparison, terms
from loomir.passes.analysis.trip_counts.evaluated import Budget, held
from loomir.passes.analysis.trip_counts.numbers import Number, Numbers


@dataclass(frozen=True)
class Counter:
    """Term of a loop's condition that compares a counter with a bound.

    The counter is an integer that is affine in the iteration number, the bound one from outside.
    """

    comparison: Comparison
    form: Affine
    bound: Affine
    is_left: bool
    """On which side of the comparison the form stands."""

    def trips(self, numbers: Numbers, inference: State, first: int) -> Number | None:
        """Return how many consecutive iterations from `first` on the term holds.

        The value before iteration 0 is the initial one.
        """
        element = integer_type(self.comparison.left, inference)
        assert element is not None
        limits = Limits.of(element)
        begin, bound = (
            _number(form, self.comparison.left, limits, numbers, inference)
            for form in (self.form.shifted(first), self.bound)
        )
        relation, step = self.comparison.relation, self.form.step
        return leading_trips(numbers, relation, begin, step, bound, limits, is_left=self.is_left)

    def outlasts(self, trip: SSAValue, entered: bool) -> bool:
        """Return True if the term does not end a `trip`-trip loop early.

        Example: `i + 1 <= n` with n trips.

        If n is negative, the term never holds; with `entered`, it does not hold before the first iteration either.
        """
        relation, step = self.comparison.relation, self.form.step
        lower, upper = (self.form, self.bound) if self.is_left else (self.bound, self.form)
        if relation not in ("<", "<=") or step != (1 if self.is_left else -1):
            return False
        if lower.base is not None or lower.offset < entered or upper.base is not trip or upper.offset > 0:
            return False
        # It holds for max(0, trip + more) iterations, and one more runs.
        more = upper.offset - lower.offset + (relation == "<=")
        return more >= -1


@dataclass(frozen=True)
class Computed:
    """Term of a loop's condition with a computed number of trips.

    The term holds for that many consecutive iterations, whatever the data.
    """

    holds: int


@dataclass(frozen=True)
class TripCount:
    """Trip-count information from a loop's condition."""

    loop: LoopOp
    ending: Sequence[Counter | Computed]
    """The terms that are false from a known iteration on."""
    others: Sequence[SSAValue]
    """The terms of which only the run knows."""
    entered: Sequence[int] = field(default=())
    """Indices of the terms of `ending` also tested before the loop.

    There they apply to the values before the first iteration.
    """
    entry_is_known: bool = False
    """True if these are the only terms tested before the loop."""

    def outlast(self, trip: SSAValue) -> bool:
        """Return True if no term ends a loop of `trip` trips early."""
        return all(
            isinstance(term, Counter) and term.outlasts(trip, index in self.entered)
            for index, term in enumerate(self.ending)
        )

    def most(self, numbers: Numbers, inference: State) -> Number | None:
        """Return the maximum trip count of the loop if it is entered.

        The count is exact if there are no other terms. The result is None if there is no closed form. With a builder in `numbers` the
        count is emitted there.
        """
        least: Number | None = None
        for index, term in enumerate(self.ending):
            trips = _iterations(term, index in self.entered, numbers, inference)
            if trips is None:
                return None
            least = trips if least is None else numbers.least(least, trips)
        return least


def _iterations(term: Counter | Computed, entered: bool, numbers: Numbers, inference: State) -> Number | None:
    if isinstance(term, Computed):
        return numbers.constant(1 + term.holds)
    if entered:
        return term.trips(numbers, inference, -1)
    holds = term.trips(numbers, inference, 0)
    return None if holds is None else numbers.add(numbers.least(holds, numbers.constant(NO_LIMIT)), 1)


def count_trips(loop: LoopOp, inference: State, budget: Budget) -> TripCount | None:
    """Return the trip-count information of a loop with a condition, or None.

    The result is None if nothing is known, or if slices bound the trips, too.
    """
    condition = loop.next.cond
    if condition is None or loop.sliced:
        return None
    forms = AffineForms(loop, inference)
    ending: list[Counter | Computed] = []
    others: list[SSAValue] = []
    for term in terms(condition):
        found = _counter(term, forms, inference)
        if found is None or found.trips(Numbers(), inference, 0) is None:
            found = _computed(loop, term, inference, budget)
        if found is None:
            others.append(term)
        else:
            ending.append(found)
    if not ending:
        return None
    entered, known = _entry(loop, forms, ending, inference)
    return TripCount(loop, ending, others, entered, known)


def _counter(term: SSAValue, forms: AffineForms, inference: State) -> Counter | None:
    compared = comparison(term)
    if compared is None or integer_type(compared.left, inference) is None:
        return None
    left, right = forms.of(compared.left), forms.of(compared.right)
    if left is None or right is None or (left.step and right.step):
        return None
    is_left = not right.step
    form, bound = (left, right) if is_left else (right, left)
    return Counter(compared, form, bound, is_left)


def _computed(loop: LoopOp, term: SSAValue, inference: State, budget: Budget) -> Computed | None:
    """Count the consecutive iterations for which a term holds.

    If the term never fails, the result is the maximum trip count of the loop.
    """
    trip = None if loop.trip is None else inference.fact(loop.trip).value
    most = None if trip is None or int(trip.reshape(())) < 0 else int(trip.reshape(()))
    for iteration, holds in enumerate(held(loop, term, inference, budget)):
        if not holds:
            return Computed(iteration)
        if most is not None and iteration + 1 >= most:
            return Computed(most)
    return None


def _entry(
    loop: LoopOp, forms: AffineForms, ending: Sequence[Counter | Computed], inference: State
) -> tuple[list[int], bool]:
    """Return the terms that the condition before the loop tests.

    The terms apply to the values before the first iteration. The second result is True if the condition tests nothing else.
    """
    if loop.cond is None or ((known := inference.fact(loop.cond).value) is not None and bool(known)):
        return [], True
    entered: list[int] = []
    complete = True
    for term in terms(loop.cond):
        asked = _counter(term, forms, inference)
        same = [k for k, e in enumerate(ending) if isinstance(e, Counter) and _is_before(asked, e)]
        entered.extend(same[:1])
        complete = complete and bool(same)
    return entered, complete


def _is_before(asked: Counter | None, term: Counter) -> bool:
    """Return True if a condition before the loop matches the term.

    It must test what the term would test one iteration before the first.
    """
    if asked is None or asked.comparison.relation != term.comparison.relation:
        return False
    sides = (asked.form, asked.bound) if asked.is_left else (asked.bound, asked.form)
    before = term.form.shifted(-1)
    first = Affine(before.base, before.offset, 0)
    return sides == ((first, term.bound) if term.is_left else (term.bound, first))


def number_of(value: SSAValue, numbers: Numbers, inference: State) -> Number:
    """An integer from outside the loop."""
    element = integer_type(value, inference)
    assert element is not None
    return _number(Affine(value, 0, 0), value, Limits.of(element), numbers, inference)


def _number(form: Affine, like: SSAValue, limits: Limits, numbers: Numbers, inference: State) -> Number:
    """Return `base + offset` as a 64-bit number.

    The sum wraps as the program's operations do, in the type of `like`.
    """
    if form.base is None:
        return numbers.constant(limits.wrapped(form.offset))
    bounds = inference.fact(form.base).bounds
    lo, hi = (limits.lo, limits.hi) if bounds is None else (int(b.reshape(())) for b in bounds)
    lo, hi = max(lo, limits.lo) + form.offset, min(hi, limits.hi) + form.offset
    if lo < limits.lo or hi > limits.hi:
        lo, hi = limits.lo, limits.hi
    if numbers.build is None or lo == hi:
        return Number(lo, hi)
    build, value = numbers.build, form.base
    fact = inference.fact(value)
    if fact.rank != 0:
        value = build.make(ReshapeOp, value, build.integers([]), attributes={"special_zero": False})
    if form.offset:
        value = build.make(AddOp, value, build.scalar(limits.wrapped(form.offset), fact.element))
    if fact.element != i64:
        value = build.make(ConvertOp, value, attributes={"destination_type": i64})
    return Number(lo, hi, value)
