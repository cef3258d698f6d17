"""`ov-loop-split`: splits a loop where a branch in it changes its arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import i64
from loomir.dialects.index_builder import Extent
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.integer_forms import emit_form
from loomir.dialects.ov.operators.comparison import CompareOp, LessOp, SelectOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.scalars.row import type_range
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.affine_conditions import (
    FAR,
    AffineComparison,
    IterationForms,
    Threshold,
    affine_comparison,
    comparisons_in,
    loops_of,
    untaken_size,
)
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.costs import REGION_SIZE, code_size, code_size_of_block
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.graph.lib.decompositions import Sizes
from loomir.passes.graph.lib.loop_copies import Copies, joins_with_nothing
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopSplitPass(ModulePass):
    """Splits a loop into loops without a branch of its body.

    Each runs a part of the iterations. The branch is on comparisons that are affine in the iteration number
    (`passes/analysis/affine_conditions.py`): it takes one arm below a threshold, and the other one from there on (index-set
    splitting).

    ```mlir
    %r = ov.loop trip(%n) carried(%x) {                        // before; %n is not negative
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %early = ov.less %i, %k
      %w = ov.if %early -> (tensor<4xf32>) {
        %p = ov.exp %v
        ov.yield %p
      } else {
        %p = ov.tanh %v
        ov.yield %p
      }
      ov.next carried(%w)
    }

    %from = ov.maximum %k, %zero                               // after
    %first = ov.minimum %from, %n
    %s = ov.loop trip(%first) carried(%x) {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.exp %v
      ov.next carried(%p)
    }
    %left = ov.subtract %n, %from
    %others = ov.maximum %left, %zero
    %r = ov.loop trip(%others) carried(%s) {
    ^bb0(%j: tensor<i64>, %v: tensor<4xf32>):
      %p = ov.tanh %v
      ov.next carried(%p)
    }
    ```

    Several comparisons, also parts of a conjunction, give several thresholds; the order of all of them has to be known. Slices
    start further on in each loop, and concatenated outputs are joined. Where a condition ends one of the loops, the following ones do
    not run. A loop with slices or last values needs a trip count and thresholds that are known: after no iteration its last values
    would be zeros.

    `max-code-growth` limits what the bodies may add, less the arms that no loop takes (`passes/analysis/costs.py`: an elementwise
    operation is 1). All loops together at most double the program, or add `max-code-growth` if that is more.
    """

    name = "ov-loop-split"
    EXACT = True

    max_code_growth: int = 32

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_code_growth=0)
        remarks = Remarks(self.name)
        loops, asking = list[LoopOp](), set[LoopOp]()
        for inner in walk(op):
            if isinstance(inner, IfOp):
                asking.update(loops_of(inner.cond))
            elif isinstance(inner, LoopOp):
                loops.append(inner)
        for loop in loops:
            if loop not in asking:
                remarks.missed(loop, "no branch in it compares its iteration number or what it carries")
        if not asking:
            return analyses_of(ctx).keep_all()
        inference = analyses_of(ctx).get(infer, op)
        left = max(self.max_code_growth, code_size(op))
        changed = False
        # Inner loops first: the copies of an outer body hold their parts.
        for loop in (each for each in reversed(loops) if each in asking):
            split = _Split(loop, inference)
            why = split.obstacle or split.plan(min(self.max_code_growth, left))
            if why is not None:
                remarks.missed(loop, why)
                continue
            left -= max(split.growth, 0)
            changed = True
            loops = split.replace()
            remarks.passed(loop, f"split it into {loops} loops", loops=loops, growth=split.growth)
        retype(ctx, op, changed=changed)


@dataclass(frozen=True)
class _Part:
    """Iterations up to a threshold, or to the end of the loop.

    `results` are those of the comparisons in these iterations.
    """

    end: Threshold | None
    results: Mapping[SSAValue, bool]


class _Counts(Sizes):
    """Emits arithmetic on numbers of iterations, `tensor<i64>`."""

    def value(self, size: Extent) -> SSAValue:
        return self.scalar(size) if isinstance(size, int) else size


class _Split:
    """Iterations of one loop, between thresholds in their order."""

    def __init__(self, loop: LoopOp, inference: Inference) -> None:
        self.loop = loop
        self.inference = inference
        self.forms = IterationForms(loop, inference.fact)
        self.trips = static_trips(loop)
        self.growth = 0
        self.parts: list[_Part] = []
        self._thresholds: list[Threshold] = []
        self._comparisons: list[AffineComparison] = []

    @property
    def obstacle(self) -> str | None:
        """Why the loop cannot be a sequence of loops, or None."""
        loop = self.loop
        if loop.sliced and self.trips is None:
            return "it has slices, and its trip count is not known"
        if loop.last and (self.trips is None or loop.cond is not None or loop.next.cond is not None):
            return "it has last values, and may run no iteration"
        pairs = zip(loop.next.concat, loop.concatenations)
        if not all(joins_with_nothing(self.inference.fact(value), cut) for value, cut in pairs):
            return "a concatenated output has a dynamic extent"
        return None

    def plan(self, limit: int) -> str | MissedReason | None:
        """Choose the parts; return why the loop stays, or None.

        Branches are taken in their order, as long as the thresholds are in a known order and the growth is within the limit.
        """
        why: str | MissedReason = "no branch in it compares an affine function of its iteration number"
        for branch in self._branches:
            found: dict[CompareOp, None] = dict.fromkeys(comparisons_in(branch.cond))
            chosen = [c for op in found if (c := affine_comparison(op, self.forms)) is not None]
            if not chosen:
                continue
            before = self._thresholds, self._comparisons, self.parts, self.growth
            obstacle = self._add(chosen)
            if obstacle is None and self.growth > limit:
                obstacle = MissedReason(
                    f"code growth of {self.growth} is more than {limit}",
                    {"growth": self.growth, "limit": limit},
                )
            if obstacle is not None:
                self._thresholds, self._comparisons, self.parts, self.growth = before
                why = obstacle
        return why if len(self.parts) < 2 else None

    @cached_property
    def _branches(self) -> list[IfOp]:
        """The branches in the body, also those in copies of inner loops."""
        return [op for op in walk(self.loop) if isinstance(op, IfOp)]

    def _add(self, comparisons: Sequence[AffineComparison]) -> str | None:
        """Add comparisons; return why that is not possible, or None."""
        thresholds = list(self._thresholds)
        for threshold in (t for comparison in comparisons for t in comparison.thresholds):
            if threshold in thresholds:
                continue
            place = sum(t.is_at_most(threshold, self.forms) for t in thresholds)
            before, behind = thresholds[:place], thresholds[place:]
            ordered = all(t.is_at_most(threshold, self.forms) for t in before)
            if not ordered or not all(threshold.is_at_most(t, self.forms) for t in behind):
                return "the order of the iterations at which its branches change is not known"
            thresholds.insert(place, threshold)
        self._thresholds, self._comparisons = thresholds, [*self._comparisons, *comparisons]
        self.parts = list(self._parts())
        if len(self.parts) < 2:
            return "its branches take the same arms in all iterations"
        ends = [part.end for part in self.parts if part.end is not None]
        if (self.loop.sliced or self.loop.last) and any(end.number is None for end in ends):
            return "it has slices or last values, and a branch changes at an iteration that is not known"
        self.growth = self._growth()
        return None

    def _parts(self) -> Iterator[_Part]:
        """Yield the parts that may have an iteration."""
        most, reached = trip_bounds(self.loop, self.inference).hi, 0
        for place, end in enumerate([*self._thresholds, None]):
            if end is not None:
                least, greatest = end.interval(self.forms) or (0, FAR)
                if greatest <= reached:
                    continue
                reached = max(reached, least)
                if most is not None and least >= most:
                    end = None
            before = self._thresholds[:place]
            results: dict[SSAValue, bool] = {}
            for comparison in self._comparisons:
                place_of_result = sum(t in before for t in comparison.thresholds)
                results[comparison.op.output] = comparison.results[place_of_result]
            yield _Part(end, results)
            if end is None:
                return

    def _growth(self) -> int:
        """The growth of the code, in units of `costs.py`."""
        size = code_size_of_block(self.loop.body.block)
        sizes = [size + REGION_SIZE - untaken_size(self._branches, part.results) for part in self.parts]
        return sum(sizes) - size - REGION_SIZE

    def replace(self) -> int:
        """Replace the loop by one for each part; return their number."""
        copies = Copies.before(self.loop)
        counts = _Counts(copies.build)
        build, trip = copies.build, self.loop.trip
        total: Extent | None = self.trips if self.trips is not None else trip
        # A negative trip count is no limit.
        endless = self.trips is None and trip is not None and self._may_be_negative(trip)
        limit: Extent = FAR if total is None else total
        if endless and trip is not None:
            is_negative = build.make(LessOp, trip, build.scalar(0, i64))
            limit = build.make(SelectOp, is_negative, build.scalar(FAR, i64), trip)
        uses = [
            (comparison, [(use.operation, use.index) for use in comparison.op.output.uses])
            for comparison in self._comparisons
        ]
        done: Extent = 0
        for part in self.parts:
            for comparison, readers in uses:
                value = build.constant(np.full(comparison.shape, part.results[comparison.op.output]))
                for operation, index in readers:
                    operation.operands[index] = value
            copies.done = done
            if part.end is None:
                copies.run(self._left(total, limit, done, counts, endless=endless))
                break
            end = self._emitted(part.end, counts)
            count = counts.min(end, limit)
            copies.some(count if done == 0 else counts.max(counts.sub(count, done), 0))
            done = end
        copies.replace()
        return len(self.parts)

    @staticmethod
    def _left(
        total: Extent | None, limit: Extent, done: Extent, counts: _Counts, *, endless: bool
    ) -> Extent | None:
        """The trip count of the last loop, which begins with number `done`."""
        if total is None:
            return None
        if endless:
            # It stays negative.
            return counts.sub(total, counts.min(done, limit))
        return counts.max(counts.sub(total, done), 0)

    def _emitted(self, threshold: Threshold, counts: _Counts) -> Extent:
        """Emit a threshold, or 0 if it is negative.

        A sum that may wrap around is one of a limited number: no iteration is beyond the limit.
        """
        numerator, fact_of = threshold.numerator, self.inference.fact
        symbol, constant = threshold.sole_symbol(), numerator.constant
        if numerator.number is not None:
            value: Extent = numerator.number
        elif symbol is None or numerator.fits(type_range(i64), self.forms.interval):
            value = emit_form(numerator, i64, counts.build, fact_of)
        else:
            alone = emit_form(AffineForm.of(symbol), i64, counts.build, fact_of)
            limited = counts.min(alone, FAR) if constant > 0 else counts.max(alone, -constant)
            value = counts.add(limited, constant)
        return counts.max(counts.floordiv(value, threshold.divisor), 0)

    def _may_be_negative(self, trip: SSAValue) -> bool:
        bounds = self.inference.fact(trip).bounds
        return bounds is None or int(bounds[0].reshape(())) < 0
