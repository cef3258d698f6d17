"""`ov-loop-reassociate`: sums, products and linear recurrences in another order than a loop's."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.passes.graph.lib.loop_reductions import reduce_loops
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopReassociatePass(ModulePass):
    """Computes sums and products of floats at once, in another order.

    As `ov-loop-reductions`, of floats, too. Results are rounded otherwise, so the pass is in no level. A linear recurrence
    `h ← a(i) ∘ h + b(i)` of 32 iterations or more, where neither a(i) nor b(i) depends on h, runs in blocks side by side: of T
    iterations 2√T are left, with some more operations (`passes/graph/lib/linear_recurrences.py`, where its error bound is, too).

    ```mlir
    %r = ov.loop carried(%a) sliced(%x) {                                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
      %w = ov.add %v, %p
      ov.next carried(%w)
    }

    %sum = ov.reduce_sum %x, %zero {keep_dims = true}                            // after
    %r = ov.add %a, %sum
    ```
    """

    name = "ov-loop-reassociate"
    EXACT = False

    max_bytes: int = 1 << 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0)
        reduce_loops(ctx, op, self.name, max_bytes=self.max_bytes, rounded=True)
