"""Mistakes in passes that change the structure of loops."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_collapse = Place(
    "passes/graph/ov_loop_collapse.py",
    ("passes/graph/ov_loop_collapse*.mlir",),
    ("passes/graph/test_ov_loop_collapse.py",),
)
_parts = Place(
    "passes/graph/ov_loop_join_parts.py",
    ("passes/graph/ov_loop_join_parts.mlir", "passes/graph/ov_loop_join_parts_left.mlir"),
)
_tails = Place("passes/graph/ov_if_tail_merge.py", ("passes/graph/ov_if_tail_merge.mlir",))
_frozen = Place("passes/graph/ov_loop_end_frozen.py", ("passes/graph/ov_loop_end_frozen.mlir",))
_rotate = Place("passes/graph/ov_loop_rotate.py", ("passes/graph/ov_loop_rotate.mlir",))
_reroll = Place("passes/graph/ov_reroll.py", ("passes/graph/ov_reroll.mlir",))
_unswitch = Place("passes/graph/ov_loop_unswitch.py", ("passes/graph/ov_loop_unswitch.mlir",))
_ranges = Place("passes/analysis/iteration_ranges.py", ("passes/graph/ov_fold_ranges.mlir",))
_folding = Place("passes/graph/ov_fold_ranges.py", ("passes/graph/ov_fold_ranges.mlir",))
_split = Place("passes/graph/ov_loop_split.py", ("passes/graph/ov_loop_split.mlir",))
_conditions = Place("passes/analysis/affine_conditions.py", ("passes/graph/ov_loop_split.mlir",))
_residues = Place("passes/graph/ov_loop_unroll_residues.py", ("passes/graph/ov_loop_unroll_residues.mlir",))
_periods = Place("passes/analysis/periodic_values.py", ("passes/graph/ov_loop_unroll_residues.mlir",))
_rows = Place("passes/graph/ov_loop_forward_rows/rows.py", ("passes/graph/ov_loop_forward_rows.mlir",))

LOOP_STRUCTURE: tuple[Mutation, ...] = (
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
    _frozen(
        "frozen-by-the-iteration-number",
        "if condition not in _varying(loop, kept):",
        "if True:",
        "a later trip may change the state again",
    ),
    _frozen(
        "frozen-although-a-trip-may-fail",
        "speculatable(op, inference.fact) or (op.parent is loop.body.block and _reads_only(op, same, loop))",
        "True",
        "an error of a trip that changes nothing is lost",
    ),
    _frozen(
        "frozen-endless-loop",
        "if bounds is None or int(bounds[0].reshape(())) < 0:",
        "if False:",
        "a loop that never ends does",
    ),
    _frozen(
        "frozen-before-the-first-trip",
        "return known is None or bool(known.reshape(())) is found.truth",
        "return False",
        "a flag that is set before the loop does not keep it from its first trip",
    ),
    _rotate(
        "rotated-with-a-trip-count",
        "if again is None or loop.trip is not None or loop.cond is not None or loop.sliced:",
        "if again is None or loop.cond is not None or loop.sliced:",
        "the test runs once more than before",
    ),
    _rotate(
        "rotated-past-failures",
        "if not all(op is end or speculatable(op, inference.fact) for op in left_out):",
        "if False:",
        "an error of the last trip is lost",
    ),
    _rotate(
        "rotated-with-the-old-iteration-number",
        "number = build.make(AddOp, wide.iteration, build.scalar(1, i64))",
        "number = wide.iteration",
        "the test behind a trip is not that of the next one",
    ),
    _rotate(
        "rotated-with-branches-of-the-test",
        "isinstance(op, IfOp) and op not in test and (taken",
        "isinstance(op, IfOp) and (taken",
        "a branch is decided before its condition is known",
    ),
    _reroll(
        "rerolled-steps-that-are-read",
        "if t < len(steps) - 1 and any(user is None or user[0] > t + 1 for user in users):",
        "if t < len(steps) - 1 and any(user is not None and user[0] > t + 1 for user in users):",
        "the result of an earlier step is read behind all steps",
    ),
    _reroll(
        "rerolled-few-steps",
        "if count >= self.min_trips and smaller and",
        "if smaller and",
        "fewer steps than wanted are a loop",
    ),
    _tails(
        "merged-loops-without-branch-behind",
        "return a if a.index == b.index else None",
        "return a",
        "another result of the loop than the second arm's",
    ),
    _tails(
        "merged-loops-over-known-values",
        "if any(self.inference.fact(value).value is not None for pair in chosen for value in pair):",
        "if False:",
        "a trip count that was known is not any more",
    ),
    _tails(
        "merged-loops-without-limit",
        "if size > self.max_bytes:",
        "if False:",
        "chosen values of any size are copied",
    ),
    _tails(
        "merged-loops-past-failures",
        "if needed.isdisjoint(op.results) and is_side_effect_free(op) and speculatable(op):",
        "if needed.isdisjoint(op.results) and is_side_effect_free(op):",
        "what may fail before a loop fails behind it",
    ),
    _unswitch(
        "unswitch-the-other-way",
        "for version, holds in ((copy, True), (loop, False)):",
        "for version, holds in ((copy, False), (loop, True)):",
        "each loop has the arm of the other one",
    ),
    _unswitch(
        "unswitch-what-may-fail",
        "if not (is_side_effect_free(op) and speculatable(op) and all(map(add, op.operands))):",
        "if not (is_side_effect_free(op) and all(map(add, op.operands))):",
        "a condition that may fail is computed before a loop that may not run",
    ),
    _unswitch(
        "unswitch-invariant-branches",
        "if dependence.is_invariant(branch):",
        "if False:",
        "a loop is copied for a branch that could leave it",
    ),
    _unswitch(
        "unswitch-without-limit",
        "if growth > limit:",
        "if False:",
        "a loop of any size is copied",
    ),
    _ranges(
        "iteration-numbers-up-to-the-trips",
        "(AffineForm.of(loop.trip) - 1)",
        "AffineForm.of(loop.trip)",
        "the number of an iteration may be the trip count",
    ),
    _ranges(
        "ranges-of-integers-that-wrap",
        "if known is not None and contains(type_range(element), known):",
        "if True:",
        "a sum that may wrap around is the sum of the numbers",
    ),
    _ranges(
        "negative-trips-are-a-limit",
        "return trips is not None and trips[0] >= 0",
        "return True",
        "a loop that a condition ends has less than a negative number of iterations",
    ),
    _folding(
        "comparison-of-equal-bounds",
        "possible |= GREATER if greatest is None or greatest > 0 else 0",
        "possible |= GREATER if greatest is None or greatest > 1 else 0",
        "a difference of one counts as none",
    ),
    _folding(
        "minimum-is-the-maximum",
        "a_is_more, b_is_more = b_is_more, a_is_more",
        "pass",
        "of two limits the other one is kept",
    ),
    _split(
        "split-with-last-values",
        "if loop.last and (self.trips is None",
        "if False and (self.trips is None",
        "the last values of a loop that does not run are zeros",
    ),
    _split(
        "split-in-any-order",
        "if not ordered or not all(threshold.is_at_most(t, self.forms) for t in behind):",
        "if not ordered:",
        "the thresholds of two inputs are in the order in which they are written",
    ),
    _split(
        "split-of-a-negative-trip-count",
        "endless = self.trips is None and trip is not None and self._may_be_negative(trip)",
        "endless = False",
        "a negative trip count is one of no iteration",
    ),
    _split(
        "split-of-unknown-slices",
        "if (self.loop.sliced or self.loop.last) and any(end.number is None for end in ends):",
        "if False:",
        "slices begin at an iteration that is not known",
    ),
    _conditions(
        "split-although-it-wraps",
        "if shape is None or a is None or b is None or not (forms.is_exact(op.a) and forms.is_exact(op.b)):",
        "if shape is None or a is None or b is None:",
        "what wraps around is compared as if it did not",
    ),
    _conditions(
        "split-one-too-early",
        "Threshold.of(rest * -1 + factor, factor)",
        "Threshold.of(rest * -1, factor)",
        "what holds up to a number does not hold for the number",
    ),
    _residues(
        "residues-although-a-condition-ends-it",
        "if loop.cond is not None or loop.next.cond is not None:",
        "if False:",
        "iterations run behind the one that ends the loop",
    ),
    _residues(
        "residues-left-over-twice",
        "copies.some(build.make(MinimumOp, remaining, build.scalar(1, i64)))",
        "copies.some(remaining)",
        "all iterations that are left over have the first residue",
    ),
    _periods(
        "remainder-of-a-negative-number",
        "elif isinstance(op, ModOp) and bounds[0] < 0:",
        "elif False:",
        "the remainder has the sign of the divisor",
    ),
    _periods(
        "remainder-of-what-wraps",
        "or shape is None or not forms.is_exact(op.a):",
        "or shape is None:",
        "the remainder by three of a number of 8 bits repeats after three iterations",
    ),
    _rows(
        "row-written-over",
        "if not self._is_apart(update, read, range(1)):",
        "if False:",
        "a row is read behind an update that may have written it",
    ),
    _rows(
        "row-written-again",
        "            if behind and all(",
        "            if all(",
        "an update behind the one of the row may have written it, too",
    ),
    _rows(
        "first-row-unchecked",
        "if not is_side_effect_free(op) or not speculatable(op, self.inference.fact):",
        "if False:",
        "a row that is not there stops the program before another error",
    ),
    _rows(
        "row-that-is-added",
        'return not isinstance(update, ScatterNDUpdateOp) or update.joins == "none"',
        "return True",
        "what is added to a row is taken for the row",
    ),
)
