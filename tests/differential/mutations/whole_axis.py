"""Mistakes in what passes do for all iterations of a loop at once."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

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
_recurrences = Place("passes/graph/lib/linear_recurrences.py", ("passes/graph/ov_loop_reassociate.mlir",))
_carried = Place("passes/graph/ov_loop_carry_reductions.py", ("passes/graph/ov_loop_carry_reductions.mlir",))

WHOLE_AXIS: tuple[Mutation, ...] = (
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
        "if (total := trips.hi * new) > max_bytes:",
        "if (total := trips.hi * new) < 0:",
        "whole tensors take more memory than they may",
    ),
    _axis(
        "whole-axis-many-times-as-large",
        "if old is not None and new > growth * old:",
        "if False:",
        "whole tensors take many times as much memory as what is sliced",
    ),
    _axis(
        "whole-axis-without-a-recurrence",
        "if buffers and plan.stays and not loop.carried:",
        "if False:",
        "whole tensors come to be for a loop that stays, and carries nothing",
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
    _recurrences(
        "recurrence-in-blocks-of-few",
        "trips.static is None or trips.static < LEAST_TRIPS",
        "trips.static is None",
        "a few iterations become two loops and more operations",
    ),
    _recurrences(
        "recurrence-filled-up-with-zeros",
        "((factor, 1), (term, 0))",
        "((factor, 0), (term, 0))",
        "the final value is 0 if blocks are filled up",
    ),
    _recurrences(
        "recurrence-of-ends-of-blocks",
        "joined = following if blocks_at_once else [value]",
        "joined = following",
        "a block begins with what it ends with",
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
)
