"""`ov-if-sink`: sinks operations into the only `ov.if` branch that needs them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.control_flow.sink import sink_into_branches


@dataclass(frozen=True)
class OvIfSinkPass(ModulePass):
    """Moves operations that only one branch reads to its beginning.

    The branch is one of a later `ov.if`.

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

    Operations also move into branches inside of that one, but not into loops, where they would run more often. An operation
    that may fail stays: it stops runs that take the other branch, and still does so. Loops stay, because it is unknown if
    they terminate, and so do constants, which cost nothing.
    """

    name = "ov-if-sink"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not sink_into_branches(op, IfOp, Remarks(self.name)):
            analyses_of(ctx).keep_all()
