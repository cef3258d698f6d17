"""`licm`: what does not change in an `scf.for` is computed before it, as xDSL's pass of this name does.

A loop may run no iteration at all: only what surely stops no program moves. (xDSL takes its own operations' word for that, of which
`tensor.extract`, `arith.remsi` and others promise too much.)

```mlir
scf.for %i = %c0 to %n step %c1 {
  %s = arith.mulf %a, %b : f32            // moves
  %e = tensor.extract %t[%k] : tensor<4xf32>   // stays: who knows %k
}
```
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.traits import IsTerminator, is_side_effect_free
from xdsl.transforms.loop_invariant_code_motion import LoopInvariantCodeMotionPass, can_be_hoisted

from loomir.dialects.speculation import speculatable


@dataclass(frozen=True)
class LicmPass(LoopInvariantCodeMotionPass):
    """Move invariant operations that surely stop no program in front of `scf.for`, inner loops first."""

    name = "licm"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in reversed([inner for inner in op.walk() if isinstance(inner, scf.ForOp)]):
            _hoist(loop)


def _hoist(loop: scf.ForOp) -> None:
    before = loop.parent
    assert before is not None
    pending = deque(loop.body.block.ops)
    while pending:
        op = pending.popleft()
        # It may have moved since it came to be here.
        if op.parent is not loop.body.block or op.has_trait(IsTerminator):
            continue
        if not is_side_effect_free(op) or not speculatable(op) or not can_be_hoisted(op, loop.body):
            continue
        op.detach()
        before.insert_op_before(op, loop)
        pending.extend(use.operation for result in op.results for use in result.uses)
