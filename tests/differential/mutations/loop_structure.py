"""Mistakes in passes that change the structure of loops."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_last = Place("passes/graph/ov_loop_last_trip.py", ("passes/graph/ov_loop_last_trip.mlir",))
_closed = Place("passes/graph/ov_loop_closed_forms/__init__.py", ("passes/graph/ov_loop_closed_forms.mlir",))
_forms = Place("passes/graph/ov_loop_closed_forms/forms.py", ("passes/graph/ov_loop_closed_forms.mlir",))
_powers = Place("passes/graph/ov_loop_closed_forms/powers.py", ("passes/graph/ov_loop_closed_forms.mlir",))
_idempotence = Place(
    "passes/graph/ov_loop_closed_forms/idempotence.py", ("passes/graph/ov_loop_closed_forms.mlir",)
)
_axis = Place("passes/graph/ov_loop_whole_axis.py", ("passes/graph/ov_loop_whole_axis.mlir",))
_axis_plan = Place("passes/graph/lib/whole_axis/plan.py", _axis.lit)
_axis_maps = Place("passes/graph/lib/whole_axis/maps.py", _axis.lit)
_guards = Place("passes/graph/lib/whole_axis/guards.py", _axis.lit)
_axis_table = Place("passes/graph/lib/whole_axis/table.py", _axis.lit)
_axis_values = Place("passes/graph/lib/whole_axis/values.py", _axis.lit)
_axis_rules = Place("passes/graph/lib/whole_axis/rules.py", _axis.lit)
_runs = Place("passes/graph/lib/whole_axis/shapes.py", ("passes/graph/ov_loop_reductions.mlir",))
_joined = Place("passes/graph/lib/whole_axis/values.py", _runs.lit)
_reductions = Place("passes/graph/lib/loop_reductions.py", ("passes/graph/ov_loop_reductions.mlir",))
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
_carried = Place("passes/graph/ov_loop_carry_reductions.py", ("passes/graph/ov_loop_carry_reductions.mlir",))
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
    _axis(
        "whole-axis-although-it-may-fail",
        "trip_bounds(loop, inference).lo >= 1 or _guard(plan, inference)",
        "True",
        "what fails is computed although there is no iteration",
    ),
    _axis(
        "whole-axis-of-negative-trips",
        "if bounds is None or int(bounds[0].reshape(())) < 0:",
        "if False:",
        "a loop without a limit gives nothing",
    ),
    _axis(
        "whole-axis-of-any-size",
        "if total is not None and total > self.max_bytes:",
        "if False:",
        "whole tensors take more memory than they may",
    ),
    _axis_maps(
        "whole-axis-of-extents-that-differ",
        "if trips.static is None and len(axes) > 1 and any(cut.stride < 0 for cut in loop.slicings):",
        "if False:",
        "slices from the end of two inputs begin where the shorter one ends",
    ),
    _guards(
        "whole-axis-of-extents-that-do-not-fit",
        "if op.get_trait(FailsOnShapes) is None or not all(",
        "return True\n    if op.get_trait(FailsOnShapes) is None or not all(",
        "an elementwise operation of open extents is not checked",
    ),
    _guards(
        "whole-axis-of-two-risks",
        "op = found[0] if len(found) == 1 else None",
        "op = found[0] if found else None",
        "of two operations that may fail one is checked",
    ),
    _axis_table(
        "whole-axis-of-different-steps",
        "same = (op.trip is None or not varies(op.trip, loop)) and",
        "same =",
        "all rows have the steps of the first one",
    ),
    _axis_table(
        "whole-axis-of-steps-on-the-iteration-axis",
        "if whole.place is None or whole.place == along:",
        "if whole.place is None:",
        "steps are taken along the iterations",
    ),
    _axis_plan(
        "whole-axis-without-products",
        "if not any(map(_is_product, behind)):",
        "if False:",
        "what is cheap is joined only to be computed behind the loop",
    ),
    _axis_values(
        "whole-axis-in-another-order",
        "return self._as_whole(value, axis, cut.part_size, flipped=(cut.stride < 0) != self.backwards)",
        "return self._as_whole(value, axis, cut.part_size, flipped=False)",
        "slices from the end are computed as those from the beginning",
    ),
    _axis_values(
        "whole-axis-of-a-whole-input",
        "alone = len({(value, cut.axis) for value, cut in zip(loop.sliced, loop.slicings)}) == 1",
        "alone = True",
        "of inputs of two extents all is computed",
    ),
    _axis_rules(
        "whole-axis-without-rank-alignment",
        "return [axis.broadcast(o, rank) if o in axis.values else axis.fixed(o) for o in operands], None",
        "return [axis.leading(o) if o in axis.values else axis.fixed(o) for o in operands], None",
        "values of fewer dimensions are aligned with the iteration axis",
    ),
    _axis_rules(
        "whole-axis-of-the-axis-itself",
        "if place is not None and place not in axes:",
        "if place is not None:",
        "what is done along a dimension of one element is done along all iterations",
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
    _reductions(
        "reduction-although-needed",
        "lost = {n for n in left if n in needed or not reads[n] <= left}",
        "lost = {n for n in left if not reads[n] <= left}",
        "a sum that the body needs is computed beside it",
    ),
    _reductions(
        "reduction-of-floats",
        "(update.is_exact or self.rounded)",
        "True",
        "floats are added in another order",
    ),
    _reductions(
        "reduction-of-no-trip",
        "open_ = [] if self.surely else list(outputs)",
        "open_ = []",
        "shapes that do not fit are an error although there is no iteration",
    ),
    _reductions(
        "prefix-sums-of-the-other-order",
        '"reverse": axis.backwards}',
        '"reverse": not axis.backwards}',
        "sums are those of the parts from here to the end",
    ),
    _reductions(
        "prefix-sums-of-the-part-itself",
        '{"exclusive": value is not op.results[0],',
        '{"exclusive": False,',
        "sums before each part have the part in them",
    ),
    _reductions(
        "reductions-of-any-size",
        "if size > max_bytes:",
        "if False:",
        "tensors of any size are computed from slices",
    ),
    _runs(
        "joined-gather-across-the-end",
        "in_range = int(bounds[0].min()) >= 0 and int(bounds[1].max()) < extent",
        "in_range = int(bounds[1].max()) < extent",
        "rows before the first one are left out instead of those from the end",
    ),
    _joined(
        "joined-numbers-of-the-other-order",
        "iteration_numbers(self.trips, not self.backwards, self.build)",
        "iteration_numbers(self.trips, True, self.build)",
        "numbers of iterations from the first on meet parts from the last on",
    ),
    _joined(
        "joined-parts-of-the-longer-input",
        "self.parts(value, cut, all_of_it=alone and self.trips.static is None)",
        "self.parts(value, cut, all_of_it=self.trips.static is None)",
        "an input is longer than the loop runs",
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
    _carried(
        "carried-sum-of-floats",
        "and (not is_rounded or is_integer(data.element_type))",
        "and True",
        "floats are added in another order",
    ),
    _carried(
        "carried-reduction-of-another-axis",
        "if not all(each is not None and along in each for each in axes):",
        "if not all(each is not None for each in axes):",
        "parts are reduced, and their axis is not",
    ),
    _carried(
        "carried-reduction-of-open-parts",
        "if not is_static(part) or not may_be_constant(part):",
        "if not may_be_constant(part):",
        "the maximum of nothing has extents that are not known",
    ),
    _frozen(
        "frozen-by-the-iteration-number",
        "if read <= kept and condition not in _varying(loop, kept):",
        "if read <= kept:",
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
