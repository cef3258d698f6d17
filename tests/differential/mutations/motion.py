"""Mistakes in moving what is the same in every iteration, and in fusing loops."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_tests = (
    ("passes/graph/ov_loop_invariant_code_motion.mlir", "passes/graph/xla/loop_motion*.mlir"),
    ("passes/graph/test_ov_loop_invariant_code_motion.py",),
    (
        "motion_into_the_outer_loop",
        "motion_of_a_branch",
        "motion_of_a_loop",
        "motion_where_the_loop_surely_runs",
    ),
)
_motion = Place("passes/control_flow/motion.py", *_tests)
_of_graph = Place("passes/graph/ov_loop_invariant_code_motion.py", *_tests)
_fuse = Place(
    "passes/graph/ov_loop_fuse.py",
    ("passes/graph/ov_loop_fuse.mlir",),
    ("passes/graph/test_ov_loop_fuse.py",),
    ("value_concat_that_the_next_loop_slices",),
)

MOTION: tuple[Mutation, ...] = (
    _motion(
        "moved-although-it-may-fail",
        "fails = not speculatable(op, self.policy.fact_of)",
        "fails = False",
        "what may fail moves out of a loop that may not run",
    ),
    _motion(
        "moved-before-another-error",
        "        if fails and place.fails:\n"
        '            return "it may fail, and so may an operation that stays before it"\n',
        "",
        "what may fail moves before something else that may",
    ),
    _of_graph(
        "loops-surely-end",
        "return not isinstance(op, LoopOp)",
        "return True",
        "a loop that may never end moves before something that may fail",
    ),
    _motion(
        "arm-that-may-fail-forgotten",
        "fails, acts = fails or inner.fails or bool(inner.guarded)",
        "fails, acts = inner.fails or bool(inner.guarded)",
        "a branch fails only where its second arm may",
    ),
    _motion(
        "reads-of-an-arm-forgotten",
        "reads |= inner.reads & ((2 << place.level) - 1)",
        "reads = inner.reads & ((2 << place.level) - 1)",
        "a branch reads what its second arm reads",
    ),
    _motion(
        "reads-of-a-nested-loop-forgotten",
        "reads |= inner.reads & ((2 << place.level) - 1)",
        "reads |= 0 if flow.repeats else inner.reads & ((2 << place.level) - 1)",
        "a loop reads only its operands",
    ),
    _motion(
        "guarded-reads-forgotten",
        "        target.reads |= reads\n",
        "        target.reads |= 0 if under_guard else reads\n",
        "what stands under the guard of a loop reads nothing",
    ),
    _of_graph(
        "surely-runs-twice",
        "trip_bounds(loop, self.inference).lo >= 1",
        "trip_bounds(loop, self.inference).lo >= 0",
        "what may fail moves out of a loop that may run no iteration",
    ),
    _motion(
        "one-loop-too-far",
        "while (loop := place.loop) is not None and place.outer is not None and top < place.level:",
        "while (loop := place.loop) is not None and place.outer is not None and top <= place.level:",
        "what reads a loop moves out of it",
    ),
    _motion(
        "guard-of-what-is-guarded",
        "self.levels[result] = target.level - under_guard",
        "self.levels[result] = max(target.level - 2 * under_guard, 0)",
        "what stands under a guard counts as before the guard",
    ),
    _motion(
        "guarded-behind-the-body",
        "            loop.body.block.insert_ops_before(inner.guarded, first)",
        "            assert loop.body.block.last_op is not None\n"
        "            loop.body.block.insert_ops_before(inner.guarded, loop.body.block.last_op)",
        "what goes back into the body stands at its end",
    ),
    _of_graph(
        "guard-for-loops-counted",
        "open_ = loops or any(c is None for c in counts)",
        "open_ = any(c is None for c in counts)",
        "a loop that gives little stays for its elements",
    ),
    _motion(
        "fails-forgotten-where-it-stays",
        "            target.fails |= fails\n",
        "            target.fails = fails\n",
        "what may fail counts until the next operation",
    ),
    _motion(
        "constants-stay-behind",
        "if source.has_trait(ConstantLike):\n                    source.detach()\n",
        "if source.has_trait(ConstantLike):\n                    continue\n",
        "a constant does not move with what reads it",
    ),
    _motion(
        "kept-bytes-freed-twice",
        "if self.kept[v] == reads",
        "if self.kept[v] >= reads",
        "what something else still reads counts as kept no longer",
    ),
    _fuse(
        "fused-although-a-condition-ends-one",
        "if any(c is not None for c in (first.cond, second.cond, first.next.cond, second.next.cond)):",
        "if any(c is not None for c in (first.cond, second.cond, first.next.cond)):",
        "a loop that its body may end runs as often as the other one",
    ),
    _fuse(
        "entry-of-the-first-forgotten",
        "(first.cond, second.cond, first.next.cond, second.next.cond)",
        "(second.cond, first.next.cond, second.next.cond)",
        "a loop that may not be entered is",
    ),
    _fuse(
        "another-reader-of-what-was-joined",
        "if any(use.operation is not second for use in whole.uses):",
        "if False:",
        "what was joined is read elsewhere",
    ),
    _fuse(
        "one-cut-of-two",
        "if not all(_as_joined(first, _index(whole, first), cut) for cut in cuts):",
        "if not any(_as_joined(first, _index(whole, first), cut) for cut in cuts):",
        "of two slices of what was joined one is as it was joined",
    ),
    _fuse(
        "cut-backwards",
        "if not isinstance(part.type, TensorType) or (join.stride > 0) != (cut.stride > 0):",
        "if not isinstance(part.type, TensorType):",
        "what is joined forwards and cut backwards is handed on",
    ),
    _fuse(
        "cut-from-the-second-part",
        "return axis == join.normalised_axis(len(shape)) and shape[axis] == cut.part_size and covers",
        "return axis == join.normalised_axis(len(shape)) and shape[axis] == cut.part_size",
        "a slicing that leaves the first part out gets it",
    ),
    _fuse(
        "cut-on-another-axis",
        "return axis == join.normalised_axis(len(shape)) and shape[axis]",
        "return shape[axis]",
        "what is joined on one axis and cut on another is handed on",
    ),
    _fuse(
        "parts-of-another-size",
        "and shape[axis] == cut.part_size and covers",
        "and covers",
        "parts of two are handed on as parts of one",
    ),
    _fuse(
        "as-often-by-the-second",
        "if trips is not None and static_trips(second) == trips:",
        "if static_trips(second) is not None:",
        "a loop of known trips runs as often as one of unknown",
    ),
    _fuse(
        "another-slice-ends-it",
        "if second.trip is not None or any(value is not whole for value in second.sliced):",
        "if second.trip is not None:",
        "another input, which may be shorter, is not looked at",
    ),
    _fuse(
        "trip-count-of-the-second",
        "if second.trip is not None or any(value is not whole for value in second.sliced):",
        "if any(value is not whole for value in second.sliced):",
        "the second loop's trip count is not looked at",
    ),
    _fuse(
        "read-in-the-body",
        "return any(o in made for o in (*second.carried, *given, *inside))",
        "return any(o in made for o in (*second.carried, *given))",
        "what the second loop's body reads of the first is not looked at",
    ),
    _fuse(
        "carried-from-the-first",
        "return any(o in made for o in (*second.carried, *given, *inside))",
        "return any(o in made for o in inside)",
        "what the second loop begins with may come of the first",
    ),
    _fuse(
        "in-between-forgotten",
        "made = {r for op in (first, *between) for r in op.results}",
        "made = set(first.results)",
        "what stands between both is there before the first",
    ),
    _fuse(
        "errors-in-another-order",
        'if all(kinds) and set(kinds) != {"shapes"}:',
        "if False:",
        "an error of the second body comes before the first one's",
    ),
    _fuse(
        "errors-in-between",
        "_failures([first, *between], inference)",
        "_failures([first], inference)",
        "an error of what stands in between comes behind the second body's",
    ),
    _fuse(
        "carried-of-the-second-first",
        "following = [*a.carried, *b.carried]",
        "following = [*b.carried, *a.carried]",
        "what both loops carry changes places",
    ),
    _fuse(
        "trips-of-neither",
        "        cond=None,\n",
        "        cond=None,\n        trip=second.trip,\n",
        "the fused loop runs as the second one says",
    ),
)
