"""Pass `scf-if-to-select`: conversion of `scf.if` to `arith.select`.

Both arms of an `scf.if` are computed if that is cheaper than choosing one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.region_flow import terminator
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.costs import IfConversionPolicy, cost_text
from loomir.passes.analysis.machines import machine_of
from loomir.passes.options import check_least


@dataclass(frozen=True)
class ScfIfToSelectPass(ModulePass):
    """Computes both arms of branches that yield numbers, and selects each result.

    No operation in the arms may be one that can fail.

    ```mlir
    %r = scf.if %c -> (f32) {                  // before
      %p = arith.addf %x, %a : f32
      scf.yield %p : f32
    } else {
      scf.yield %x : f32
    }

    %p = arith.addf %x, %a : f32               // after
    %r = arith.select %c, %p, %x : f32
    ```

    `cost`, `max-cost` and `machine` are those of `ov-if-to-select`, and lead to the same decisions. Branches that contain
    loops or branches stay, as do branches that yield tensors, one of which would be copied.
    """

    name = "scf-if-to-select"
    EXACT = True

    cost: Literal["never", "cost", "always"] = "cost"
    max_cost: int | None = None
    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_cost=0)
        remarks = Remarks(self.name)
        machine = machine_of(self.machine)
        choice = IfConversionPolicy(
            self.cost, machine.branch if self.max_cost is None else self.max_cost, machine
        )
        # Inner branches first: one around them may have no branch left then.
        for branch in reversed([o for o in walk(op) if isinstance(o, scf.IfOp)]):
            if (reason := _reason_against(branch, choice)) is None:
                cost = choice.cost_of(_inside(branch), branch.output)
                remarks.passed(branch, f"both branches and the select cost {cost_text(cost)}", cost=cost)
                _select(branch)
            else:
                remarks.missed(branch, reason)


def _reason_against(branch: scf.IfOp, choice: IfConversionPolicy) -> MissedReason | None:
    """Why a branch stays."""
    if (reason := choice.reason_against_all(inside := _inside(branch))) is not None:
        return reason
    if not branch.output:
        return MissedReason("it has no results")
    if not all(isinstance(r.type, IntegerType | IndexType | AnyFloat) for r in branch.output):
        return MissedReason("a result is not a number")
    return choice.reason_against(inside, branch.output, branch)


def _inside(branch: scf.IfOp) -> list[Operation]:
    arms = [region.block for region in branch.regions if region.blocks]
    return [o for arm in arms for o in arm.ops if o is not arm.last_op]


def _select(branch: scf.IfOp) -> None:
    """Replace a branch by both arms' operations and a select per result."""
    arms = [region.block for region in branch.regions]
    given = zip(*(terminator(arm).operands for arm in arms), strict=True)
    selects = [arith.SelectOp(branch.cond, a, b) for a, b in given]
    for arm in arms:
        Rewriter.erase_op(terminator(arm))
        Rewriter.inline_block(arm, InsertPoint.before(branch))
    for result, select in zip(branch.output, selects, strict=True):
        select.location, select.result.name_hint = branch.location, result.name_hint
    Rewriter.insert_op(selects, InsertPoint.before(branch))
    Rewriter.replace_op(branch, [], [select.result for select in selects])
