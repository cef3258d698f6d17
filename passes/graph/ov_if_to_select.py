"""`ov-if-to-select`: computes both branches of an `ov.if` if that is cheaper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.ov.operators.comparison import SelectOp
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.costs import IfConversionPolicy, cost_text
from loomir.passes.analysis.machines import machine_of
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvIfToSelectPass(ModulePass):
    """Replaces an `ov.if` by the operations of both branches and selects.

    None of these operations may fail. Each result is selected.

    ```mlir
    %r = ov.if %c -> (tensor<f32>) {                                       // before
      %p = ov.add %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ov.yield %p : tensor<f32>
    } else {
      ov.yield %x : tensor<f32>
    }

    %p = ov.add %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>         // after
    %r = ov.select %c, %p, %x : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    ```

    With `cost="cost"` this applies if it costs at most `max-cost` additions, selections included. The default of `max-cost`
    is the cost of a mispredicted branch. The `machine` determines the costs (`passes/analysis/machines.py`). `"always"`
    applies at any cost, `"never"` not at all. For a branch of which a profile ([profiling.md](profiling.md)) has counts, the
    limit is the mean cost of the branch: the test, the arms as often as they are taken, and the mispredictions. The
    results of each branch must have one static shape. Branches with loops or branches inside stay.
    """

    name = "ov-if-to-select"
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
        for branch in reversed([o for o in walk(op) if isinstance(o, IfOp)]):
            if (reason := _reason_against(branch, choice)) is None:
                cost = choice.cost_of(_inside(branch), branch.output)
                remarks.passed(branch, f"both branches and the select cost {cost_text(cost)}", cost=cost)
                _select(branch)
            else:
                remarks.missed(branch, reason)


def _reason_against(branch: IfOp, choice: IfConversionPolicy) -> MissedReason | None:
    """Why a branch stays."""
    if (reason := choice.reason_against_all(inside := _inside(branch))) is not None:
        return reason
    for result, *given in zip(branch.output, branch.then_yield.values, branch.else_yield.values):
        if not isinstance(t := result.type, TensorType) or not t.has_static_shape():
            return MissedReason("a result has a dynamic shape")
        if any(v.type != t for v in given):
            return MissedReason("the branches yield different types")
    return choice.reason_against(inside, branch.output, branch)


def _inside(branch: IfOp) -> list[Operation]:
    ends = branch.then_yield, branch.else_yield
    return [o for end in ends if end.parent is not None for o in end.parent.ops if o is not end]


def _select(branch: IfOp) -> None:
    block = branch.parent
    assert block is not None
    given: list[tuple[SSAValue, SSAValue]] = list(zip(branch.then_yield.values, branch.else_yield.values))
    for op in _inside(branch):
        op.detach()
        block.insert_op_before(op, branch)
    for result, (a, b) in zip(branch.output, given):
        select = SelectOp.build(operands=[branch.cond, a, b], result_types=[result.type])
        select.location = branch.location
        block.insert_op_before(select, branch)
        select.output.name_hint = result.name_hint
        result.replace_all_uses_with(select.output)
    branch.detach()
    branch.erase()
