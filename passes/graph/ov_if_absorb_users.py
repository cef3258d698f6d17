"""`ov-if-absorb-users`: moves the only users of an `ov.if` into its branches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.region_flow import ancestor_in
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.graph.lib.branches import clone_into_branches, operands_of
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvIfAbsorbUsersPass(ModulePass):
    """Moves operations that only read results of an `ov.if` into both branches.

    In a branch that yields a constant, or the operand that an operation has a rule for, the copy folds.

    ```mlir
    %r = ov.if %c -> (tensor<4xf32>) {                             // before
      ov.yield %x : tensor<4xf32>
    } else {
      ov.yield %zero : tensor<4xf32>
    }
    %p = ov.multiply %r, %two : …

    %p = ov.if %c -> (tensor<4xf32>) {                             // after
      %q = ov.multiply %x, %two : …
      ov.yield %q : tensor<4xf32>
    } else {
      %q = ov.multiply %zero, %two : …
      ov.yield %q : tensor<4xf32>
    }
    ```

    An operation moves if all others that read what it needs of the branch move, too: the branch does not yield that any more.
    The branch moves down to the last of them, and past no operation that may fail: the program would report another error.
    Only the `window` operations behind a branch are looked at.

    The code grows, and canonicalisation moves equal ends of branches out again unless one of them has folded. The pass is
    therefore in no level.
    """

    name = "ov-if-absorb-users"
    EXACT = True

    window: int = 64

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, window=1)
        remarks = Remarks(self.name)
        changed = False
        branches = [o for o in walk(op) if isinstance(o, IfOp)]
        if not branches:
            return analyses_of(ctx).keep_all()
        # The last ones first: a branch that another one absorbs has absorbed its own users by then.
        for branch in reversed(branches):
            dependants = list(self._dependants(branch))
            moved = _only_users(branch, dependants)
            if moved:
                remarks.passed(
                    branch, f"moved {len(moved)} operations into its branches", operations=len(moved)
                )
                clone_into_branches(branch, dependants, moved)
                changed = True
        retype(ctx, op, changed=changed)

    def _dependants(self, branch: IfOp) -> Iterator[Operation]:
        """Yield the operations of the window that depend on a branch.

        They are in order, and end where the branch cannot move past an operation.
        """
        depends: set[SSAValue] = set(branch.output)
        for op in islice(_behind(branch), self.window):
            if any(v in depends for v in operands_of(op)):
                depends.update(op.results)
                yield op
            elif not speculatable(op):
                return


def _behind(op: Operation) -> Iterator[Operation]:
    """Yield the operations behind one, without the terminator."""
    following = op.next_op
    while following is not None and following.next_op is not None:
        yield following
        following = following.next_op


def _only_users(branch: IfOp, dependants: Sequence[Operation]) -> list[Operation]:
    """Return the dependants whose operands of the branch only they read.

    An operation that cannot move keeps what it reads, and so all other readers of that, where they are.
    """
    block = branch.parent
    assert block is not None
    derived: set[SSAValue] = {*branch.output, *(r for op in dependants for r in op.results)}
    chosen = {op: None for op in dependants if is_side_effect_free(op) and not isinstance(op, IfOp)}
    waiting: list[Operation] = [op for op in dependants if op not in chosen]
    values = [v for v in derived if any(ancestor_in(u.operation, block) not in chosen for u in v.uses)]
    while waiting or values:
        if waiting:
            # What an operation reads where it stands is needed there, and what it gives is not there before.
            staying = waiting.pop()
            values.extend((*(v for v in operands_of(staying) if v in derived), *staying.results))
            continue
        value = values.pop()
        if value not in derived:
            continue
        derived.discard(value)
        for use in value.uses:
            reader = ancestor_in(use.operation, block)
            if reader is not None and reader in chosen:
                del chosen[reader]
                waiting.append(reader)
    return list(chosen)
