"""The pass `ov-if-sink`: what only one branch of an `ov.if` needs is computed there."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.passes.analysis.remarks import Remarks
from loomir.passes.graph.branch_sinking import sink_into_branches


@dataclass(frozen=True)
class OvIfSinkPass(ModulePass):
    """Move operations whose results only one branch of an `ov.if` behind them reads to the beginning of that branch.

    ```mlir
    %e = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>              // before
    %r = ov.if %c -> (tensor<4xf32>) {
      %p = ov.add %e, %a : …
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %a : tensor<4xf32>
    }

    %r = ov.if %c -> (tensor<4xf32>) {                             // after
      %e = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      %p = ov.add %e, %a : …
      ov.yield %p : tensor<4xf32>
    } else {
      ov.yield %a : tensor<4xf32>
    }
    ```

    Into branches inside of that one, too, but into no loop, where it would run more often. What may fail stays: it stops runs that take
    the other branch, and goes on doing so. So do loops, of which nobody knows whether they end, and constants, which cost nothing.
    """

    name = "ov-if-sink"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        sink_into_branches(op, IfOp, Remarks(self.name))
