"""Pass `scf-if-to-select`: conversion of `scf.if` to `arith.select`.

Both arms of an `scf.if` are computed if that is cheaper than choosing one.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.dialects.control_flow.rewriting import Branch, is_number
from loomir.dialects.diagnostics import Remarks
from loomir.passes.control_flow.if_to_select import Cost, IfConversion
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

    cost: Cost = "cost"
    max_cost: int | None = None
    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_cost=0)
        remarks = Remarks(self.name)
        IfConversion(remarks, scf.IfOp, _obstacle, self.cost, self.max_cost, self.machine).run(op)


def _obstacle(branch: Branch) -> str | None:
    """Return why the results of a branch cannot be selected, or None."""
    if not branch.results:
        return "it has no results"
    return None if all(is_number(r.type) for r in branch.results) else "a result is not a number"
