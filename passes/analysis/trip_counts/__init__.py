"""Trip counts of loops with a condition, if independent of data.

A condition that `ov.next` forwards is decomposed into terms that must all hold (`closed_form.terms`). For each term that compares
an integer that is affine in the iteration number (`IntegerForms`) with one from outside, a formula computes for how many
consecutive iterations it holds (`closed_form.leading_trips`), in numbers that are constants, bounds, or operations before the loop
(`closed_form.Numbers`). A condition that nothing outside the loop decides, which depends on constants only, is computed iteration by
iteration (`evaluate_condition`).

The loop then runs at most one iteration more than the condition holds. If the condition before the loop is the same one, on the
values before the first iteration, it determines how often the loop runs without any other condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType, UnrankedTensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.element_types import i64
from loomir.dialects.ov.base import evaluate, has_evaluator
from loomir.dialects.ov.facts import CONTENT_LIMIT
from loomir.dialects.ov.integer_forms import IntegerForms, emit_form, integer_type
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.scalars.intervals import Interval
from loomir.dialects.scalars.row import type_range
from loomir.errors import Error
from loomir.passes.analysis.inference.state import InferenceState
from loomir.passes.analysis.trip_counts.closed_form import (
    NO_LIMIT,
    BoundedMath,
    BoundedScalar,
    Comparison,
    TypeLimits,
    comparison,
    leading_trips,
    terms,
)

MAX_OPERATIONS = 50_000
"""Budget of evaluated operations for all loops of one program.

It amounts to half a second or so.
"""

MAX_SLICE = 100
"""Operations of a body that a condition may depend on."""


@dataclass
class EvaluationBudget:
    """How many operations may be computed yet."""

    operations: int = MAX_OPERATIONS


def evaluate_condition(
    loop: LoopOp, condition: SSAValue, inference: InferenceState, budget: EvaluationBudget
) -> Iterator[bool]:
    """Yield the value of a body's condition in iterations 0, 1, …

    The iterator continues as long as the value follows from constants and the budget lasts. It ends silently if something else is
    needed, or an operation fails.
    """
    slice_ = BodySlice(loop, inference)
    if not slice_.add(condition):
        return
    state = dict(slice_.initial)
    for iteration in count():
        budget.operations -= 1 + len(slice_.operations)
        values = slice_.values(state, iteration) if budget.operations >= 0 else None
        if values is None:
            return
        yield bool(values[condition].reshape(()))
        state = slice_.following(values)


class BodySlice:
    """Backward slice of a condition in a loop body.

    It spans this iteration and the earlier ones.
    """

    def __init__(self, loop: LoopOp, inference: InferenceState) -> None:
        self._loop = loop
        self._block = loop.body.block
        self._inference = inference
        self.constants: dict[SSAValue, np.ndarray] = {}
        self.initial: dict[SSAValue, np.ndarray] = {}
        self.carried: dict[SSAValue, SSAValue] = {}
        self.operations: list[Operation] = []

    def add(self, condition: SSAValue) -> bool:
        """Add what a value needs; whether all of that can be computed."""
        found: set[Operation] = set()
        seen: set[SSAValue] = set()
        waiting = [condition]
        while waiting:
            value = waiting.pop()
            if value in seen:
                continue
            seen.add(value)
            if not isinstance(value.type, TensorType | UnrankedTensorType):
                return False
            if isinstance(value, BlockArgument) and value.owner is self._block:
                if value is self._loop.iteration:
                    continue
                position = value.index - 1
                if position >= len(self._loop.carried):
                    return False
                first = self._inference.fact(self._loop.carried[position]).value
                if first is None:
                    return False
                self.initial[value] = first
                self.carried[value] = self._loop.next.carried[position]
                waiting.append(self.carried[value])
                continue
            op = value.owner
            if isinstance(op, Block) or op.parent is not self._block:
                known = self._inference.fact(value).value
                if known is None:
                    return False
                self.constants[value] = known
                continue
            if not has_evaluator(type(op)) or len(found) >= MAX_SLICE:
                return False
            found.add(op)
            waiting.extend(op.operands)
        self.operations = [op for op in self._block.ops if op in found]
        return True

    def values(
        self, state: Mapping[SSAValue, np.ndarray], iteration: int
    ) -> dict[SSAValue, np.ndarray] | None:
        """Return the slice's values in an iteration that begins with a state.

        None if an operation fails, or a value is large.
        """
        values = {**self.constants, **state, self._loop.iteration: np.array(iteration, np.int64)}
        try:
            for op in self.operations:
                values.update(zip(op.results, evaluate(op, [values[v] for v in op.operands])))
        except Error:
            return None
        return None if any(array.size > CONTENT_LIMIT for array in values.values()) else values

    def following(self, values: Mapping[SSAValue, np.ndarray]) -> dict[SSAValue, np.ndarray]:
        """Return the state of the next iteration."""
        return {argument: values[following] for argument, following in self.carried.items()}


@dataclass(frozen=True)
class CountedTerm:
    """Term of a loop's condition that compares a counter with a bound.

    The counter is an integer that is affine in the iteration number, the bound one from outside.
    """

    comparison: Comparison
    iteration: SSAValue
    form: AffineForm[SSAValue]
    bound: AffineForm[SSAValue]
    is_left: bool
    """On which side of the comparison the form stands."""

    @property
    def step(self) -> int:
        """How much the counter grows in an iteration."""
        return self.form.coefficient(self.iteration)

    def at(self, iteration: int) -> AffineForm[SSAValue]:
        """The counter in one iteration; −1 is before the first."""
        return self.form.substitute(self.iteration, AffineForm(iteration))

    def trips(self, numbers: BoundedMath, inference: InferenceState, first: int) -> BoundedScalar | None:
        """Return how many consecutive iterations from `first` on the term holds.

        The value before iteration 0 is the initial one.
        """
        element = integer_type(self.comparison.left, inference.fact)
        assert element is not None
        begin, bound = (_number(form, element, numbers, inference) for form in (self.at(first), self.bound))
        relation, limits = self.comparison.relation, TypeLimits.of(element)
        return leading_trips(numbers, relation, begin, self.step, bound, limits, is_left=self.is_left)

    def outlasts(self, trip: SSAValue, entered: bool) -> bool:
        """Return True if the term does not end a `trip`-trip loop early.

        Example: `i + 1 <= n` with n trips.

        If n is negative, the term never holds; with `entered`, it does not hold before the first iteration either.
        """
        relation = self.comparison.relation
        first = self.at(0)
        lower, upper = (first, self.bound) if self.is_left else (self.bound, first)
        if relation not in ("<", "<=") or self.step != (1 if self.is_left else -1):
            return False
        begin, end = lower.number, (upper - AffineForm.of(trip)).number
        if begin is None or begin < entered or end is None or end > 0:
            return False
        # It holds for max(0, trip + more) iterations, and one more runs.
        more = end - begin + (relation == "<=")
        return more >= -1


@dataclass(frozen=True)
class EvaluatedTerm:
    """Term of a loop's condition with a computed number of trips.

    The term holds for that many consecutive iterations, whatever the data.
    """

    satisfied_trips: int


@dataclass(frozen=True)
class TripCount:
    """Trip-count information from a loop's condition."""

    loop: LoopOp
    ending: Sequence[CountedTerm | EvaluatedTerm]
    """The terms that are false from a known iteration on."""
    other_conditions: Sequence[SSAValue]
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
            isinstance(term, CountedTerm) and term.outlasts(trip, index in self.entered)
            for index, term in enumerate(self.ending)
        )

    def most(self, numbers: BoundedMath, inference: InferenceState) -> BoundedScalar | None:
        """Return the maximum trip count of the loop if it is entered.

        The count is exact if there are no other terms. The result is None if there is no closed form. With a builder in `numbers` the
        count is emitted there.
        """
        least: BoundedScalar | None = None
        for index, term in enumerate(self.ending):
            trips = _iterations(term, index in self.entered, numbers, inference)
            if trips is None:
                return None
            least = trips if least is None else numbers.least(least, trips)
        return least


def _iterations(
    term: CountedTerm | EvaluatedTerm, entered: bool, numbers: BoundedMath, inference: InferenceState
) -> BoundedScalar | None:
    if isinstance(term, EvaluatedTerm):
        return numbers.constant(1 + term.satisfied_trips)
    if entered:
        return term.trips(numbers, inference, -1)
    holds = term.trips(numbers, inference, 0)
    return None if holds is None else numbers.add(numbers.least(holds, numbers.constant(NO_LIMIT)), 1)


def count_trips(loop: LoopOp, inference: InferenceState, budget: EvaluationBudget) -> TripCount | None:
    """Return the trip-count information of a loop with a condition, or None.

    The result is None if nothing is known, or if slices bound the trips, too.
    """
    condition = loop.next.cond
    if condition is None or loop.sliced:
        return None
    forms = IntegerForms(loop, inference.fact)
    ending: list[CountedTerm | EvaluatedTerm] = []
    others: list[SSAValue] = []
    for term in terms(condition):
        found = _counted_term(term, forms, inference)
        if found is None or found.trips(BoundedMath(), inference, 0) is None:
            found = _evaluated_term(loop, term, inference, budget)
        if found is None:
            others.append(term)
        else:
            ending.append(found)
    if not ending:
        return None
    entered, known = _entry(loop, forms, ending, inference)
    return TripCount(loop, ending, others, entered, known)


def _counted_term(term: SSAValue, forms: IntegerForms, inference: InferenceState) -> CountedTerm | None:
    compared = comparison(term)
    if compared is None or integer_type(compared.left, inference.fact) is None:
        return None
    left, right = forms.of(compared.left), forms.of(compared.right)
    if left is None or right is None:
        return None
    steps = [form.split(forms.loop.iteration)[0].number for form in (left, right)]
    if None in steps or all(steps):
        return None
    is_left = not steps[1]
    form, bound = (left, right) if is_left else (right, left)
    return CountedTerm(compared, forms.loop.iteration, form, bound, is_left)


def _evaluated_term(
    loop: LoopOp, term: SSAValue, inference: InferenceState, budget: EvaluationBudget
) -> EvaluatedTerm | None:
    """Count the consecutive iterations for which a term holds.

    If the term never fails, the result is the maximum trip count of the loop.
    """
    trip = None if loop.trip is None else inference.fact(loop.trip).value
    most = None if trip is None or int(trip.reshape(())) < 0 else int(trip.reshape(()))
    for iteration, holds in enumerate(evaluate_condition(loop, term, inference, budget)):
        if not holds:
            return EvaluatedTerm(iteration)
        if most is not None and iteration + 1 >= most:
            return EvaluatedTerm(most)
    return None


def _entry(
    loop: LoopOp,
    forms: IntegerForms,
    ending: Sequence[CountedTerm | EvaluatedTerm],
    inference: InferenceState,
) -> tuple[list[int], bool]:
    """Return the terms that the condition before the loop tests.

    The terms apply to the values before the first iteration. The second result is True if the condition tests nothing else.
    """
    if loop.cond is None or ((known := inference.fact(loop.cond).value) is not None and bool(known)):
        return [], True
    entered: list[int] = []
    complete = True
    for term in terms(loop.cond):
        asked = _counted_term(term, forms, inference)
        same = [k for k, e in enumerate(ending) if isinstance(e, CountedTerm) and _is_before(asked, e)]
        entered.extend(same[:1])
        complete = complete and bool(same)
    return entered, complete


def _is_before(asked: CountedTerm | None, term: CountedTerm) -> bool:
    """Return True if a condition before the loop matches the term.

    It must test what the term would test one iteration before the first.
    """
    if asked is None or asked.comparison.relation != term.comparison.relation:
        return False
    sides = (asked.form, asked.bound) if asked.is_left else (asked.bound, asked.form)
    before = term.at(-1)
    return sides == ((before, term.bound) if term.is_left else (term.bound, before))


def number_of(value: SSAValue, numbers: BoundedMath, inference: InferenceState) -> BoundedScalar:
    """An integer from outside the loop."""
    element = integer_type(value, inference.fact)
    assert element is not None
    return _number(AffineForm.of(value), element, numbers, inference)


def _number(
    form: AffineForm[SSAValue], element: IntegerType, numbers: BoundedMath, inference: InferenceState
) -> BoundedScalar:
    """Return a form as a 64-bit number.

    It wraps as the program's operations do, in the type `element`.
    """
    limits = TypeLimits.of(element)
    if (known := form.number) is not None:
        return numbers.constant(limits.wrapped(known))

    def interval(symbol: SSAValue) -> Interval:
        own = integer_type(symbol, inference.fact)
        assert own is not None
        (low, high), bounds = type_range(own), inference.fact(symbol).bounds
        lo, hi = (low, high) if bounds is None else (int(b.reshape(())) for b in bounds)
        return max(lo, low), min(hi, high)

    lo, hi = form.interval(interval) or (limits.lo, limits.hi)
    if lo < limits.lo or hi > limits.hi:
        lo, hi = limits.lo, limits.hi
    if numbers.build is None or lo == hi:
        return BoundedScalar(lo, hi)
    value = emit_form(form, element, numbers.build, inference.fact)
    if element != i64:
        value = numbers.build.make(ConvertOp, value, attributes={"destination_type": i64})
    return BoundedScalar(lo, hi, value)
