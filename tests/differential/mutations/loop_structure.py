"""Mistakes in passes that change the structure of loops."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_last = Place("passes/graph/ov_loop_last_trip.py", ("passes/graph/ov_loop_last_trip.mlir",))
_closed = Place("passes/graph/ov_loop_closed_forms.py", ("passes/graph/ov_loop_closed_forms.mlir",))
_collapse = Place(
    "passes/graph/ov_loop_collapse.py",
    ("passes/graph/ov_loop_collapse*.mlir",),
    ("passes/graph/test_ov_loop_collapse.py",),
)

LOOP_STRUCTURE: tuple[Mutation, ...] = (
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
        "take_part(*self._parts[value], trips - 1)",
        "take_part(*self._parts[value], 0)",
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
        "return update if update is not None and update.keeps_shape and update.is_exact else None",
        "return update if update is not None and update.keeps_shape else None",
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
    _closed(
        "closed-form-of-degree-4",
        "len(found.coefficients) <= DEGREE + 1",
        "len(found.coefficients) <= DEGREE + 2",
        "a third is taken for a fourth",
    ),
    _closed(
        "idempotent-of-no-trip",
        "surely = trip_bounds(loop, self.inference).lo >= 1",
        "surely = True",
        "a maximum is taken although there is no trip",
    ),
    _closed(
        "sum-one-too-high",
        "return _Form((first, *self.coefficients), self.element)",
        "return _Form((first, *self.coefficients[1:]), self.element)",
        "a sum of the numbers is a sum of ones",
    ),
    _collapse(
        "collapsed-although-a-condition-ends-it",
        "if any(c is not None for c in (outer.cond, inner.cond, outer.next.cond, inner.next.cond)):",
        "if False:",
        "a nest that a condition may end is collapsed",
    ),
    _collapse(
        "collapsed-without-its-number",
        "if outer.iteration.first_use is not None or inner.iteration.first_use is not None:",
        "if inner.iteration.first_use is not None:",
        "the outer loop's iteration number is that of the new loop",
    ),
    _collapse(
        "product-wraps-around",
        "if outer.hi * max(inner.hi, 1) <= _MOST:",
        "if True:",
        "the product of two trip counts wraps around",
    ),
    _collapse(
        "endless-nest-ends",
        "if outer_trips.lo < 0 and inner_trips.lo < 1:",
        "if False:",
        "an endless loop of empty loops ends at once",
    ),
    _collapse(
        "negative-counts-multiply",
        "return [numbers.greatest(trip, numbers.constant(-1)) for trip in bounded]",
        "return list(bounded)",
        "a negative trip count times a great one wraps around",
    ),
    _collapse(
        "values-change-places",
        "            if outer.next.carried[order[-1]] is not final:\n                return None\n",
        "",
        "what the outer loop exchanges stays where it is",
    ),
    _collapse(
        "parts-of-another-order",
        "if not static or (outer.stride > 0) != (inner.stride > 0):",
        "if not static:",
        "rows forwards and elements backwards are elements forwards",
    ),
    _collapse(
        "parts-that-are-not-contiguous",
        "if cut != cut.whole_axis() or set(shape[:axis]) - {1}:",
        "if cut != cut.whole_axis():",
        "the elements of columns are taken row by row",
    ),
    _collapse(
        "parts-of-a-range",
        "if cut != cut.whole_axis() or set",
        "if set",
        "a loop from the second row on has all rows",
    ),
    _collapse(
        "row-of-any-size",
        "rows = build.integers([1] * before + [0, size])",
        "rows = build.integers([1] * before + [-1, size])",
        "rows of half the size are taken in pairs",
    ),
)
