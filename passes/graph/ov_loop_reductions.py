"""`ov-loop-reductions`: reductions and cumulative sums instead of loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.passes.graph.lib.loop_reductions import reduce_loops
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopReductionsPass(ModulePass):
    """Computes sums, products, maxima and prefix sums of a loop at once.

    ```mlir
    %r, %all = ov.loop carried(%a) sliced(%x) {                                  // before
    ^bb0(%i: tensor<i64>, %v: tensor<1x4xi64>, %p: tensor<1x4xi64>):
      %w = ov.add %v, %p
      ov.next carried(%w) concat(%w)
    }

    %sum = ov.reduce_sum %x, %zero {keep_dims = true}                            // after
    %r = ov.add %a, %sum
    %sums = ov.cum_sum %x, %zero
    %all = ov.add %a, %sums
    ```

    - What is combined is computed of slices, of the iteration number and of values from outside by operations that there are for all
      iterations at once (`passes/graph/lib/whole_axis`).
    - Sums and products are those of integers, maxima and minima of any numbers, conjunctions and disjunctions of booleans. Prefix
      sums and products are joined before or after each step, and may be operands of the same arithmetic.
    - A value stays if the rest of the body reads it, since its loop then stays.
    - Where no iteration may come and shapes may not fit, the reduction is in a branch.
    - A loop stays if tensors of more than `max-bytes` would be computed from its slices.

    Sums and products of floats, which are rounded in each iteration, are for `ov-loop-reassociate`.
    """

    name = "ov-loop-reductions"
    EXACT = True

    max_bytes: int = 1 << 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0)
        reduce_loops(ctx, op, self.name, max_bytes=self.max_bytes, rounded=False)
