"""Mistakes in passes that change the structure of loops."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_last = Place("passes/graph/ov_loop_last_trip.py", ("passes/graph/ov_loop_last_trip.mlir",))
_closed = Place("passes/graph/ov_loop_closed_forms.py", ("passes/graph/ov_loop_closed_forms.mlir",))
_parts = Place(
    "passes/graph/ov_loop_join_parts.py",
    ("passes/graph/ov_loop_join_parts.mlir", "passes/graph/ov_loop_join_parts_left.mlir"),
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
    _parts(
        "part-that-the-trip-reads",
        "if not (argument.has_one_use() and following.has_one_use()):",
        "if not following.has_one_use():",
        "what the trip reads of a carried value is gone",
    ),
    _parts(
        "parts-that-the-trip-reads",
        "if not (argument.has_one_use() and following.has_one_use()):",
        "if not argument.has_one_use():",
        "what the trip reads of the next value is gone",
    ),
    _parts(
        "growth-in-front-behind",
        "_direction(axis, backwards=place > 0), there[axis].static == 0",
        "_direction(axis, backwards=False), there[axis].static == 0",
        "parts that are put in front are joined behind",
    ),
    _parts(
        "growth-from-nothing",
        "[] if is_empty else [first]",
        "[]",
        "what is there before the loop is lost",
    ),
    _parts(
        "growth-by-any-part",
        "if not shape[axis].static:",
        "if shape[axis].static == 0:",
        "parts of different extents are joined",
    ),
    _parts(
        "part-of-any-extent",
        "        if not open_:\n            return value",
        "        if True:\n            return value",
        "the extents of a part are not those of what is there",
    ),
    _parts(
        "parts-of-any-extents",
        "if len(open_) > 1 or",
        "if",
        "a reshape gives 2x3 the extents 3x2",
    ),
    _parts(
        "parts-without-elements",
        "or any(a.static == 0 for k, a in enumerate(shape) if k not in open_):",
        "or False:",
        "a reshape gives 0x5 the extents 0x4",
    ),
    _parts(
        "extents-of-no-trip",
        "if None in extents[:axis] + extents[axis + 1 :]:",
        "if False:",
        "after no trip unknown extents are 0",
    ),
    _parts(
        "table-of-some-rows",
        "if static_trips(loop) != rows or loop.cond is not None or loop.next.cond is not None:",
        "if loop.cond is not None or loop.next.cond is not None:",
        "rows that no trip writes are lost",
    ),
    _parts(
        "table-of-a-loop-that-ends",
        "if static_trips(loop) != rows or loop.cond is not None or loop.next.cond is not None:",
        "if static_trips(loop) != rows:",
        "rows behind the trip that ends the loop are lost",
    ),
    _parts(
        "table-of-sums",
        'return 0 if op.joins == "none" else None',
        "return 0",
        "what is added to a row takes its place",
    ),
    _parts(
        "table-in-any-order",
        "next((b for b, form in directions.items() if form == row), None)",
        "False",
        "rows are joined in the order of the trips",
    ),
    _parts(
        "insertion-anywhere",
        "(position is None or int(position.reshape(())) != 0)",
        "position is None",
        "an element that is inserted behind the first is in front",
    ),
    _parts(
        "insertion-in-front-behind",
        "join = _direction(0, backwards=op.position is not None)",
        "join = _direction(0, backwards=False)",
        "elements that are inserted in front are behind",
    ),
)
