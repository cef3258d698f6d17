"""Mistakes in what loops carry, cut and join: the canonicalisation of `ov.loop`, and `ov-loop-merge-values`."""

from __future__ import annotations

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
_dead = Place(
    "dialects/ov/canonicalization/loop_values.py",
    LIT,
    UNITS,
    (
        "value_dead_through_a_cycle",
        "value_dead_through_a_nest",
        "value_dead_through_a_branch",
        "value_unread_slice",
    ),
)
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
    "passes/graph/ov_loop_merge_values.py",
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
        "if op.next.cond is not None and (c := constant_of(op.next.cond)) is not None and bool(c):",
        "if op.next.cond is not None and (c := constant_of(op.next.cond)) is not None:",
        "a condition that is constant false is left out",
    ),
    _loops(
        "zero-trips-are-no-limit",
        "(t := constant_of(op.trip)) is not None and int(t.reshape(())) < 0:\n            kept",
        "(t := constant_of(op.trip)) is not None and int(t.reshape(())) <= 0:\n            kept",
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
        "return [zero.output, *op.carried, *parts][value.index]",
        "return [zero.output, *reversed(op.carried), *parts][value.index]",
        "of a loop of one trip that hands an argument on it is another one",
    ),
    _loops(
        "invariant-from-inside",
        "if following is argument or following is op.carried[index]:",
        "if following in op.carried_arguments or following is op.carried[index]:",
        "values that change places are invariant",
    ),
    _dead(
        "condition-is-dead",
        "    if end.cond is not None:\n        work.append(end.cond)\n",
        "",
        "what only the condition needs is dead",
    ),
    _dead(
        "branch-condition-is-dead",
        "return [*(flow.deciders if made else ()), *(op.operands[number] for op, number in handed)]",
        "return [op.operands[number] for op, number in handed]",
        "the condition of a branch, and the trips of a loop, in the body are dead",
    ),
    _dead(
        "derived-is-dead",
        "handed = [*flow.predecessor_operands(value), *flow.predecessor_operands(value, flow.derived)]",
        "handed = flow.predecessor_operands(value)",
        "what a nested loop joins, and cuts, needs nothing",
    ),
    _dead(
        "last-values-need-nothing",
        "[end.last[i] for i in last] + [end.concat[i] for i in concat]",
        "[end.concat[i] for i in concat]",
        "what only a last value needs is dead",
    ),
    _dead(
        "all-slices-go",
        "sliced = read if read or op.trip is not None else sliced[:1]",
        "sliced = read",
        "the slice that says how often the loop runs goes",
    ),
    _dead(
        "unread-slice-of-open-extent",
        "if static_trips(op) is not None:",
        "if True:",
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
        "self._number(argument, (op, argument.type, begin, after))",
        "self._number(argument, (op, argument.type, after))",
        "carried values that begin with others are equal where they go on alike",
    ),
    _merge(
        "following-not-compared",
        "self._number(argument, (op, argument.type, begin, after))",
        "self._number(argument, (op, argument.type, begin))",
        "carried values that begin alike are equal",
    ),
    _merge(
        "joined-in-another-direction",
        '(op, "concat", result.type, self.of(value), cut))',
        '(op, "concat", result.type, self.of(value)))',
        "what is joined forwards and backwards is equal",
    ),
    _merge(
        "cut-in-another-way",
        "self._number(argument, (op, argument.type, self.of(value), cut))",
        "self._number(argument, (op, argument.type, self.of(value)))",
        "parts of one input that are cut in other ways are equal",
    ),
    _merge(
        "one-arm-compared",
        "self._number(result, (op, result.type, self.of(a), self.of(b)))",
        "self._number(result, (op, result.type, self.of(a)))",
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
