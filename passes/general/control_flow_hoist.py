"""`control-flow-hoist`: hoists the contents of both arms out of an `scf.if`.

Like xDSL's pass of this name, it empties a branch altogether or leaves it alone. The operations of both arms then
always run, so none of them may stop the program.

```mlir
%r = scf.if %c -> (f32) {
  %a = arith.addf %x, %y : f32
  scf.yield %a : f32
} else {
  scf.yield %x : f32
}

%a = arith.addf %x, %y : f32
%r = scf.if %c -> (f32) {
  scf.yield %a : f32
} else {
  scf.yield %x : f32
}
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriter, RewritePattern
from xdsl.traits import IsTerminator
from xdsl.transforms.control_flow_hoist import AffineIfHoistPattern, ControlFlowHoistPass, SCFIfHoistPattern

from loomir.dialects.diagnostics import Remarks, is_listening
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk


class HoistSpeculatable(RewritePattern):
    """xDSL's patterns, for branches all of which surely stops no program."""

    def __init__(self, remarks: Remarks) -> None:
        self._remarks = remarks
        self._patterns = GreedyRewritePatternApplier([AffineIfHoistPattern(), SCFIfHoistPattern()])

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, scf.IfOp | affine.IfOp) and speculatable(op):
            count = len(_inside(op))
            self._patterns.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action and count:
                self._remarks.passed(op, f"hoisted {count} operations out of it", operations=count)


@dataclass(frozen=True)
class SafeControlFlowHoistPass(ControlFlowHoistPass):
    """Move everything out of branches that surely stop no program."""

    name = "control-flow-hoist"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks = Remarks(self.name)
        rewrite(op, HoistSpeculatable(remarks), regions_first=True)
        for branch in walk(op) if is_listening() else ():
            if isinstance(branch, scf.IfOp | affine.IfOp) and (inside := _inside(branch)):
                fails = next((o.name for o in inside if not speculatable(o)), None)
                remarks.missed(branch, f"{fails} may fail" if fails else "there is nothing to hoist")


def _inside(branch: Operation) -> list[Operation]:
    """Return the operations of the arms, without the terminators."""
    return [o for r in branch.regions for b in r.blocks for o in b.ops if not o.has_trait(IsTerminator)]
