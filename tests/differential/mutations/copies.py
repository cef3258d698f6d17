"""Mistakes in unrolling and peeling: which iteration a copy stands for, what is left, and in which order parts are joined."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_UNROLL = ("passes/graph/ov_loop_unroll.mlir", "passes/graph/xla/loop_unrolling*.mlir")
_PEEL = ("passes/graph/ov_loop_peel*.mlir",)
_UNROLL_ROWS = (
    "unroll_few_slices",
    "unroll_by_factor",
    "unroll_by_factor_with_a_remainder",
    "unroll_dynamic_trips",
)
_PEEL_UNITS = ("passes/graph/test_ov_loop_peel.py",)
_PEEL_ROWS = ("peel_first", "peel_last", "peel_first_for_an_invariant")

_UNROLL_UNITS = ("passes/graph/test_ov_loop_unroll.py",)
_unroll = Place("passes/graph/ov_loop_unroll.py", _UNROLL, _UNROLL_UNITS, _UNROLL_ROWS)
_WHILE_UNITS = ("passes/graph/test_while_copies.py",)
_while = Place("passes/graph/lib/while_copies.py", _UNROLL, _WHILE_UNITS, ("unroll_while",))
_groups = Place("passes/graph/lib/loop_copies.py", _UNROLL, _WHILE_UNITS, ("unroll_while",))
_slicings = Place("dialects/ov/attributes.py", _UNROLL, _UNROLL_UNITS, _UNROLL_ROWS)
_both = Place(
    "passes/control_flow/counted_loops.py",
    (*_UNROLL, "passes/loops/scf_unroll.mlir"),
    _UNROLL_UNITS,
    _UNROLL_ROWS,
)
_peel = Place("passes/graph/ov_loop_peel.py", _PEEL, _PEEL_UNITS, _PEEL_ROWS)
_copies = Place(
    "passes/graph/lib/loop_copies.py",
    (*_UNROLL, *_PEEL),
    (*_UNROLL_UNITS, *_PEEL_UNITS),
    (*_UNROLL_ROWS, *_PEEL_ROWS),
)
_decided = Place("passes/analysis/decided_branches.py", _PEEL, _PEEL_UNITS, _PEEL_ROWS)
_guards = Place(
    "passes/control_flow/guards.py",
    ("passes/graph/ov_loop_invariant_code_motion.mlir", *_PEEL),
    ("passes/graph/test_ov_loop_invariant_code_motion.py",),
    ("motion_of_what_may_fail_under_a_guard",),
)
_starts = Place("passes/graph/lib/loop_rewriting.py", _guards.lit, _guards.units, _guards.rows)
_sizes = Place("passes/analysis/costs.py", (*_UNROLL, *_PEEL), ("passes/analysis/test_code_sizes.py",))

COPIES: tuple[Mutation, ...] = (
    _both(
        "left-over-iterations-lost",
        "            loop.copy(left)\n",
        "            loop.copy(max(left - 1, 0))\n",
        "of the iterations behind the groups the last one is lost",
    ),
    _copies(
        "left-over-from-the-first",
        "            self.done = trips\n",
        "            self.done = 0\n",
        "the iterations behind the groups get the first numbers and parts",
    ),
    _copies(
        "complete-first-part-alone",
        "self.iterate(iteration, self.parts(iteration))",
        "self.iterate(iteration, self.parts(0))",
        "each copy gets the first part",
    ),
    _copies(
        "complete-number",
        "self.iterate(iteration, self.parts(iteration))",
        "self.iterate(iteration + 1, self.parts(iteration))",
        "the copies' iteration numbers begin with 1",
    ),
    _copies(
        "parts-in-a-group-forwards",
        "inside.slicings = [cut.whole_axis() for cut in loop.slicings]",
        "inside.slicings = [Slicing(c.axis, 0, -1, c.part_size, c.part_size) for c in loop.slicings]",
        "what is cut backwards is cut forwards within a group",
    ),
    _copies(
        "number-in-a-group",
        "number = build.make(AddOp, first, build.scalar(step, i64)) if step else first",
        "number = first",
        "each copy of a group has the group's first iteration number",
    ),
    _copies(
        "number-of-the-group",
        "first = build.make(MultiplyOp, group, build.scalar(factor, i64))",
        "first = group",
        "the group's number counts as its first iteration's",
    ),
    _copies(
        "groups-begin-anew",
        "self.done = build.make(MultiplyOp, groups, size)",
        "self.done = groups",
        "what is left over begins with the number of groups",
    ),
    _copies(
        "left-over-without-carried",
        "self.carried, self.last = list(loop.final), list(loop.last)",
        "self.last = list(loop.last)",
        "what follows a loop over some iterations begins with what is before that loop",
    ),
    _slicings(
        "slices-to-the-end",
        "return Slicing(self.axis, begin, last + self.part_size, wide, wide)",
        "return Slicing(self.axis, 0, last + self.part_size, wide, wide)",
        "the groups begin with the input's first element, not with the slicing's",
    ),
    _slicings(
        "backward-slices-of-groups",
        "return Slicing(self.axis, begin + self.part_size, last, -wide, wide)",
        "return Slicing(self.axis, -1, last, -wide, wide)",
        "groups that are cut backwards begin at the input's end",
    ),
    _unroll(
        "groups-with-last-values",
        'if loop.sliced or loop.last:\n        return "its trip count',
        'if loop.sliced:\n        return "its trip count',
        "last values of a loop that may have none left over are those of the loop over what is left",
    ),
    _unroll(
        "open-parts-of-groups",
        '        if not joins_with_nothing(inference.fact(value), cut):\n            return "its trip count',
        '        if False:\n            return "its trip count',
        "parts of open extents are joined with those of a loop that may run no further iteration",
    ),
    _unroll(
        "unrolled-although-parts-may-differ",
        "if not all(map(_is_static, loop.next.concat)):",
        "if False:",
        "that joined parts have other extents is an error behind all iterations",
    ),
    _unroll(
        "condition-not-asked",
        "conditional = loop.cond is not None or loop.next.cond is not None",
        "conditional = loop.next.cond is not None",
        "a condition before the loop is forgotten",
    ),
    _while(
        "exit-between-copies-dropped",
        "again = build.scalar(True, i1) if copies.condition is None else copies.condition",
        "again = build.scalar(True, i1) if copies.condition is None or step + 1 < factor else copies.condition",
        "only the last copy of a group may end the loop",
    ),
    _while(
        "trips-not-asked-between-copies",
        "    if limit is not None:\n",
        "    if False:\n",
        "the trip count is asked between groups alone",
    ),
    _while(
        "divides-almost",
        "int(n.reshape(())) % factor == 0",
        "int(n.reshape(())) % factor <= 1",
        "a trip count of one more than whole groups is whole groups",
    ),
    _while(
        "last-group-not-begun",
        "return build.scalar(-(-int(known.reshape(())) // factor), i64)",
        "return build.scalar(int(known.reshape(())) // factor, i64)",
        "a group that is not whole does not begin",
    ),
    _while(
        "open-last-group-not-begun",
        "groups = build.make(AddOp, whole, one)",
        "groups = whole",
        "the same where only the run knows the trips",
    ),
    _while(
        "negative-trips-in-groups",
        "return build.make(SelectOp, build.make(LessOp, limit, build.scalar(0, i64)), limit, groups)",
        "return groups",
        "of a negative trip count, which is no limit, there is a number of groups",
    ),
    _while(
        "count-of-the-copy-before",
        "count = build.make(AddOp, first, build.scalar(step + 1, i64))",
        "count = build.make(AddOp, first, build.scalar(step, i64))",
        "how often the body has run is one less",
    ),
    _while(
        "what-was-not-run-is-kept",
        "*own[1:], *filled]",
        "own[1], *copies.loop.carried, *own[2 + len(copies.carried) :], *filled]",
        "where a copy ends the loop the carried values are those before the loop",
    ),
    _while(
        "parts-of-outputs-exchanged",
        "[[*part, *islice(results, left)] for part in own_parts]",
        "[[*p, *later] for later in [[*islice(results, left)]] for p in own_parts]",
        "of several outputs the later copies' parts are those of the first output",
    ),
    _while(
        "joined-backwards-cut-forwards",
        "else (build.make(NegativeOp, kept), build.integers([_FAR]))",
        "else (build.integers([0]), kept)",
        "of what is joined backwards the first part is kept, not the last",
    ),
    _while(
        "cut-by-parts-of-one",
        "size = build.make(MultiplyOp, count, build.scalar(shape[axis], i64))",
        "size = count",
        "each part counts as one element",
    ),
    _groups(
        "entry-of-the-groups-dropped",
        "                trip=groups,\n",
        "                trip=groups,\n                cond=None,\n",
        "the condition before the loop is dropped",
    ),
    _peel(
        "peeled-although-it-may-not-run",
        "return trip_bounds(loop, inference).lo < 1",
        "return trip_bounds(loop, inference).lo < 0",
        "the first iteration runs where there is none",
    ),
    _copies(
        "remaining-trips",
        "self.run(self._all_but(self.done) if self.left is None else self.left)",
        "self.run(self.loop.trip if self.left is None else self.left)",
        "behind the first iteration all run again",
    ),
    _copies(
        "rest-begins-anew",
        "        if done != 0:\n",
        "        if False:\n",
        "behind the first iteration the numbers begin with 0",
    ),
    _copies(
        "last-is-first",
        "        self.done = left\n",
        "        self.done = 0\n",
        "the last iteration has number 0",
    ),
    _peel(
        "there-and-elsewhere-exchanged",
        "decision.there if there else decision.elsewhere",
        "decision.elsewhere",
        "in the first iteration the branch is what it is in the others",
    ),
    _copies(
        "parts-of-the-first-behind",
        "parts.append(joined)",
        "parts.insert(0, joined)",
        "what a loop joins is in front of what the iterations before it gave",
    ),
    _peel(
        "open-parts-peeled",
        'return "a concatenated output has a dynamic extent"',
        "return None",
        "parts of open extents are joined with those of a loop that may run no further iteration",
    ),
    _peel(
        "settled-inside",
        "following is not first and comes_from_outside(following, loop)",
        "following is not first and not comes_from_outside(following, loop)",
        "what each iteration computes is the same from the second one on",
    ),
    _peel(
        "growth-unbounded",
        "if why is None and bounded and growth > self.max_code_growth:",
        "if False:",
        "a body of any size is copied",
    ),
    _copies(
        "values-of-the-iteration-before",
        "self.carried = [mapping.get(v, v) for v in end.carried]",
        "self.carried = [mapping.get(v, v) for v in end.carried] if len(end.carried) > 1 else self.carried",
        "a copy gets the value that the copy before it got",
    ),
    _copies(
        "condition-before-again",
        "self.condition = None if end.cond is None else mapping.get(end.cond, end.cond)",
        "pass",
        "behind a copy the condition before the loop is asked again",
    ),
    _copies(
        "part-from-the-front",
        "bounds = [self.build.integers([n]) for n in (begin, begin + size, 1, axis)]",
        "bounds = [self.build.integers([n]) for n in (begin, begin + 1, 1, axis)]",
        "a part is one element",
    ),
    _copies(
        "joined-in-the-order-of-iterations",
        "values = self.concat[index] if cut.stride > 0 else self.concat[index][::-1]",
        "values = self.concat[index]",
        "what is joined backwards is joined forwards",
    ),
    _copies(
        "open-beside-the-axis",
        "return all(k == axis or d.static is not None for k, d in enumerate(part.shape))",
        "return all(k != axis or d.static is not None for k, d in enumerate(part.shape))",
        "extents beside the axis may be open, that on the axis not",
    ),
    _decided(
        "last-one-before",
        "ends = (trips.static - 1, trips.static - 1), (0, trips.static - 2)",
        "ends = (trips.static, trips.static), (0, trips.static - 1)",
        "the last iteration has the number of the trips",
    ),
    _decided(
        "first-two",
        "for ends in ((0, 0), (1, None))]",
        "for ends in ((0, 1), (2, None))]",
        "the first iteration is the first two",
    ),
    _decided(
        "last-of-a-loop-with-a-condition",
        "counted = loop.trip is not None and loop.cond is None and loop.next.cond is None and not loop.sliced",
        "counted = loop.trip is not None and not loop.sliced",
        "a loop that a condition may end has its last iteration by its trip count",
    ),
    _decided(
        "distance-of-the-last",
        "distance = ahead - behind - 1",
        "distance = ahead - behind",
        "in the last iteration its number is the trip count",
    ),
    _decided(
        "endless-loops-forgotten",
        "endless = bounds is None or int(bounds[0].reshape(())) < 0",
        "endless = False",
        "a negative trip count has a last iteration",
    ),
    _decided(
        "before-the-last-all-less",
        "elif distance == 1:",
        "elif distance >= 1:",
        "what is two beyond the number is known of all iterations but the last",
    ),
    _decided(
        "sides-exchanged",
        "left, right = (op.a, op.b) if number is a else (op.b, op.a)",
        "left, right = (op.a, op.b)",
        "on which side of a comparison the iteration number stands is forgotten",
    ),
    _decided(
        "everything-is-the-trip-count",
        "return least is not None and least.size == 1 and int(least.reshape(())) <= 0",
        "return least is not None and least.size == 1",
        "`maximum(n, 3)` is n",
    ),
    _guards(
        "guard-exchanged",
        "arms = Region(taken), Region(otherwise if types else ())",
        "arms = Region(otherwise), Region(taken)",
        "the loop runs where it does not",
    ),
    _guards(
        "guard-of-last-values",
        "        and not loop.last\n",
        "",
        "last values of no iteration need a constant of any size",
    ),
    _starts(
        "starts-without-a-first-part",
        "if extent is None or cut.trips(extent) < 1:",
        "if extent is None:",
        "an input without a first part has one",
    ),
    _starts(
        "starts-with-open-extents",
        "if extent is None or cut.trips(extent) < 1:",
        "if extent is not None and cut.trips(extent) < 1:",
        "an input of open extent has a first part",
    ),
    _sizes(
        "regions-for-nothing",
        "return sum(map(_own_size, walk(block)))",
        "return sum(map(_own_size, block.ops))",
        "what is in a nested loop takes no code",
    ),
)
