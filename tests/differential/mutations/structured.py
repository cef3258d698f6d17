"""Mistakes in the passes on `scf`: uplifting, peeling, constant propagation, motion, dead values, unrolling."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_uplift = Place(
    "passes/structured/scf_uplift_while_to_for.py",
    ("passes/structured/scf_uplift_while_to_for*.mlir",),
    ("passes/structured/test_scf_uplift_while_to_for.py",),
)
_scf_select = Place("dialects/control_flow/rewriting.py", ("passes/structured/scf_if_to_select.mlir",))
_peel = Place(
    "passes/structured/scf_for_loop_peeling.py",
    ("passes/structured/scf_for_loop_peeling.mlir",),
    ("passes/structured/test_scf_for_loop_peeling.py",),
)
_unroll = Place(
    "passes/loops/scf_unroll.py", ("passes/loops/scf_unroll.mlir",), ("passes/loops/test_scf_unroll.py",)
)
_BOTH = ("passes/structured/scf_for_loop_peeling.mlir", "passes/loops/scf_unroll.mlir")
_BOTH_UNITS = ("passes/structured/test_scf_for_loop_peeling.py", "passes/loops/test_scf_unroll.py")
_pieces = Place("passes/structured/lib/loop_pieces.py", _BOTH, _BOTH_UNITS)
_both = Place("passes/control_flow/counted_loops.py", _BOTH, _BOTH_UNITS)
_sccp = Place("passes/general/sccp.py", ("passes/general/sccp.mlir",))
_licm = Place("passes/general/licm.py", ("passes/general/licm*.mlir",))
_motion = Place("passes/control_flow/motion.py", ("passes/general/licm*.mlir",))
_FUSE = "passes/structured/linalg_fuse_elementwise"
_counting = Place(f"{_FUSE}/counting.py", (f"{_FUSE}_counting.mlir",))
_sequences = Place(f"{_FUSE}/sequences.py", (f"{_FUSE}_constants.mlir",))
_nest = Place(
    "passes/loops/lower_linalg_to_loops/nest.py", ("passes/loops/lower_linalg_to_loops_outer.mlir",)
)
_views = Place(f"{_FUSE}/maps.py", (f"{_FUSE}_counting.mlir",))
_outer = Place(
    "passes/loops/lower_linalg_to_loops/outer_values.py", ("passes/loops/lower_linalg_to_loops_outer.mlir",)
)
_dead = Place("passes/general/remove_dead_values.py", ("passes/general/remove_dead_values.mlir",))
_slices = Place("passes/structured/scf_overwrite_slices.py", ("passes/structured/scf_overwrite_slices.mlir",))
_sinking = Place("passes/structured/scf_loop_sink.py", ("passes/structured/scf_loop_sink.mlir",))

STRUCTURED: tuple[Mutation, ...] = (
    _counting(
        "computed-again-in-each-outer-iteration",
        "if used and used == set(order[: len(used)]) else None",
        "if used else None",
        "what an inner loop counts is converted once for each row",
    ),
    _counting(
        "a-table-is-no-memory",
        "            and not any(isinstance(operand.type, TensorType) for operand in op.operands)\n",
        "",
        "a body that reads a table computes from its indices alone",
    ),
    _counting(
        "long-products-are-short",
        "    return narrow or not isinstance(op, arith.MuliOp)\n",
        "    return True\n",
        "a product of 64 bits costs as little as a sum",
    ),
    _sequences(
        "two-numbers-are-a-sequence",
        "return found if _holds(array, found) else None",
        "return found",
        "what begins like a sequence is one",
    ),
    _sequences(
        "a-sequence-begins-at-zero",
        "        if self.start:\n",
        "        if self.start > 0:\n",
        "a sequence from below zero begins there",
    ),
    _sequences(
        "a-zero-without-its-sign",
        "(np.ascontiguousarray(array).view(bits) == along).all()",
        "(array == along.view(array.dtype)).all()",
        "the last zero loses its sign",
    ),
    _views(
        "a-split-is-a-unit-view",
        "        if len(wide) > 1:\n",
        "        if len(wide) > 2:\n",
        "of a split dimension only the outer part is a coordinate",
    ),
    _nest(
        "one-number-for-a-tile",
        "if dim in self.tiling.parts or (unrolled",
        "if (unrolled",
        "all points of a tile have the number of the first",
    ),
    _outer(
        "a-division-before-its-loop",
        "if op.regions or not (is_side_effect_free(op) and speculatable(op)):",
        "if op.regions or not is_side_effect_free(op):",
        "a division runs although no iteration needs it",
    ),
    _scf_select(
        "numbers-selected-the-wrong-way-round",
        "arith.SelectOp(branch.cond, a, b)",
        "arith.SelectOp(branch.cond, b, a)",
        "where the condition holds the second arm's number is chosen",
    ),
    _motion(
        "licm-more-than-it-may-keep",
        "if total is not None and total <= self.max_bytes:",
        "if total is not None:",
        "tensors move whatever they take together",
    ),
    _licm(
        "licm-although-it-may-be-empty",
        "self.ranges.of(loop.lb)[1] < self.ranges.of(loop.ub)[0]",
        "self.ranges.of(loop.lb)[1] <= self.ranges.of(loop.ub)[1]",
        "a loop that may run does",
    ),
    _uplift(
        "uplifted-with-work-before-the-condition",
        "        or first.first_op is not comparison\n",
        "",
        "what the first region does beside the comparison is lost",
    ),
    _uplift(
        "uplifted-in-another-order",
        "if list(end.operands[1:]) != list(first.args):",
        "if len(end.operands) - 1 != len(first.args):",
        "values that the first region exchanges are not",
    ),
    _uplift(
        "sides-of-the-bound",
        "left, right, predicate = right, left, EXCHANGED[predicate]",
        "left, right, predicate = right, left, predicate",
        "`n > i` is `i > n`",
    ),
    _uplift(
        "less-or-equal-as-less",
        "    if found.inclusive:\n",
        "    if False:\n",
        "`<=` is `<`",
    ),
    _uplift(
        "bound-from-the-loop",
        "if not _is_argument(left, first) or _is_argument(right, first):",
        "if not _is_argument(left, first):",
        "a bound that the loop carries is from outside",
    ),
    _uplift(
        "steps-that-fall",
        'or (relation != "!=" and (step > 0) is not (relation[0] == "<"))',
        "",
        "a counter that falls while it is less than a bound is counted",
    ),
    _uplift(
        "unsigned-as-signed",
        "if asked.unsigned and min(",
        "if False and min(",
        "a comparison of unsigned numbers is one of signed ones",
    ),
    _uplift(
        "unsigned-bound-forgotten",
        "min(initial[0], bound[0]) < 0",
        "initial[0] < 0",
        "an unsigned bound may be too large for a signed one",
    ),
    _uplift(
        "wraps-before-the-bound",
        "if step > 0 and bound[1] + counter.inclusive > greatest - step + 1:",
        "if step > 0 and bound[1] + counter.inclusive > greatest:",
        "a step that leads round the end of the type is not looked at",
    ),
    _uplift(
        "ends-as-its-bound",
        'last = numbers.emit("min" if falls else "max", counter.initial, limit)',
        "last = limit",
        "a counter that begins behind its bound ends as the bound",
    ),
    _uplift(
        "ends-between",
        "        if size == 1:\n",
        "        if True:\n",
        "a counter by 3 ends as its bound",
    ),
    _uplift(
        "falls-round-the-end",
        "bound[0] - counter.inclusive + step + 1 < end",
        "bound[0] - counter.inclusive < end",
        "a counter that falls by 2 is not looked at where its type ends",
    ),
    _uplift(
        "unequal-but-behind",
        "ahead = initial[1] <= bound[0] if step > 0 else initial[0] >= bound[1]",
        "ahead = True",
        "a counter that is not equal to its bound is before it",
    ),
    _uplift(
        "unequal-and-missed",
        "hits = abs(step) == 1 or not (bound[0] - initial[0]) % step",
        "hits = True",
        "a counter by 4 hits every bound",
    ),
    _uplift(
        "falls-as-it-rises",
        "bounds = (limit, counter.initial) if falls else (counter.initial, limit)",
        "bounds = (counter.initial, limit)",
        "a counter that falls goes from its begin up to its bound",
    ),
    _pieces(
        "split-one-step-later",
        "self._run(self._number(self.trips - 1), self.trips - 1)",
        "self._run(self._number(self.trips), self.trips - 1)",
        "the last iteration runs twice",
    ),
    _pieces(
        "partial-iteration-number",
        "self._run(self._number(self.trips - 1), self.trips - 1)",
        "self._run(self._number(self.trips - 1), self.trips)",
        "the last iteration has the number behind it",
    ),
    _pieces(
        "step-may-be-zero",
        "        if ranges.of(least)[0] < 1:\n",
        "        if False:\n",
        "a step that turns out to be 0 divides",
    ),
    _pieces(
        "part-to-the-split",
        "part.operands = [self.lower, upper, self.loop.step, *self.carried]",
        "part.operands = [self.loop.lb, upper, self.loop.step, *self.carried]",
        "the part goes over the first iterations again",
    ),
    _peel(
        "step-divides-the-bound",
        "and not (upper - lower) % (step or 1)",
        "and not upper % (step or 1)",
        "a step that divides the bound divides the range",
    ),
    _pieces(
        "front-beyond-the-bound",
        "taken = self._emit(arith.MinUIOp(self._distance(), self.loop.step))",
        "taken = self.loop.step",
        "behind the first iteration of a loop that has none stands a number beyond its bound",
    ),
    _peel(
        "partial-and-whole-exchanged",
        '("<", (step, greatest)) if self.is_partial else (">=", (step, least))',
        '(">=", (step, least)) if self.is_partial else ("<", (step, greatest))',
        "in a whole step there is less left than a step",
    ),
    _peel(
        "whole-step-is-more",
        'else (">=", (step, least))',
        'else (">", (step, least))',
        "in a whole step there is more left than a step",
    ),
    _peel(
        "number-of-the-whole",
        'else (">=", (step, least))',
        'else (">=", (step, least + 1))',
        "what is left in a whole step is more than the least step",
    ),
    _peel(
        "number-of-the-part",
        '("<", (step, greatest))',
        '("<", (step, greatest // 2))',
        "in the partial iteration less than half a step is left",
    ),
    _peel(
        "signed-distance-overflows",
        "(least >= 1 if unsigned else end - begin <= fits)",
        "(least >= 1 if unsigned else True)",
        "bounds are never farther apart than half of all numbers",
    ),
    _peel(
        "next-number-overflows",
        "(not self.is_partial or end + greatest - 1 <= fits)",
        "True",
        "the number behind the last one fits its type",
    ),
    _peel(
        "minimum-as-maximum",
        "order[isinstance(op, _GREATER)]",
        "order[0]",
        "a maximum is a minimum",
    ),
    _peel(
        "next-number-is-less",
        '(">" if self.is_partial else "<=")',
        '(">" if self.is_partial else "<")',
        "behind a whole step the next number is less than the bound",
    ),
    _both(
        "unrolled-one-group-too-many",
        "loop.group(factor, trips - left)",
        "loop.group(factor, trips - left + factor)",
        "one group more runs than there is",
    ),
    _pieces(
        "rest-without-its-number",
        "for number in range(self._done, self._done + count):",
        "for number in range(count):",
        "what is left over has the first numbers",
    ),
    _pieces(
        "copies-of-one-number",
        "self._constant(k * step)",
        "self._constant(k)",
        "copies are one apart, whatever the step",
    ),
    _pieces(
        "rest-begins-with-the-initial-values",
        "loop.operands = [lower, upper, loop.step, *self.carried]",
        "loop.operands = [lower, upper, loop.step, *loop.operands[3:]]",
        "the loop over what is left begins with what the whole one does",
    ),
    _unroll(
        "negative-steps-unrolled",
        "if step is None or step <= 0:",
        "if step is None:",
        "a loop whose step is not positive is unrolled",
    ),
    _unroll(
        "bounds-that-overflow",
        "    if trips is None and not isinstance(loop.lb.type, IndexType):\n"
        '        return MissedReason("the difference of its bounds may overflow")\n',
        "",
        "the difference of bounds of few bits does not overflow",
    ),
    _pieces(
        "copy-without-its-step",
        "self._begin + iteration * self.step",
        "self._begin + iteration",
        "copies are one apart, whatever the step",
    ),
    _pieces(
        "distance-of-no-iteration",
        "self._emit(arith.SubiOp(self._emit(arith.MaxSIOp(self.upper, self.lower)), self.lower))",
        "self._emit(arith.SubiOp(self.upper, self.lower))",
        "a bound below the begin is a long way off",
    ),
    _sccp(
        "first-number-stays",
        "            number = None\n        self.values[value] = number",
        "            return\n        self.values[value] = number",
        "the first number that reaches a value is its number",
    ),
    _sccp(
        "one-arm-of-two",
        "return holds is None or bool(holds) is (edge.target is then)",
        "return bool(holds) is (edge.target is then)",
        "of a condition that may be either only the second arm is entered",
    ),
    _sccp(
        "arm-not-taken",
        "return holds is None or bool(holds) is (edge.target is then)",
        "return holds is None or bool(holds) is not (edge.target is then)",
        "the arm that is not taken is",
    ),
    _sccp(
        "loop-not-left-at-once",
        "return lower[1] >= upper[0] if edge.target is None else lower[0] < upper[1]",
        "return lower[0] >= upper[1] if edge.target is None else lower[0] < upper[1]",
        "a loop whose bounds may be equal runs",
    ),
    _sccp(
        "loop-surely-not-entered",
        "return lower[1] >= upper[0] if edge.target is None else lower[0] < upper[1]",
        "return lower[1] >= upper[0] if edge.target is None else lower[1] < upper[0]",
        "a loop that may not be entered is not",
    ),
    _sccp(
        "what-may-stop-computed",
        "if row.defined is not None and not row.defined(",
        "if False and not row.defined(",
        "a division by zero is computed",
    ),
    _sccp(
        "select-exchanged",
        "return numbers[1] if numbers[0] else numbers[2]",
        "return numbers[2] if numbers[0] else numbers[1]",
        "where the condition holds the second value is selected",
    ),
    _sccp(
        "iteration-number-known",
        "for argument in set(block.args).difference(handed):",
        "for argument in ():",
        "nothing reaches the number of an iteration",
    ),
    _sccp(
        "nan-is-one-number",
        "return None if found != found else found",
        "return found",
        "which NaN it is is the same on all machines",
    ),
    _motion(
        "licm-although-it-may-fail",
        "fails = not speculatable(op, self.policy.fact_of)",
        "fails = False",
        "what may stop the program moves out of a loop that may not run",
    ),
    _motion(
        "licm-before-another-that-stops",
        "        if fails and place.fails:\n"
        '            return "it may fail, and so may an operation that stays before it"\n',
        "",
        "what may stop the program moves before something else that may",
    ),
    _motion(
        "licm-of-loops-that-may-not-run",
        "(fails and not place.surely_runs)",
        "False",
        "what may stop the program moves out of any loop",
    ),
    _motion(
        "licm-effects-ignored",
        "acts = not (is_side_effect_free(op) or isinstance(op, cf.AssertOp))",
        "acts = False",
        "what has effects moves",
    ),
    _motion(
        "licm-of-what-it-reads",
        "while (loop := place.loop) is not None and place.outer is not None and top < place.level:",
        "while (loop := place.loop) is not None and place.outer is not None and top <= place.level:",
        "what reads the loop moves out of it",
    ),
    _licm(
        "licm-second-region-surely-runs",
        "return region is loop.regions[0]",
        "return True",
        "the second region of a while surely runs",
    ),
    _motion(
        "licm-loops-end",
        "fails = fails or not self.policy.ends(op)",
        "fails = fails or False",
        "a loop that may never end moves before what may stop the program, and out of loops that may not run",
    ),
    _licm(
        "licm-overwritten-tensors",
        "if use.index >= len(user.inputs):",
        "if False:",
        "a tensor that is overwritten in each iteration is made once",
    ),
    _motion(
        "licm-reads-of-arms",
        "reads |= inner.reads & ((2 << place.level) - 1)",
        "reads |= 0",
        "a branch reads only its condition",
    ),
    _dead(
        "dead-although-handed-back",
        "self.pending += (by.operands[number] for by, number in flow.predecessor_operands(value))",
        "self.pending += [by.operands[number] for by, number in flow.predecessor_operands(value)][:1]",
        "what is handed back to a needed value is dead",
    ),
    _dead(
        "dead-conditions",
        "                self.pending += flow.deciders\n",
        "",
        "conditions and bounds are dead",
    ),
    _dead(
        "dead-in-nested-regions",
        "                if op.regions and not _is_open(op):\n",
        "                if False:\n",
        "what only the region of another operation reads is dead",
    ),
    _dead(
        "dead-effects",
        "return not EffectsOfNests().is_dead_if_unused(op)",
        "return False",
        "what has effects is dead",
    ),
    _slices(
        "overwritten-before-it-is-read",
        "found.vector[0][0] < 0",
        "found.vector[0][1] < 0",
        "an iteration may read what an earlier one has written",
    ),
    _slices(
        "overwritten-although-read-behind",
        "exclusive(op, loop) or _is_done_before(loop, op, numbers)",
        "True",
        "the carried tensor may be read behind the loop",
    ),
    _sinking(
        "sunk-into-a-loop-that-may-not-run",
        "            and speculatable(op)\n",
        "",
        "what may fail runs no more if the loop runs no iteration",
    ),
    _sinking(
        "sunk-behind-a-write",
        "            and not any(places.is_overwritten(value, op, around) for value in read)\n",
        "",
        "the loop overwrites what the operation reads there",
    ),
    _slices(
        "overwritten-beside-a-copy",
        "any(made) and all(m or value is source for m, value in zip(made, values))",
        "any(made)",
        "another branch may give a copy",
    ),
    _slices(
        "overwritten-and-handed-on-twice",
        "handed_on_once(value) and _is_made_of",
        "_is_made_of",
        "an output may be handed on twice",
    ),
)
