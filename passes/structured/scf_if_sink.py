"""Pass `scf-if-sink`: sinking of operations into the only arm that needs them.

The arms are those of `scf.if`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import Remarks
from loomir.passes.control_flow.sink import sink_into_branches


@dataclass(frozen=True)
class ScfIfSinkPass(ModulePass):
    """Moves operations on numbers into the only `scf.if` arm that reads them.

    The `scf.if` follows the operations; they move to the beginning of the arm. Nothing outside this arm reads their
    results.

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

    Operations are also moved into branches inside that arm, but not into loops, where they would run more often. Operations
    that may fail stay: they stop runs that take the other arm, and must still do so. Loops and branches, constants, and
    operations that produce or read tensors stay as well: behind an operation that overwrites its operand, a reader would
    need a copy.
    """

    name = "scf-if-sink"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        sink_into_branches(op, scf.IfOp, Remarks(self.name), _stays)


def _stays(op: Operation) -> bool:
    """Return True if an operation is more than an operation on numbers."""
    return bool(op.regions) or any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results))
