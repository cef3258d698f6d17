"""`ov-if-thread`: moves an `ov.if` into the branches that yield its condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.control_flow.branches import ConditionOfABranchAround, KnownCondition
from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.general.cse import eliminate_common_subexpressions
from loomir.passes.graph.lib.branches import clone_into_branches, dependants_of, operands_of, unranked
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least


@dataclass
class _Budget:
    """How many operations may still be copied."""

    left: int


@dataclass(frozen=True)
class OvIfThreadPass(ModulePass):
    """Copies an `ov.if` into both branches that yield its condition.

    The earlier `ov.if` also yields results without a rank among which the later one selects.

    Exporters write `break`, `continue` and early returns in this way: a first `ov.if` yields a flag, the values that it
    defines, and a scalar in place of those that it does not define, which the second `ov.if` does not use. In the branches
    of the first one the flag is a constant, or the condition of another `ov.if` there, behind which the second one moves
    on. The remaining values have the intended ranks, and so do loops that carry them.

    ```mlir
    %done, %a, %b = ov.if %c -> (tensor<i1>, tensor<*xf32>, tensor<*xf32>) {      // before
      ov.yield %true, %x, %none : tensor<i1>, tensor<4xf32>, tensor<f32>
    } else {
      %y = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %false, %none, %y : tensor<i1>, tensor<f32>, tensor<4xf32>
    }
    %r = ov.if %done -> (tensor<*xf32>) {
      ov.yield %a : tensor<*xf32>
    } else {
      ov.yield %b : tensor<*xf32>
    }

    %r = ov.if %c -> (tensor<4xf32>) {                                            // after
      ov.yield %x : tensor<4xf32>
    } else {
      %y = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %y : tensor<4xf32>
    }
    ```

    Operations between both that depend on the first one move too, as far as the second one needs them. More than
    `max-operations` operations are not moved, nor more in total than `max-growth` times the operations of the original
    program: each branch of a chain would double what the ones before it have doubled.
    """

    name = "ov-if-thread"
    EXACT = True

    max_operations: int = 1000
    max_growth: int = 4

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_operations=0, max_growth=0)
        remarks = Remarks(self.name)
        changed = False
        budget = _Budget(self.max_operations + self.max_growth * sum(1 for _ in walk(op)))
        # Each round moves something into branches that were there before, so this ends.
        while self._thread_each(op, remarks, budget):
            changed = True
            # Two branches have the same condition where it is computed once.
            eliminate_common_subexpressions(op)
            rewrite(op, KnownCondition(), ConditionOfABranchAround(), DeadValues(), clean_up=True)
        retype(ctx, op, changed=changed)

    def _thread_each(self, module: ModuleOp, remarks: Remarks, budget: _Budget) -> bool:
        """Move what can be moved behind each branch; whether there was anything."""
        moved = False
        branches = [o for o in walk(module) if isinstance(o, IfOp) and unranked(o.output)]
        # The last ones first: a branch that moves is a copy then, and is looked at in the next round.
        for branch in reversed(branches):
            moved |= self._thread(branch, remarks, budget)
        return moved

    def _thread(self, branch: IfOp, remarks: Remarks, budget: _Budget) -> bool:
        dependants = dependants_of(branch)
        chosen = _first_that_chooses(branch, dependants)
        if chosen is None:
            return False
        moved = _needed_by(chosen, dependants)
        size = sum(1 for o in moved for _ in walk(o))
        if size > self.max_operations:
            remarks.missed(
                branch,
                f"{size} operations are more than {self.max_operations}",
                operations=size,
                limit=self.max_operations,
            )
            return False
        if size > budget.left:
            remarks.missed(
                branch,
                f"{size} more operations are more than {self.max_growth} times the program",
                operations=size,
                limit=budget.left,
            )
            return False
        budget.left -= size
        remarks.passed(branch, f"moved {size} operations into its branches", operations=size)
        clone_into_branches(branch, dependants, moved)
        return True


def _first_that_chooses(branch: IfOp, dependants: Sequence[Operation]) -> IfOp | None:
    """Return the first `ov.if` that reads the branch's unranked values.

    It has the branch's condition or one that depends on the branch. The values are unranked because of the branch.
    """
    derived: set[SSAValue] = set(branch.output)
    without_rank: set[SSAValue] = {r for r in branch.output if unranked([r])}
    for op in dependants:
        reads = not without_rank.isdisjoint(operands_of(op))
        if reads and isinstance(op, IfOp) and (op.cond is branch.cond or op.cond in derived):
            return op
        derived.update(op.results)
        if reads:
            without_rank.update(r for r in op.results if unranked([r]))
    return None


def _needed_by(last: Operation, dependants: Sequence[Operation]) -> list[Operation]:
    """Return an operation and the earlier dependants that it needs.

    They are in order.
    """
    needed = set(operands_of(last))
    moved = [last]
    for op in reversed(dependants[: dependants.index(last)]):
        if needed.intersection(op.results):
            moved.append(op)
            needed.update(operands_of(op))
    return moved[::-1]
