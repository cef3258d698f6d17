"""`ov-if-to-select`: computes both branches of an `ov.if` if that is cheaper."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.passes import ModulePass

from loomir.dialects.control_flow.rewriting import Branch, yielded
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.control_flow.if_to_select import Cost, IfConversion
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

    With `cost="cost"` this applies if it costs at most `max-cost` additions, selections included. The default of `max-cost` is the cost
    of a mispredicted branch. With `"work"` it applies if it costs no more than the branch on average: the test, the mean of the arms,
    and a misprediction in 16. The `machine` determines the costs (`passes/analysis/machines.py`). `"always"` applies at any cost,
    `"never"` not at all. For a branch of which a profile ([profiling.md](profiling.md)) has counts, the limit is the mean cost of the
    branch: the test, the arms as often as they are taken, and the mispredictions. The results of each branch must have one static
    shape. Branches with loops or branches inside stay.
    """

    name = "ov-if-to-select"
    EXACT = True

    cost: Cost = "cost"
    max_cost: int | None = None
    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_cost=0)
        remarks = Remarks(self.name)
        if not IfConversion(remarks, IfOp, _obstacle, self.cost, self.max_cost, self.machine).run(op):
            analyses_of(ctx).keep_all()


def _obstacle(branch: Branch) -> str | None:
    """Return why the results of a branch cannot be selected, or None."""
    for result, given in zip(branch.results, yielded(branch)):
        if not isinstance(t := result.type, TensorType) or not t.has_static_shape():
            return "a result has a dynamic shape"
        if any(v.type != t for v in given):
            return "the branches yield different types"
    return None
