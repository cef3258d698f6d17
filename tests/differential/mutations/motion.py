"""Mistakes in moving what is the same in every iteration."""

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
)
