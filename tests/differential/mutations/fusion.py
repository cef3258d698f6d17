"""Mistakes in fusing loops."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_tests = (
    ("passes/graph/ov_loop_fuse*.mlir",),
    ("passes/graph/test_ov_loop_fuse.py",),
    ("value_concat_that_the_next_loop_slices",),
)
_legality = Place("passes/graph/ov_loop_fuse/legality.py", *_tests)
_merging = Place("passes/graph/ov_loop_fuse/merging.py", *_tests)
_pays = Place("passes/graph/ov_loop_fuse/profitability.py", *_tests)
_trips = Place("passes/analysis/trip_counts/equal_trips.py", *_tests)

FUSION: tuple[Mutation, ...] = (
    _legality(
        "fused-although-a-condition-ends-one",
        "if any(c is not None for c in (first.cond, second.cond, first.next.cond, second.next.cond)):",
        "if False:",
        "a loop that its body may end is fused",
    ),
    _legality(
        "one-cut-of-two",
        '                return MissedReason("its slices differ from the concatenated parts")',
        "                pass",
        "slices that differ from what was joined are handed on",
    ),
    _trips(
        "cut-backwards",
        "return JoinedParts(axis - len(shape), shape[axis], join.stride > 0)",
        "return JoinedParts(axis - len(shape), shape[axis], True)",
        "what is joined backwards counts as forwards",
    ),
    _trips(
        "cut-from-the-second-part",
        "return cut.start, cut.end, cut.stride, cut.part_size",
        "return 0, 0, cut.stride, cut.part_size",
        "a slicing that leaves the first part out gets it",
    ),
    _trips(
        "cut-on-another-axis",
        "return (axis, *_how(cut)) == (rank + self.axis, *_how(self.cut(rank)))",
        "return _how(cut) == _how(self.cut(rank))",
        "what is joined on one axis and cut on another is handed on",
    ),
    _legality(
        "as-often-by-chance",
        "if plan.trips is None or keys.of(second) != plan.trips:",
        "if False:",
        "loops of different trip counts are fused",
    ),
    _trips(
        "another-slice-ends-it",
        "        if len(slices) == 1:\n            return slices.pop()",
        "        if slices:\n            return min(slices, key=str)",
        "another input, which may be shorter, is not looked at",
    ),
    _trips(
        "trip-count-forgotten",
        "        if loop.trip is not None:\n            trip",
        "        if loop.trip is not None and not slices:\n            trip",
        "the trip count of a loop that slices is not looked at",
    ),
    _trips(
        "extent-of-any-operand",
        "    return varying[0] if len(varying) == 1 and",
        "    return varying[0] if varying and",
        "the first operand of an operation decides its extent",
    ),
    _legality(
        "read-in-the-body",
        "others = [*second.carried, *(v for v in second.sliced if not needed.depends(v)), *captured(second, {})]",
        "others = [*second.carried, *(v for v in second.sliced if not needed.depends(v))]",
        "what the second loop's body reads of the first is not looked at",
    ),
    _legality(
        "carried-from-the-first",
        "others = [*second.carried, *(v for",
        "others = [*(v for",
        "what the second loop begins with may come of the first",
    ),
    _legality(
        "in-between-stays",
        "plan.moving = [op for op in between if op in moving]",
        "plan.moving = []",
        "what stands between both is there before the first",
    ),
    _legality(
        "errors-in-another-order",
        'if all(kinds) and set(kinds) != {"shapes"}:',
        "if False:",
        "an error of the second body comes before the first one's",
    ),
    _legality(
        "errors-in-between",
        "earlier, later = [first, *staying], [",
        "earlier, later = [first], [",
        "an error of what stands in between comes behind the second body's",
    ),
    _legality(
        "joined-of-unknown-extents",
        "if not all(tensor_type_of(v).has_static_shape() for v in plan.used_elsewhere() if v in made):",
        "if False:",
        "after no trip a loop joins parts of extents that nothing says",
    ),
    _legality(
        "another-reader-of-what-was-joined",
        "return [v for v in joined if any(use.operation not in inside for use in v.uses)]",
        "return list(self.first.concat)",
        "an elementwise function is read elsewhere",
    ),
    _merging(
        "carried-of-the-second-first",
        "[*a.carried, *b.carried]",
        "[*b.carried, *a.carried]",
        "what both loops carry changes places",
    ),
    _merging(
        "trips-of-the-slices",
        "if isinstance(trips, int) and static_trips(fused) != trips:",
        "if False:",
        "the longer slices of one loop decide nothing",
    ),
    _merging(
        "operand-of-all-rows-is-not-cut",
        "elif extent_on(operand, parts.axis) != 1:",
        "elif False:",
        "an operand of all rows is read whole in each trip",
    ),
    _pays(
        "a-map-is-fused",
        "if not all(f.needs_loop for f in facts) and",
        "if False and",
        "a map is fused with a recurrence beside it",
    ),
    _pays(
        "a-layer-is-hidden",
        "if any(f.has_product for f in facts):",
        "if False:",
        "a recurrent layer is fused with a loop beside it",
    ),
)
