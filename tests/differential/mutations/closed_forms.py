"""Mistakes in final values that passes compute without a loop."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_last = Place("passes/graph/ov_loop_last_trip.py", ("passes/graph/ov_loop_last_trip.mlir",))
_closed = Place("passes/graph/ov_loop_closed_forms/__init__.py", ("passes/graph/ov_loop_closed_forms.mlir",))
_forms = Place("passes/graph/ov_loop_closed_forms/forms.py", ("passes/graph/ov_loop_closed_forms.mlir",))
_powers = Place("passes/graph/ov_loop_closed_forms/powers.py", ("passes/graph/ov_loop_closed_forms.mlir",))
_idempotence = Place(
    "passes/graph/ov_loop_closed_forms/idempotence.py", ("passes/graph/ov_loop_closed_forms.mlir",)
)

CLOSED_FORMS: tuple[Mutation, ...] = (
    _last(
        "last-trip-although-it-may-fail",
        "if only and speculatable(op, inference.fact):",
        "if only:",
        "what may fail in an earlier trip is computed for the last one only",
    ),
    _last(
        "last-trip-of-no-trip",
        "surely = trip_bounds(loop, inference).lo >= 1",
        "surely = True",
        "behind a loop that has not run a last trip is computed",
    ),
    _last(
        "last-trip-is-one-more",
        "return build.scalar(self._trips.static - 1, i64)",
        "return build.scalar(self._trips.static, i64)",
        "the last iteration has the number of trips",
    ),
    _last(
        "last-slice-is-the-first",
        "take_part(value, cut, self._trips.static - 1)",
        "take_part(value, cut, 0)",
        "the part of the last trip is that of the first",
    ),
    _last(
        "last-values-of-any-size",
        "if kept and not _fits(kept, outputs, inference):",
        "if False:",
        "what is kept for the last trip takes more memory than what was",
    ),
    _last(
        "last-trip-read-by-the-next",
        "found = [_Output(r, value, first) for a, r, value, first in carried if a.first_use is None]",
        "found = [_Output(r, value, first) for a, r, value, first in carried]",
        "a value that the next trip reads is one of the last trip",
    ),
    _closed(
        "closed-form-of-floats",
        "if update is None or not is_integer(element) or not self._may_move(link.op for link in update.links):",
        "if update is None or not self._may_move(link.op for link in update.links):",
        "products of floats are a product with a power",
    ),
    _closed(
        "closed-form-although-needed",
        "if arguments[number] in read}",
        "if False}",
        "a sum that the body needs is computed beside it",
    ),
    _closed(
        "power-of-few-bits",
        "if element != i64 and (greatest is None or greatest > type_range(element)[1]):",
        "if False:",
        "a power of 32 bits has the low bits of the trips as its exponent",
    ),
    _forms(
        "closed-form-of-degree-4",
        "return form if form is not None and len(form.coefficients) <= DEGREE + 1 else None",
        "return form",
        "a third is taken for a fourth",
    ),
    _closed(
        "idempotent-of-no-trip",
        "            if self._surely:",
        "            if True:",
        "a maximum is taken although there is no trip",
    ),
    _forms(
        "sum-one-too-high",
        "return Form((first, *self.coefficients), self.element)",
        "return Form((first, *self.coefficients[1:]), self.element)",
        "a sum of the numbers is a sum of ones",
    ),
    _forms(
        "closed-form-without-extents",
        "if any(c == 0 for c in (a, b)) and all(map(_is_number, (a, b))):",
        "if a == 0 or b == 0:",
        "a product with 0 loses the extents that sums must have",
    ),
    _powers(
        "power-without-its-steps",
        "inside.make(SelectOp, odd, more, b),",
        "inside.make(SelectOp, odd, b, b),",
        "what each trip adds is lost",
    ),
    _powers(
        "known-power-with-a-step-more",
        "a, b = low_bits(a * factor, element), low_bits(factor * b + step, element)",
        "a, b = low_bits(a * factor, element), low_bits(factor * b + step + 1, element)",
        "each power adds one more",
    ),
    _idempotence(
        "idempotent-limits-between-integers",
        'return kinds != {"limit", "round"} or all(_is_integral(step.op) for step in chain)',
        "return True",
        "a limit of 0.5 is rounded down, and a second time limited",
    ),
    _idempotence(
        "idempotent-zeros-of-both-signs",
        '_OF_FLOATS = (*_ALONE, {"extreme"}, {"limit", "round"})',
        '_OF_FLOATS = (*_ALONE, {"extreme", "limit", "round"})',
        "a ReLU makes 0 of what the minimum with -0 makes -0 later",
    ),
)
