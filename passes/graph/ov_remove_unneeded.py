"""The pass `ov-remove-unneeded`: what no output needs is no part of the program."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.transforms.dead_code_elimination import region_dce

from loomir.dialects.ov.canonicalization.branches import UnusedResults
from loomir.dialects.ov.canonicalization.dead_loop_values import DeadLoopValues
from loomir.dialects.ov.control_flow import IfOp, LoopOp


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
        PatternRewriteWalker(_DropUnused(), post_walk_func=region_dce).rewrite_module(op)


class _DropUnused(RewritePattern):
    """Of branches and loops, what nothing uses."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, IfOp):
            UnusedResults().match_and_rewrite(op, rewriter)
        elif isinstance(op, LoopOp):
            DeadLoopValues().match_and_rewrite(op, rewriter)
