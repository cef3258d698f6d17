"""The pass `scf-if-sink`: what only one arm of an `scf.if` needs is computed there."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.passes.analysis.remarks import Remarks
from loomir.passes.graph.branch_sinking import sink_into_branches


@dataclass(frozen=True)
class ScfIfSinkPass(ModulePass):
    """Move operations on numbers whose results only one arm of an `scf.if` behind them reads to the beginning of that arm.

    ```mlir
    %e = math.exp %x : f32                     // before
    %r = scf.if %c -> (f32) {
      %p = arith.addf %e, %a : f32
      scf.yield %p : f32
    } else {
      scf.yield %a : f32
    }

    %r = scf.if %c -> (f32) {                  // after
      %e = math.exp %x : f32
      %p = arith.addf %e, %a : f32
      scf.yield %p : f32
    } else {
      scf.yield %a : f32
    }
    ```

    Into branches inside of that one, too, but into no loop, where it would run more often. What may fail stays: it stops runs that take
    the other arm, and goes on doing so. So do loops and branches, constants, and what gives or reads tensors:
    behind an operation that overwrites its operand a reader would need a copy.
    """

    name = "scf-if-sink"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        sink_into_branches(op, scf.IfOp, Remarks(self.name), _stays)


def _stays(op: Operation) -> bool:
    """Whether an operation is more than one on numbers."""
    return bool(op.regions) or any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results))
