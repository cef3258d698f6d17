"""`ov-loop-unroll`: unrolls loops completely or by a factor.

A loop becomes copies of its body, or a loop over several copies.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.profile import loop_facts
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.costs import code_size, code_size_of_block, cost_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.lowering_requirements import deciding_loops
from loomir.passes.analysis.machines import Machine, machine_of
from loomir.passes.control_flow.counted_loops import unroll
from loomir.passes.graph.lib.loop_copies import Copies, joins_with_nothing
from loomir.passes.graph.lib.loop_rewriting import version_loop
from loomir.passes.graph.lib.while_copies import unroll_while, unrolling_obstacle
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopUnrollPass(ModulePass):
    """Unrolls `ov.loop` completely or by a factor.

    Complete unrolling needs a static and small trip count.

    ```mlir
    %r = ov.loop trip(%two) carried(%a) {                      // before
    ^bb0(%i: tensor<i64>, %x: tensor<4xf32>):
      %y = ov.add %x, %b
      ov.next carried(%y)
    }
    %y0 = ov.add %a, %b                                        // after
    %r = ov.add %y0, %b
    ```

    Loops of at most `max-trips` iterations are unrolled completely. With `factor=k > 1`, longer ones become a loop whose
    body is k copies, followed by the remaining iterations. These are copies, or a loop if their number is known only at run
    time (possible if the loop has no slices and last values). A loop that a condition may end is unrolled by a factor, too,
    with the condition tested between the copies (`passes/graph/lib/while_copies.py`). Inner loops are unrolled first.

    With `deciding`, only those loops are unrolled whose iteration number or carried values determine something that an
    operation has to know, such as its axes: each copy may know it (`passes/analysis/lowering_requirements.py`).

    If a profile ([profiling.md](profiling.md)) says that nine in ten entries have the same trip count, of at most `max-trips`, a
    loop that only its trip count ends gets a version for this count, under a test, and that is unrolled. The copies may add 48.

    `max-code-growth` limits the code that the copies of a loop, and those of all loops together, may add to the program. An
    elementwise operation counts 1, a product or another nest 4, a composite operation 16 (`passes/analysis/costs.py`):
    some 100 bytes each, less if copies are fused. The default passes allow 8, or the 32nd part of the program if that is
    more: eight copies of an addition, two of a product and some, but no network's layer twice. If the `machine` spends a
    quarter of an iteration or more on work that only the loop needs, only a quarter of the growth counts: eight copies of a
    few operations on a scalar, or on as many numbers as a vector has.
    """

    name = "ov-loop-unroll"
    EXACT = True

    max_trips: int = 8
    factor: int = 1
    max_code_growth: int = 10_000
    machine: str = "generic"
    deciding: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_trips=0, factor=1, max_code_growth=0)
        remarks = Remarks(self.name)
        # Inner loops first: a body is unrolled before the loop around it copies it.
        loops = [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]
        if self.deciding:
            chosen = deciding_loops(op, analyses_of(ctx).get(infer, op))
            loops = [o for o in loops if o in chosen]
        if not loops:
            return analyses_of(ctx).keep_all()
        inference = analyses_of(ctx).get(infer, op) if self.factor > 1 else None
        budget = Budget(max(self.max_code_growth, code_size(op) // SHARE))
        changed = [self.unroll(loop, inference, budget, remarks) is None for loop in loops]
        retype(ctx, op, changed=any(changed))

    def unroll(
        self, loop: LoopOp, inference: Inference | None, budget: Budget, remarks: Remarks
    ) -> str | MissedReason | None:
        """Unroll the loop; return why it stays, or None.

        `inference` is needed for a factor of a loop whose trip count is not known.
        """
        conditional = loop.cond is not None or loop.next.cond is not None
        trips = static_trips(loop)
        # (Of a loop whose trip count is mostly the same, the profile says, that count has a version of its own.)
        open_ = not conditional and trips is None and not self.deciding
        typical = self._typical_trips(loop) if open_ else None
        copies, why = self._copies(loop, conditional, trips if typical is None else typical, inference)
        size = 0 if why else code_size_of_block(loop.body.block)
        growth, limit = (copies - (typical is None)) * size, min(self.max_code_growth, budget.left)
        if typical is not None and self.max_code_growth:
            limit = max(limit, TYPICAL_GROWTH)
        pays = growth > limit and saves_a_quarter(loop, machine_of(self.machine))
        counted = -(-growth // 4) if pays else growth
        if not why and counted > limit:
            why = MissedReason(
                f"{copies} copies of {size} add {growth}, {'a quarter of which is ' if pays else ''}more than {limit}",
                {"copies": copies, "growth": growth, "limit": limit},
            )
        if why:
            remarks.missed(loop, why)
            return why
        budget.left -= 0 if typical is not None else counted
        facts: dict[str, int] = {}
        if typical is not None:
            unroll(Copies.before(version_loop(loop, typical)), typical, typical)
            what, facts = f"unrolled a version for {typical} trips, as in the profile", {"trips": typical}
        elif conditional:
            unroll_while(loop, self.factor)
            what = f"unrolled by {self.factor}, with a test of its condition between the copies"
        elif trips is None:
            unroll(Copies.before(loop), None, self.factor)
            what = f"unrolled by {self.factor}, with a loop for the remaining iterations"
        elif trips <= self.max_trips:
            unroll(Copies.before(loop), trips, trips)
            what, facts = f"unrolled its {trips} trips", {"trips": trips}
        else:
            unroll(Copies.before(loop), trips, self.factor, most_left=self.factor)
            what = f"unrolled {trips} trips by {self.factor}, {trips % self.factor} left over"
            facts = {"trips": trips, "factor": self.factor}
        remarks.passed(loop, what, **(facts or {"factor": self.factor}), growth=growth)
        return None

    def _typical_trips(self, loop: LoopOp) -> int | None:
        """Return the trip count that is typical in the profile.

        None if there is none, or if so many iterations may not be unrolled.
        """
        facts = loop_facts(loop)
        trips = None if facts is None else facts.typical_trips
        if trips is None or not 1 <= trips <= self.max_trips or loop.trip is None or loop.sliced:
            return None
        return trips

    def _copies(
        self, loop: LoopOp, conditional: bool, trips: int | None, inference: Inference | None
    ) -> tuple[int, str | MissedReason | None]:
        """Return the number of copies, or why the loop stays.

        The copies are those of the loop's body.
        """
        if conditional:
            why = unrolling_obstacle(loop, self.factor) if self.factor > 1 else "a condition may end it early"
            return self.factor, why
        if trips is None:
            why = "its trip count is not known" if inference is None else grouping_obstacle(loop, inference)
            return self.factor + 1, why
        if trips == 0:
            return 0, "it never runs: canonicalize removes it"
        if not all(map(_is_static, loop.next.concat)):
            # (That the parts differ is an error of the iteration that gives the second one, and not of what comes behind it.)
            return 0, "a concatenated output has a dynamic extent"
        if trips <= self.max_trips:
            return trips, None
        if self.factor == 1:
            return 0, MissedReason(
                f"its {trips} trips are more than max-trips={self.max_trips}",
                {"trips": trips, "limit": self.max_trips},
            )
        return self.factor + trips % self.factor, None


SHARE = 32
"""Divisor of the program's code size for the permitted growth.

The quotient is the limit if it is more than `max-code-growth`.
"""


TYPICAL_GROWTH = 48
"""Growth of code for the typical version of a loop.

It is six times the limit of the default passes.
"""


@dataclass
class Budget:
    """Remaining amount that may be added to the program's code."""

    left: int


COUNTING = 3
"""An addition, a comparison and a branch in each iteration."""


def saves_a_quarter(loop: LoopOp, machine: Machine) -> bool:
    """Return True if a quarter or more of an iteration is overhead.

    The overhead must be at least a quarter of the iteration's cost. It is the cost of counting, and of copying values that
    are both carried and concatenated, which are in two places. False if the cost is not known.
    """
    work = 0
    for op in loop.body.block.ops:
        if not isinstance(op, NextOp):
            cost = cost_of(op, machine)
            if cost is None:
                return False
            work += cost
    handed_on = set(loop.next.carried)
    copied = sum(
        prod(tensor_type_of(v).get_shape()) for v in loop.next.concat if v in handed_on and _is_static(v)
    )
    saved = COUNTING + copied / machine.lanes
    return saved >= (saved + work / machine.lanes) / 4


def _is_static(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and value.type.has_static_shape()


def grouping_obstacle(loop: LoopOp, inference: Inference) -> str | None:
    """Return why a dynamic trip count prevents partial unrolling, or None.

    Partial unrolling yields one loop over groups of iterations and one over the remaining iterations.
    """
    if loop.trip is None:
        return "it has no trip count"
    if loop.sliced or loop.last:
        return "its trip count is not known, and it has slices or last values"
    for value, cut in zip(loop.next.concat, loop.concatenations):
        if not joins_with_nothing(inference.fact(value), cut):
            return "its trip count is not known, and a concatenated output has a dynamic extent"
    return None
