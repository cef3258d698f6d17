"""Mistakes in what loops join, and in their counters: functions of the iteration number."""

from __future__ import annotations

from tests.differential.mutations.loop_values import LIT, UNITS
from tests.differential.mutations.mutation import Mutation, Place

_last = Place(
    "dialects/ov/canonicalization/loop_last_parts.py",
    LIT,
    UNITS,
    ("value_last_part_of_a_concat", "joined_for_its_last_rows"),
)
_concats = Place(
    "dialects/ov/canonicalization/loop_trips.py",
    LIT,
    UNITS,
    ("value_concat_of_the_slices", "value_concat_of_an_invariant", "value_concat_of_a_linear_value"),
)
_first_extents = Place(
    "passes/structured/convert_ov_loop_to_scf/slices.py", ("passes/structured/first_extents.mlir",)
)
_counters = Place(
    "dialects/ov/canonicalization/loop_values.py",
    LIT,
    UNITS,
    ("value_affine_in_the_iteration_number", "value_final_counter", "value_power_becomes_products"),
)
_conditions = Place("dialects/ov/canonicalization/loop_conditions.py", LIT)
_increments = Place("dialects/control_flow/rewriting.py", _counters.lit, _counters.units, _counters.rows)

JOINED_VALUES: tuple[Mutation, ...] = (
    _last(
        "last-part-forwards-alone",
        "begin = extent - size if join.stride > 0 else 0",
        "begin = extent - size",
        "the last part of what is joined backwards is behind",
    ),
    _last(
        "not-from-the-end",
        "np.where(indices < 0, indices + extent, indices) - part.start",
        "indices - part.start",
        "indices from the end are none",
    ),
    _last(
        "part-before-the-last",
        "if not bool(((moved >= 0) & (moved < len(part))).all()):",
        "if not bool((moved < len(part)).all()):",
        "an element before the last part is gathered of it",
    ),
    _last(
        "another-axis",
        "if normalise_axis(int(axis.reshape(())), tensor_type_of(reader.data).get_num_dims()) != along:",
        "if False:",
        "what gathers along another axis gathers of the last part",
    ),
    _last(
        "slice-before-the-last-part",
        "or first not in part or",
        "or",
        "a slice that begins before the last part is one of the last part",
    ),
    _last(
        "slice-of-another-axis",
        "if cuts is None or any(cut.positions is not None for cut in cuts if cut.axis != along):",
        "if cuts is None:",
        "a slice of two axes is one of the joined axis",
    ),
    _last(
        "slice-from-the-first-part",
        "begin = first - part.start",
        "begin = first",
        "a slice of the last part begins where that of all parts does",
    ),
    _concats(
        "direction-of-the-slices",
        "if not isinstance(whole.type, TensorType) or (join.stride > 0) != (cut.stride > 0):",
        "if not isinstance(whole.type, TensorType):",
        "what is cut forwards and joined backwards is the input",
    ),
    _concats(
        "axis-of-the-slices",
        "        if axis != join.normalised_axis(rank):\n            return None\n",
        "",
        "what is cut along one axis and joined along another is the input",
    ),
    _concats(
        "some-of-the-slices",
        "if trips * cut.part_size != extent or cut.trips(extent) != trips:",
        "if cut.trips(extent) != trips:",
        "parts of the second half of an input are the input",
    ),
    _concats(
        "another-slice-is-shorter",
        "or not is_whole(cut) or not _all_alike(op):",
        "or not is_whole(cut):",
        "a loop that another input ends before goes over all of an input",
    ),
    _first_extents(
        "open-extents-of-no-trip",
        "*(low.index(first[k]) for k in self.inner),",
        "*(low.index(0) for k in self.inner),",
        "after no iteration the extents that only the run knows are 0",
    ),
    _concats(
        "repeated-once-too-often",
        "times = [trips.static if k == axis else",
        "times = [trips.static + 1 if k == axis else",
        "what each iteration joins is there once more",
    ),
    _concats(
        "invariant-from-the-body",
        "if not comes_from_outside(part, op) or (trips := trips_of(op)) is None:",
        "if part in op.body.block.args or (trips := trips_of(op)) is None:",
        "what the body computes is the same in each iteration",
    ),
    _concats(
        "numbers-joined-forwards-alone",
        "_numbers(trips, join.stride > 0, build)",
        "_numbers(trips, True, build)",
        "numbers that are joined backwards are joined forwards",
    ),
    _concats(
        "numbers-backwards-to-one",
        "bounds = (build.make(SubtractOp, end, one), build.scalar(-1, i64), build.scalar(-1, i64))",
        "bounds = (build.make(SubtractOp, end, one), build.scalar(0, i64), build.scalar(-1, i64))",
        "backwards the first number is missing",
    ),
    _counters(
        "falling-begins-anew",
        "number = build.make(SubtractOp if self.falls else AddOp, self.begin, number)",
        "number = build.make(AddOp, self.begin, number)",
        "a counter that falls rises",
    ),
    _counters(
        "step-of-one",
        "if not _is(self.step, 1):",
        "if False:",
        "every step is 1",
    ),
    _counters(
        "begins-with-zero",
        "if self.falls or not _is(self.begin, 0) or number.type != type_:",
        "if self.falls or number.type != type_:",
        "every counter begins with 0",
    ),
    _counters(
        "counter-of-a-loop-that-ends-early",
        "        if op.next.cond is not None:\n            return\n        trips = trips_of(op)",
        "        trips = trips_of(op)",
        "a counter that a condition reads is one of the iterations",
    ),
    _counters(
        "final-of-no-trips",
        "counter.after(trips.emit(build), build)",
        "counter.after(build.scalar(0, i64), build)",
        "the final value of a counter is that of no trip",
    ),
    _increments(
        "subtracted-from",
        "if b is argument and not falls else None",
        "if b is argument else None",
        "`step - k` is a counter that falls",
    ),
    _counters(
        "step-from-inside",
        "    if not (comes_from_outside(increment.step, op) or isinstance(increment.step.owner, ConstantOp)):\n        return None\n",
        "",
        "what each iteration adds may be another number each time",
    ),
    _counters(
        "one-more-than-another",
        "return any(a is than and _is(b, 1) for a, b in",
        "return any(_is(b, 1) for a, b in",
        "one more than any number is the number of trips",
    ),
    _counters(
        "power-behind",
        "product = following.make(MultiplyOp, power.output, power.a)",
        "product = following.make(MultiplyOp, power.output, power.output)",
        "the power is squared",
    ),
    _counters(
        "one-counter-alone",
        "            found.pop(number)\n            trips = op.final[number]",
        "            found.pop(number)\n            trips = op.carried[number]",
        "the number of trips is what the counter begins with",
    ),
    _conditions(
        "initial-value-of-the-condition",
        "or not same_contents(known, begin):",
        "or False:",
        "what the condition compares begins with another number",
    ),
    _conditions(
        "unequal-to-the-constant",
        "EqualOp if truth else NotEqualOp",
        "EqualOp | NotEqualOp",
        "what the condition says to be unequal to a constant is that constant",
    ),
    _conditions(
        "equal-zeros",
        'in "iub" else None',
        'in "iubf" else None',
        "what is equal to 0.0 is not -0.0",
    ),
)
