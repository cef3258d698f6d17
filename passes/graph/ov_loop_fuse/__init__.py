"""`ov-loop-fuse`: fuses loops of one block that run equally often."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.trip_counts.equal_trips import TripKeys
from loomir.passes.graph.ov_infer import retype
from loomir.passes.graph.ov_loop_fuse.legality import FusionPlan, plan_fusion, producers
from loomir.passes.graph.ov_loop_fuse.merging import merge_loops
from loomir.passes.graph.ov_loop_fuse.profitability import Recurrences
from loomir.passes.options import check_least

_NO_PARTNER = "no earlier loop of its block runs as often, or joins what it slices"


@dataclass(frozen=True)
class OvLoopFusePass(ModulePass):
    """Fuses loops of one block that run equally often.

    The later loop slices what the earlier one joins, or an elementwise function of it: the parts are handed on within one iteration.

    ```mlir
    %all = ov.loop sliced(%x) {                                 // before
    ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>):
      %w = ov.exp %p
      ov.next concat(%w)
    }
    %s = ov.loop carried(%a) sliced(%all) {
    ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %q: tensor<1x4xf32>):
      %m = ov.maximum %v, %q
      ov.next carried(%m)
    }

    %s = ov.loop carried(%a) sliced(%x) {                       // after
    ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
      %w = ov.exp %p
      %m = ov.maximum %v, %w
      ov.next carried(%m)
    }
    ```

    What other operations use of the joined values is still joined. Or the loops do not read each other:

    ```mlir
    %r = ov.loop trip(%n) carried(%x) { … ov.next carried(%p) }         // before
    %s = ov.loop trip(%n) carried(%y) { … ov.next carried(%q) }

    %r, %s = ov.loop trip(%n) carried(%x, %y) { … ov.next carried(%p, %q) }      // after
    ```

    The trip counts are equal if they are one number or value, or if the loops slice equal extents
    (`passes/analysis/trip_counts/equal_trips.py`). No condition may end the loops. The later loop may read nothing else of the earlier
    one; operations in between that it needs move before both. The order of errors must not change: one of the two bodies cannot fail,
    or both can fail only because of shapes. A loop that runs no iteration needs only the shape of what it slices, so elementwise
    operations in between whose shapes do not match are no error then.

    Loops that do not read each other stay two if one of them could be computed without a loop (a map, a reduction), or if a recurrence
    has a matrix product: it takes longer than the loop, and may be a layer that another pass recognises. This also holds if elementwise
    operations are in between, or joined values are used elsewhere. `max-operations` bounds the operations of a body, because more of
    their values are live at a time.
    """

    name = "ov-loop-fuse"
    EXACT = True

    max_operations: int = 1000

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_operations=0)
        remarks = Remarks(self.name)
        fusion = _Fusion(self, ctx, op, remarks)
        # Outer loops first: loops of two bodies are in one block then.
        waiting = [op.body.block]
        while waiting:
            block = waiting.pop()
            fusion.fuse_loops_of(block)
            inside = [inner for o in block.ops for region in o.regions for inner in region.blocks]
            waiting += reversed(inside)
        retype(ctx, op, changed=fusion.changed)

    def fuse(
        self, first: LoopOp, second: LoopOp, inference: Inference, remarks: Remarks
    ) -> LoopOp | MissedReason:
        """Fuse two loops; return the fused loop, or why they stay two.

        The first loop is before the second one, in one block. Whether it pays is not asked.
        """
        plan = plan_fusion(first, second, TripKeys(), inference, self.max_operations)
        if isinstance(plan, MissedReason):
            remarks.missed(second, plan)
            return plan
        return fuse_as_planned(plan, remarks)


def fuse_as_planned(plan: FusionPlan, remarks: Remarks) -> LoopOp:
    """Fuse two loops, and emit a remark."""
    how = (
        "the second slices what the first concatenates" if plan.slices_the_first else "they run equally often"
    )
    if plan.middle:
        how = "the second slices an elementwise function of what the first concatenates"
    fused = merge_loops(plan)
    remarks.passed(fused, f"fused two loops: {how}")
    return fused


class _Fusion:
    """Fuses the loops of one block after another."""

    def __init__(self, options: OvLoopFusePass, ctx: Context, module: ModuleOp, remarks: Remarks) -> None:
        self._options, self._context, self._module, self._remarks = options, ctx, module, remarks
        self._keys = TripKeys()
        self._recurrences = Recurrences()
        self.changed = False

    @cached_property
    def _inference(self) -> Inference:
        # (Facts of values stay true when their operations move; new values have those of their types.)
        return analyses_of(self._context).get(infer, self._module)

    def fuse_loops_of(self, block: Block) -> None:
        """Fuse the loops of a block, without those in nested blocks."""
        last: dict[Hashable, LoopOp] = {}
        for loop in [op for op in block.ops if isinstance(op, LoopOp)]:
            fused = self._with_earlier(loop, last)
            if (key := self._keys.of(fused)) is not None:
                last[key] = fused

    def _with_earlier(self, loop: LoopOp, last: dict[Hashable, LoopOp]) -> LoopOp:
        """Fuse a loop with the first possible one of its candidates.

        Return the fused loop, or the loop itself.
        """
        candidates = dict.fromkeys(producers(loop))
        if (key := self._keys.of(loop)) is not None and key in last:
            candidates[last[key]] = None
        if not candidates:
            self._remarks.missed(loop, _NO_PARTNER)
        for first in candidates:
            plan = plan_fusion(first, loop, self._keys, self._inference, self._options.max_operations)
            if not isinstance(plan, MissedReason):
                why = self._recurrences.obstacle(plan)
                if why is None:
                    self.changed = True
                    fused = fuse_as_planned(plan, self._remarks)
                    self._recurrences.note(fused, plan)
                    self._keys.note(fused, plan.trips)
                    return fused
                plan = why
            self._remarks.missed(loop, plan)
        return loop
