"""Mistakes in what loops carry, cut and join: the canonicalisation of `ov.loop`, and `ov-loop-merge-values`."""

from __future__ import annotations

from dataclasses import replace

from tests.differential.mutations.mutation import Mutation, Place

LIT = (
    "passes/graph/canonicalize_*loop*.mlir",
    "passes/graph/canonicalize_control_flow.mlir",
    "passes/graph/canonicalize_single_trips.mlir",
    "passes/graph/xla/loop_*.mlir",
)
UNITS = (
    "dialects/ov/test_canonicalization_near_misses.py",
    "dialects/ov/test_canonicalization_loop_values.py",
)

_loops = Place(
    "dialects/ov/canonicalization/loops.py",
    LIT,
    (*UNITS, "passes/graph/test_ov_loop_unroll.py"),
    ("trips_zero", "trips_never_begun", "trips_one", "trips_at_most_one", "value_invariant"),
)
_values = Place("dialects/control_flow/values.py", LIT, UNITS)
_needed = Place(
    "dialects/region_flow.py", LIT, UNITS, ("value_dead_through_a_nest", "value_dead_through_a_branch")
)
_dead = Place(
    "dialects/control_flow/values.py",
    LIT,
    UNITS,
    (
        "value_dead_through_a_cycle",
        "value_dead_through_a_nest",
        "value_dead_through_a_branch",
        "value_unread_slice",
    ),
)
_needed = replace(_dead, file="dialects/region_flow.py")
_trips = Place(
    "dialects/ov/canonicalization/loop_trips.py",
    LIT,
    UNITS,
    ("value_concat_of_the_slices", "value_concat_of_an_invariant"),
)
_single = Place("dialects/ov/canonicalization/loop_trips.py", LIT, UNITS, ("trips_at_most_one", "trips_one"))
_none = Place(
    "dialects/ov/canonicalization/loops.py",
    (*LIT, "passes/graph/ov_loop_invariant_code_motion.mlir"),
    UNITS,
    ("trips_at_most_one",),
)
_merge = Place(
    "dialects/control_flow/equal_values.py",
    ("passes/graph/ov_loop_merge_values.mlir", "passes/graph/xla/loop_equal_values.mlir"),
    ("passes/graph/test_ov_loop_merge_values.py",),
    ("value_duplicate", "value_constant", "value_invariant_through_a_branch"),
)

LOOP_VALUES: tuple[Mutation, ...] = (
    _loops(
        "trips-beyond-the-slices",
        "return count if all(s is not None and s >= count for s in slices) else None",
        "return count",
        "a trip count beyond the slices is the number of trips",
    ),
    _loops(
        "slices-that-differ",
        "if not slices or any(s is None or s != slices[0] for s in slices):",
        "if not slices or slices[0] is None:",
        "of slices that are not as many the first says how often the loop runs",
    ),
    _loops(
        "negative-count-is-a-count",
        "        if count >= 0:\n",
        "        if True:\n",
        "a negative trip count is the number of trips",
    ),
    _loops(
        "condition-that-is-false-goes",
        "drop_if(op.cond, bool), drop_if(op.next.cond, bool)",
        "drop_if(op.cond, bool), drop_if(op.next.cond, lambda known: True)",
        "a condition that is constant false is left out",
    ),
    _loops(
        "zero-trips-are-no-limit",
        "drop_if(op.trip, lambda count: int(count.reshape(())) < 0)",
        "drop_if(op.trip, lambda count: int(count.reshape(())) <= 0)",
        "a trip count of 0 is no limit",
    ),
    _loops(
        "never-by-a-condition-behind",
        "condition = None if op.cond is None else constant_of(op.cond)",
        "condition = constant_of(op.cond or op.next.cond) if op.cond or op.next.cond else None",
        "a loop whose body's condition is false never runs",
    ),
    _loops(
        "one-trip-although-not-entered",
        "        if op.cond is not None:\n            return\n        trips = static_trips(op)\n        stops",
        "        trips = static_trips(op)\n        stops",
        "a loop of one trip runs whatever is asked before it",
    ),
    _loops(
        "two-trips-are-one",
        "if not (trips == 1 or (stops and (unlimited or (trips is not None and trips >= 1)))):",
        "if not (trips in (1, 2) or (stops and (unlimited or (trips is not None and trips >= 1)))):",
        "a loop of two trips is its body",
    ),
    _loops(
        "stops-in-a-loop-of-no-trip",
        "(trips is not None and trips >= 1)))):",
        "(trips is not None)))):",
        "a loop of no trip whose body ends it is its body",
    ),
    _loops(
        "stops-whatever-the-trip-count",
        "            op.trip is None or ((t := constant_of(op.trip)) is not None and int(t.reshape(())) < 0)\n        )",
        "            op.trip is None or (t := constant_of(op.trip)) is None or int(t.reshape(())) < 0\n        )",
        "a loop that its body ends runs once although its trip count may be 0",
    ),
    _loops(
        "part-of-the-next-iteration",
        "ops, part = take_part(value, cut, 0)",
        "ops, part = take_part(value, cut, int(cut.trips(tensor_type_of(value).get_shape()[cut.axis]) > 1))",
        "a loop of one trip over several parts gets the second one",
    ),
    _loops(
        "argument-as-a-result",
        "inline_once(op, op.body, [zero.output, *op.carried, *parts], rewriter)",
        "inline_once(op, op.body, [zero.output, *reversed(op.carried), *parts], rewriter)",
        "of a loop of one trip that hands an argument on it is another one",
    ),
    _values(
        "invariant-from-inside",
        "                known[s] if s in origins else s for s in origins[value] if s not in origins or s in known\n",
        "                s for s in origins[value] if s not in origins\n",
        "values that change places are invariant",
    ),
    _dead(
        "condition-is-dead",
        "work: list[SSAValue] = [*used, *flow.deciders]",
        "work: list[SSAValue] = [*used]",
        "what only the condition needs is dead",
    ),
    _needed(
        "branch-condition-is-dead",
        "return [*(flow.deciders if made else ()), *(op.operands[number] for op, number in handed)]",
        "return [op.operands[number] for op, number in handed]",
        "the condition of a branch, and the trips of a loop, in the body are dead",
    ),
    _needed(
        "derived-is-dead",
        "handed = [*flow.predecessor_operands(value), *flow.predecessor_operands(value, flow.derived)]",
        "handed = flow.predecessor_operands(value)",
        "what a nested loop joins, and cuts, needs nothing",
    ),
    _dead(
        "last-values-need-nothing",
        "used = [result for result in op.results if result.first_use is not None]",
        "used = [r for r in op.results if r.first_use is not None and r not in getattr(op, 'last', ())]",
        "what only a last value needs is dead",
    ),
    _dead(
        "all-slices-go",
        "return read if read or op.trip is not None else list(op.part_arguments[:1])",
        "return read",
        "the slice that says how often the loop runs goes",
    ),
    _dead(
        "unread-slice-of-open-extent",
        "if static_trips(op) is None:",
        "if False:",
        "a slice that nobody reads goes where it says how often the loop runs",
    ),
    _trips(
        "negative-trips-counted",
        "build.make(MaximumOp, trip, build.scalar(0, i64))",
        "trip",
        "a negative trip count is the number of trips",
    ),
    _trips(
        "greatest-extent",
        "least = build.make(MinimumOp, least, extent)",
        "least = build.make(MaximumOp, least, extent)",
        "the longest of several slices says how often the loop runs",
    ),
    _trips(
        "from-one-is-whole",
        "return cut.part_size == 1 and (cut.start, cut.end, cut.stride) in ((0, -1, 1), (-1, 0, -1))",
        "return cut.part_size == 1 and cut.stride in (1, -1)",
        "a slicing that leaves elements out goes over all",
    ),
    _trips(
        "ended-by-its-body",
        "if op.cond is not None or op.next.cond is not None:",
        "if op.cond is not None:",
        "a loop that its body's condition may end runs as often as its trip count says",
    ),
    _single(
        "two-at-most-are-a-branch",
        "if not (trips == 1 or (stops and (trips is None or trips > 1))):",
        "if not (trips in (1, 2) or (stops and (trips is None or trips > 1))):",
        "a loop of two trips is a branch",
    ),
    _single(
        "arms-of-one-trip-exchanged",
        "            rewriter.move_region_contents_to_new_regions(op.body),\n            Region(otherwise),\n",
        "            Region(otherwise),\n            rewriter.move_region_contents_to_new_regions(op.body),\n",
        "the body stands in the arm of no trip",
    ),
    _none(
        "only-positive-trips-come",
        "if loop.trip is None or (trip is not None and int(trip.reshape(())) != 0):",
        "if loop.trip is None or trip is not None:",
        "a trip count of 0 comes",
    ),
    _none(
        "entry-not-asked",
        "return runs if loop.cond is None else build.make(LogicalAndOp, runs, loop.cond)",
        "return runs",
        "the condition before the loop is not asked",
    ),
    _merge(
        "begin-not-compared",
        "value.type, *forwarded))",
        "value.type, *forwarded[1:]))",
        "carried values that begin with others are equal where they go on alike",
    ),
    _merge(
        "following-not-compared",
        "value.type, *forwarded))",
        "value.type, forwarded[0]))",
        "carried values that begin alike are equal",
    ),
    _merge(
        "joined-in-another-direction",
        "self._number(becomes, (edge.op, each, becomes.type, self.of(value)))",
        "self._number(becomes, (edge.op, each if edge.target else None, becomes.type, self.of(value)))",
        "what is joined forwards and backwards is equal",
    ),
    _merge(
        "cut-in-another-way",
        "self._number(becomes, (edge.op, each, becomes.type, self.of(value)))",
        "self._number(becomes, (edge.op, None if edge.target else each, becomes.type, self.of(value)))",
        "parts of one input that are cut in other ways are equal",
    ),
    _merge(
        "one-arm-compared",
        "for edge in edges:\n            for value, becomes in edge.pairs:\n                forwarded",
        "for edge in edges if flow.repeats else edges[:1]:\n            for value, becomes in edge.pairs:\n                forwarded",
        "results that are equal in the first arm are equal",
    ),
    _merge(
        "settled-after-one-round",
        "if self.before == self.numbers:",
        "if True:",
        "what was taken to be equal is not asked again",
    ),
    _merge(
        "results-of-one-operation",
        "self._number(result, (index, key))",
        "self._number(result, key)",
        "all results of an operation are equal",
    ),
)
