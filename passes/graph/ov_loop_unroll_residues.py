"""`ov-loop-unroll-residues`: unrolls loops by the period of a branch in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import i64
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MaximumOp, MinimumOp, SubtractOp
from loomir.dialects.region_flow import enclosing
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.affine_conditions import IterationForms, comparisons_in, untaken_size
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.costs import REGION_SIZE, code_size, code_size_of_block
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.periodic_values import Period, candidates, period_of, value_of
from loomir.passes.graph.lib.loop_copies import Copies
from loomir.passes.graph.ov_infer import retype
from loomir.passes.graph.ov_loop_unroll import grouping_obstacle
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopUnrollResiduesPass(ModulePass):
    """Unrolls loops so that each copy knows the arm of a branch.

    The branch is on values that repeat after a few iterations (`passes/analysis/periodic_values.py`): remainders of the iteration
    number, and flags that alternate.

    ```mlir
    %r = ov.loop trip(%n) carried(%x) {                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %m = ov.floor_mod %i, %two
      %even = ov.equal %m, %zero
      %w = ov.if %even -> (tensor<4xf32>) {
        %p = ov.exp %v
        ov.yield %p
      } else {
        %p = ov.tanh %v
        ov.yield %p
      }
      ov.next carried(%w)
    }

    %half = ov.divide %n, %two                                 // after
    %s = ov.loop trip(%half) carried(%x) {
    ^bb0(%j: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.exp %v
      %q = ov.tanh %p
      ov.next carried(%q)
    }
    %left = ov.floor_mod %n, %two
    %r = ov.loop trip(%left) carried(%s) {
    ^bb0(%j: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.exp %v
      ov.next carried(%p)
    }
    ```

    Of a known trip count, what is left over are copies behind the loop; of another one, loops of at most one iteration. A loop that a
    condition may end stays, and so does one with slices or last values whose trip count is not known.

    `max-period` limits the copies of a loop, and `max-code-growth` what they may add, less the arms that none of them takes
    (`passes/analysis/costs.py`: an elementwise operation is 1). All loops together at most double the program, or add
    `max-code-growth` if that is more.
    """

    name = "ov-loop-unroll-residues"
    EXACT = True

    max_period: int = 4
    max_code_growth: int = 32

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_period=1, max_code_growth=0)
        remarks = Remarks(self.name)
        loops, asking = list[LoopOp](), dict[LoopOp, dict[SSAValue, None]]()
        for inner in walk(op):
            if isinstance(inner, LoopOp):
                loops.append(inner)
            elif isinstance(inner, IfOp):
                found = list(candidates(inner.cond))
                around = (outer for outer, _ in enclosing(inner) if found)
                for loop in (each for each in around if isinstance(each, LoopOp)):
                    asking.setdefault(loop, {}).update(dict.fromkeys(found))
        for loop in loops:
            if loop not in asking:
                remarks.missed(loop, "no branch in it is on a remainder or a carried value")
        if not asking:
            return analyses_of(ctx).keep_all()
        inference = analyses_of(ctx).get(infer, op)
        left = max(self.max_code_growth, code_size(op))
        changed = False
        # Inner loops first: the copies of an outer body hold theirs.
        for loop in (each for each in reversed(loops) if each in asking):
            unrolling = _Unrolling(loop, list(asking[loop]), inference)
            why = unrolling.plan(self.max_period, min(self.max_code_growth, left))
            if why is not None:
                remarks.missed(loop, why)
                continue
            left -= max(unrolling.growth, 0)
            changed = True
            unrolling.replace()
            what = f"unrolled by the period {unrolling.period} of its branches"
            remarks.passed(loop, what, factor=unrolling.period, growth=unrolling.growth)
        retype(ctx, op, changed=changed)


@dataclass
class _Unrolling:
    """Copies of one loop's body, each with its values of what repeats."""

    loop: LoopOp
    candidates: Sequence[SSAValue]
    inference: Inference
    period: int = 1
    growth: int = 0
    periods: dict[SSAValue, Period] = field(default_factory=dict)

    def plan(self, most: int, limit: int) -> str | MissedReason | None:
        """Find what repeats; return why the loop stays, or None."""
        loop, forms = self.loop, IterationForms(self.loop, self.inference.fact)
        trips = static_trips(loop)
        if loop.cond is not None or loop.next.cond is not None:
            return "a condition may end it early"
        for value in self.candidates:
            period = period_of(value, forms, self.inference, most)
            if period is not None and lcm(self.period, len(period)) <= most:
                self.periods[value] = period
                self.period = lcm(self.period, len(period))
        if not self.periods:
            return "nothing that decides a branch in it repeats after a few iterations"
        if trips is None and (why := grouping_obstacle(loop, self.inference)) is not None:
            return why
        if trips is not None and trips < 2:
            return "it runs at most once"
        branches = [op for op in walk(loop) if isinstance(op, IfOp)]
        size = code_size_of_block(loop.body.block)
        saved = [untaken_size(branches, self._decided(branches, j)) for j in range(self.period)]
        if not any(saved):
            return "nothing that repeats decides a branch in it"
        whole, over = self._shares(trips)
        numbers = [*range(whole), *range(over)]
        self.growth = sum(size - saved[j % self.period] for j in numbers) - size
        self.growth += REGION_SIZE * over if trips is None else 0
        if self.growth > limit:
            text = f"code growth of {self.growth} is more than {limit}"
            return MissedReason(text, {"growth": self.growth, "limit": limit})
        return None

    def _shares(self, trips: int | None) -> tuple[int, int]:
        """Return the number of copies in the loop, and behind it."""
        if trips is None:
            return self.period, self.period - 1
        return min(trips, self.period), trips % self.period if trips >= self.period else 0

    def _known(self, residue: int) -> Mapping[SSAValue, np.ndarray]:
        return {value: period[residue % len(period)] for value, period in self.periods.items()}

    def _decided(self, branches: Sequence[IfOp], residue: int) -> dict[SSAValue, bool]:
        """The values of conditions and their parts in iterations of a residue."""
        known = self._known(residue)
        values = (v for b in branches for v in (b.cond, *(op.output for op in comparisons_in(b.cond))))
        found = {value: value_of(value, known) for value in values}
        found.update(known)
        return {v: bool(a.reshape(())) for v, a in found.items() if a is not None and a.dtype == np.bool_}

    def replace(self) -> None:
        """Replace the loop by one with copies, and what is left over."""
        copies, trips = Copies.before(self.loop), static_trips(self.loop)
        build = copies.build
        uses = {v: [(use.operation, use.index) for use in v.uses] for v in self.periods}

        def decide(iteration: int) -> None:
            for value, array in self._known(iteration % self.period).items():
                constant = build.constant(array)
                for operation, index in uses[value]:
                    operation.operands[index] = constant

        if trips is not None:
            whole = trips - trips % self.period
            if whole > self.period:
                copies.group(self.period, whole, decide)
            else:
                copies.copy(whole, decide)
            copies.copy(trips - whole, decide)
        else:
            copies.group(self.period, None, decide)
            left, done = copies.left, copies.done
            assert left is not None
            assert isinstance(done, SSAValue)
            for residue in range(self.period - 1):
                decide(residue)
                if residue:
                    one = build.scalar(residue, i64)
                    copies.done = build.make(AddOp, done, one)
                    remaining = build.make(MaximumOp, build.make(SubtractOp, left, one), build.scalar(0, i64))
                else:
                    remaining = left
                if residue == self.period - 2:
                    copies.run(remaining)
                else:
                    copies.some(build.make(MinimumOp, remaining, build.scalar(1, i64)))
        copies.replace()
