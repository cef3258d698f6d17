"""The pass `ov-if-sink`: what only one branch of an `ov.if` needs is computed there."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.traits import ConstantLike, IsTerminator, is_side_effect_free

from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.speculation import speculatable
from loomir.passes.analysis.remarks import Remarks


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
        remarks = Remarks(self.name)
        # Blocks outermost first: what has moved into a branch is looked at again there.
        waiting = [op.body.block]
        while waiting:
            block = waiting.pop()
            if any(isinstance(o, IfOp) for o in block.ops):
                self._sink_from(block, remarks)
            waiting += [inner for o in block.ops for region in o.regions for inner in region.blocks]

    def _sink_from(self, block: Block, remarks: Remarks) -> None:
        # The last ones first: what an operation is needed for has moved by then.
        for op in reversed(list(block.ops)):
            if (arm := _only_reader(op, block)) is None:
                continue
            branch = arm.parent_op()
            assert isinstance(branch, IfOp)
            if not speculatable(op):
                remarks.missed(branch, f"{op.name}, which only one branch needs, may fail in every run")
                continue
            op.detach()
            first = arm.first_op
            assert first is not None
            arm.insert_op_before(op, first)
            remarks.passed(branch, f"{op.name} moved into the only branch that needs it")


def _only_reader(op: Operation, block: Block) -> Block | None:
    """The branch, of an `ov.if` in this block, in which everything is that reads the operation's results."""
    if op.has_trait(ConstantLike) or op.has_trait(IsTerminator):
        return None
    found: Block | None = None
    for result in op.results:
        for use in result.uses:
            arm = _arm_around(use.operation, block)
            if arm is None or (found is not None and arm is not found):
                return None
            found = arm
    # Asked last, for it looks at everything inside a branch, and few have only one reader.
    return found if is_side_effect_free(op) else None


def _arm_around(op: Operation, block: Block) -> Block | None:
    """The block, of an `ov.if` that stands in `block`, that an operation is in at any depth."""
    inside, around = op.parent, op.parent_op()
    while around is not None and around.parent is not block:
        inside, around = around.parent, around.parent_op()
    return inside if isinstance(around, IfOp) and inside is not block else None
