"""Mistakes in how the trips of a loop are counted, and in what `ov-uplift-while-to-for` makes of them."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

LIT = ("passes/graph/ov_uplift_while_to_for.mlir", "passes/graph/xla/loop_trip*.mlir")
UNITS = (
    "passes/graph/test_counted_conditions.py",
    "passes/graph/test_ov_uplift_while_to_for.py",
    "passes/analysis/trip_counts/test_closed_form.py",
)
ROWS = (
    "trips_affine_step",
    "trips_of_the_iteration_number",
    "trips_decreasing",
    "trips_not_equal",
    "trips_bound_of_a_conjunction",
    "trips_between_two_inputs",
    "trips_by_evaluation",
    "trips_condition_that_never_ends",
)

_trips = Place("passes/analysis/trip_counts/__init__.py", LIT, UNITS, ROWS)
_affine = Place("dialects/ov/integer_forms.py", LIT, (*UNITS, "dialects/ov/test_integer_forms.py"), ROWS)
_closed = Place("passes/analysis/trip_counts/closed_form.py", LIT, UNITS, ROWS)
_conditions = Place("passes/analysis/trip_counts/closed_form.py", LIT, UNITS, ROWS)
_evaluated = Place("passes/analysis/trip_counts/__init__.py", LIT, UNITS, ROWS)
_numbers = Place("passes/analysis/trip_counts/closed_form.py", LIT, UNITS, ROWS)
_uplift = Place("passes/graph/ov_uplift_while_to_for.py", LIT, UNITS, ROWS)

TRIP_COUNTS: tuple[Mutation, ...] = (
    _trips(
        "trips-without-the-iteration-that-ends-it",
        "numbers.least(holds, numbers.constant(NO_LIMIT)), 1)",
        "numbers.least(holds, numbers.constant(NO_LIMIT)), 0)",
        "the iteration in which a condition is false for the first time is not one of the trips",
    ),
    _trips(
        "computed-trips-one-less",
        "return numbers.constant(1 + term.satisfied_trips)",
        "return numbers.constant(term.satisfied_trips)",
        "the same, of a condition that is computed",
    ),
    _trips(
        "entry-from-iteration-zero",
        "return term.trips(numbers, inference, -1)",
        "return term.trips(numbers, inference, 0)",
        "a condition that is asked before the loop counts from what the first iteration hands on",
    ),
    _trips(
        "entry-of-another-relation",
        "if asked is None or asked.comparison.relation != term.comparison.relation:",
        "if asked is None:",
        "`<=` before the loop counts as the `<` in it",
    ),
    _trips(
        "entry-of-another-side",
        "return sides == ((before, term.bound) if term.is_left else (term.bound, before))",
        "return sides in ((before, term.bound), (term.bound, before))",
        "`a < b` before the loop counts as the `b < a` in it",
    ),
    _trips(
        "entry-half-known",
        "complete = complete and bool(same)",
        "complete = complete or bool(same)",
        "of a conjunction before the loop one term that is known is enough",
    ),
    _trips(
        "outlasts-one-too-few",
        "return more >= -1",
        "return more >= -2",
        "a condition that ends the loop one iteration before its trip count does not count",
    ),
    _trips(
        "outlasts-negative-offset",
        "begin is None or begin < entered or end is None",
        "begin is None or end is None",
        "a counter that begins below 0, or an entry condition, is not looked at",
    ),
    _trips(
        "least-is-greatest",
        "least = trips if least is None else numbers.least(least, trips)",
        "least = trips if least is None else numbers.greatest(least, trips)",
        "of two terms of a conjunction the later one ends the loop",
    ),
    _trips(
        "offset-beyond-the-type",
        "if lo < limits.lo or hi > limits.hi:",
        "if lo < limits.lo:",
        "a bound plus a constant may wrap around at the upper end of its type",
    ),
    _affine(
        "widened-counter",
        "return form if narrower or form.fits(type_range(before), self.interval) else None",
        "return form",
        "a counter of few bits that is converted to many does not wrap around",
    ),
    _affine(
        "converted-symbol",
        "if fact.element != element:",
        "if False:",
        "an input of another type is added as it is",
    ),
    _affine(
        "difference-added",
        "a - b if isinstance(op, SubtractOp) else a * b",
        "a + b if isinstance(op, SubtractOp) else a * b",
        "what is subtracted has the wrong sign",
    ),
    _affine(
        "begin-without-its-offset",
        "return first + step * AffineForm.of(self.loop.iteration)",
        "return first - first.constant + step * AffineForm.of(self.loop.iteration)",
        "a counter begins with the input, not with what is added to it",
    ),
    _affine(
        "step-that-grows",
        "if not all(comes_from_outside(symbol, self.loop) for symbol in step.symbols()):",
        "if argument in step.symbols():",
        "a counter that grows by the iteration number has a constant step",
    ),
    _closed(
        "quotient-rounded-down",
        "steps = numbers.quotient(numbers.add(distance, -1), size)",
        "steps = numbers.quotient(numbers.add(distance, -size), size)",
        "the last step, which does not go all the way to the bound, is forgotten",
    ),
    _closed(
        "bound-at-the-end-of-the-type",
        "    if always is not None:\n        trips = ",
        "    if False:\n        trips = ",
        "`i <= greatest number` is `i < least number`",
    ),
    _closed(
        "step-beyond-the-end",
        "reach = bound.hi - 1 + size if rises else bound.lo + 1 - size",
        "reach = bound.hi - 1",
        "a step that leads round the end of the type is not looked at",
    ),
    _closed(
        "falling-as-rising",
        "if step and (step > 0) == is_left:",
        "if step and (step > 0):",
        "on which side of the comparison the counter stands is forgotten",
    ),
    _closed(
        "going-away-wraps",
        "if step and not _is_far_from_the_end(first, step, limits):",
        "if False:",
        "a counter that goes away from its bound never comes round the end of its type",
    ),
    _closed(
        "not-equal-passes",
        "        if not rest:\n",
        "        if True:\n",
        "a counter that steps over the number that it is to meet meets it",
    ),
    _closed(
        "equal-for-ever",
        "numbers.constant(1) if step else no_limit, nothing)",
        "no_limit, nothing)",
        "a counter that is equal to its bound stays so",
    ),
    _conditions(
        "negated-strictly",
        '"<": ("<=", True),',
        '"<": ("<", True),',
        "`not a < b` is `b < a`",
    ),
    _conditions(
        "not-exchanged",
        'GreaterOp: ("<", True),',
        'GreaterOp: ("<", False),',
        "`a > b` is `a < b`",
    ),
    _conditions(
        "double-negation",
        "if negations % 2:",
        "if negations:",
        "what is negated twice is negated",
    ),
    _evaluated(
        "state-stays",
        "return {argument: values[following] for argument",
        "return {argument: values[argument] for argument",
        "what is carried stays what it begins with",
    ),
    _evaluated(
        "number-from-one",
        "loop.iteration: np.array(iteration, np.int64)",
        "loop.iteration: np.array(iteration + 1, np.int64)",
        "the iteration number begins with 1",
    ),
    _numbers(
        "select-forgets-the-other-bound",
        "lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)",
        "lo, hi = min(a.lo, b.lo), a.hi",
        "of a number that is selected only one choice bounds it",
    ),
    _numbers(
        "least-at-the-edge",
        "return b if b.hi <= a.lo else self._made(MinimumOp",
        "return b if b.lo <= a.lo else self._made(MinimumOp",
        "of two open numbers the one that may be less counts as the least",
    ),
    _uplift(
        "entry-condition-dropped",
        "trip = numbers.select(BooleanScalar(None, loop.cond), trip, numbers.constant(0))",
        "pass",
        "a loop that may not be entered runs",
    ),
    _uplift(
        "negative-trips-are-none",
        "return numbers.least(numbers.select(negative, numbers.constant(NO_LIMIT), given), most)",
        "return numbers.least(numbers.greatest(given, numbers.constant(0)), most)",
        "a negative trip count is no trip, not no limit",
    ),
    _uplift(
        "negative-trips-enter",
        "return numbers.select(negative, numbers.constant(0 if count.entered else 1), given)",
        "return numbers.select(negative, numbers.constant(0), given)",
        "a loop that asks only behind its first iteration does not run it where the trip count is negative",
    ),
    _uplift(
        "others-dropped",
        "again=_all_of(loop, count.other_conditions))",
        "again=_all_of(loop, count.other_conditions[1:]))",
        "of the other terms of a condition the first is forgotten",
    ),
    _uplift(
        "given-trips-dropped",
        "if given is None or negative.known:",
        "if given is None or negative.known is not False:",
        "the loop's own trip count is forgotten where only the run knows whether it is negative",
    ),
)
