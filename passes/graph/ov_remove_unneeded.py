"""The pass `ov-remove-unneeded`: what no output needs is no part of the program."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from loomir.dialects.dead_code import remove_dead_code
from loomir.dialects.ov.canonicalization.branches import UnusedResults
from loomir.dialects.ov.canonicalization.dead_loop_values import DeadLoopValues
from loomir.dialects.ov.operators.custom import CustomOp


class UnusedCustom(RewritePattern):
    """An operator that nobody knows goes where no output needs it: in a model's file a node is only there for its results.

    (Of a program in between nobody says that: `dead_code` keeps what has unknown effects.)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CustomOp, rewriter: PatternRewriter) -> None:
        if not any(result.first_use for result in op.results):
            rewriter.erase(op)


@dataclass(frozen=True)
class OvRemoveUnneededPass(ModulePass):
    """Remove operations whose results nothing uses, results of branches and loops, and carried values that only keep each other alive.

    ```mlir
    %g = ov.gather %x, %i, %axis {out_of_range = "error"} : …    // before: nothing uses it
    %y = ov.relu %x : (tensor<4xf32>) -> tensor<4xf32>

    %y = ov.relu %x : (tensor<4xf32>) -> tensor<4xf32>           // after
    ```

    It is the first pass after import, with and without optimisation: whether what may fail is run at all is the same then at every
    level and in every engine.
    """

    name = "ov-remove-unneeded"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = GreedyRewritePatternApplier(
            [UnusedResults(), DeadLoopValues(), UnusedCustom()], dce_enabled=False
        )
        PatternRewriteWalker(patterns, post_walk_func=remove_dead_code).rewrite_module(op)
