"""If-conversion: both arms of a branch are computed.

Each result is selected. The passes `ov-if-to-select` and `scf-if-to-select` share it; each says which branches may be converted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.rewriting import Branch, arms_of, make_select, yielded
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.region_flow import terminator
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.costs import IfConversionPolicy, cost_text
from loomir.passes.analysis.machines import machine_of

Cost = Literal["never", "cost", "work", "always"]


@dataclass(frozen=True)
class IfConversion:
    """Conversion of the branches of a class.

    `obstacle` returns why the results of a branch cannot be selected, or None. `cost`, `max_cost` and `machine` are the options of
    the passes.
    """

    remarks: Remarks
    kind: type[Branch]
    obstacle: Callable[[Branch], str | None]
    cost: Cost
    max_cost: int | None
    machine: str

    def run(self, module: ModuleOp) -> bool:
        """Convert the branches of a program; return True if any was."""
        machine = machine_of(self.machine)
        limit = machine.branch if self.max_cost is None else self.max_cost
        policy = IfConversionPolicy(self.cost, limit, machine)
        # Inner branches first: one around them may have no branch left then.
        converted = False
        for branch in reversed([o for o in walk(module) if isinstance(o, self.kind)]):
            if (reason := self._reason_against(branch, policy)) is None:
                cost = policy.cost_of(_inside(branch), branch.results)
                self.remarks.passed(branch, f"both branches and the select cost {cost_text(cost)}", cost=cost)
                select_results(branch)
                converted = True
            else:
                self.remarks.missed(branch, reason)
        return converted

    def _reason_against(self, branch: Branch, policy: IfConversionPolicy) -> MissedReason | None:
        """Why a branch stays."""
        inside = _inside(branch)
        if (reason := policy.reason_against_all(inside)) is not None:
            return reason
        if (why := self.obstacle(branch)) is not None:
            return MissedReason(why)
        return policy.reason_against(inside, branch.results, branch)


def _inside(branch: Branch) -> list[Operation]:
    return [o for arm in branch.regions if arm.blocks for o in arm.block.ops if o is not arm.block.last_op]


def select_results(branch: Branch) -> None:
    """Replace a branch by both arms' operations and a select per result."""
    rewriter, before = PatternRewriter(branch), InsertPoint.before(branch)
    selects = [make_select(branch, a, b, r) for r, (a, b) in zip(branch.results, yielded(branch))]
    for arm in arms_of(branch):
        if arm.blocks:
            rewriter.erase(terminator(arm.block))
            rewriter.inline_block(arm.block, before)
    rewriter.insert(selects, before)
    rewriter.replace(branch, [], [select.results[0] for select in selects])
