"""`ov-loop-unswitch`: a loop for each result of an invariant condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.conditions import KnownConditions
from loomir.dialects.control_flow.rewriting import arms_of, is_condition, take_arm
from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import i1
from loomir.dialects.ov.canonicalization.identities import DecidedOrNeutral
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LogicalAndOp, LogicalNotOp, LogicalOrOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.region_flow import comes_from_outside, counterparts
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.costs import REGION_SIZE, code_size, code_size_of_block
from loomir.passes.analysis.dependence import dependence_of
from loomir.passes.graph.lib.branches import unranked
from loomir.passes.graph.lib.loop_rewriting import innermost_loops, replace_inside, version_loop_on
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least

MAX_PARTS = 32
"""Parts of one condition, and operations that compute one part."""

MAX_CONDITIONS = 3
"""Conditions on which one loop is unswitched: each may double its versions."""


@dataclass(frozen=True)
class OvLoopUnswitchPass(ModulePass):
    """Chooses before a loop what an invariant condition chooses in it.

    A branch in the loop becomes a branch between two loops.

    ```mlir
    %r = ov.loop trip(%n) carried(%x) {                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %c = ov.less %k, %three
      %w = ov.if %c -> (tensor<4xf32>) {
        %p = ov.tanh %v
        ov.yield %p
      } else {
        %q = ov.multiply %v, %a
        ov.yield %q
      }
      ov.next carried(%w)
    }

    %c = ov.less %k, %three                                    // after
    %r = ov.if %c -> (tensor<4xf32>) {
      %s = ov.loop trip(%n) carried(%x) {
      ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
        %p = ov.tanh %v
        ov.next carried(%p)
      }
      ov.yield %s
    } else {
      %t = ov.loop trip(%n) carried(%x) {
      ^bb0(%j: tensor<i64>, %u: tensor<4xf32>):
        %q = ov.multiply %u, %a
        ov.next carried(%q)
      }
      ov.yield %t
    }
    ```

    A part of a condition is enough. Of `c and f(v)`, the loop for where `c` does not hold has no branch, and the other one branches on
    `f(v)`; of `c or f(v)` it is the other way round.

    The condition is computed before the loop, which may run no iteration. So an operation that may fail is not among those that compute
    it. A branch that is invariant as a whole stays: `ov-loop-invariant-code-motion` moves it. Where several branches read invariant
    conditions, those of the largest arms come first, up to three.

    Both loops have a copy of what is outside of the arms. A loop's code grows by at most `max-code-growth`
    (`passes/analysis/costs.py`: an elementwise operation is 1), and all loops together add at most the original program, or
    `max-code-growth` if that is more.
    """

    name = "ov-loop-unswitch"
    EXACT = True

    max_code_growth: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_code_growth=0)
        remarks = Remarks(self.name)
        around = innermost_loops(op)
        loops = [each for each in around if isinstance(each, LoopOp)]
        branches: dict[LoopOp, list[IfOp]] = {}
        for each, loop in around.items():
            if isinstance(each, IfOp) and loop is not None:
                branches.setdefault(loop, []).append(each)
        if not branches:
            for loop in loops:
                remarks.missed(loop, NO_BRANCH)
            return analyses_of(ctx).keep_all()
        left = max(self.max_code_growth, code_size(op))
        unswitching = Unswitching(branches, around, remarks, self.max_code_growth, left)
        # Inner loops first: the branch between two of them is one of the loop around.
        changed = [unswitching.run(loop) for loop in reversed(loops)]
        if any(changed):
            rewrite(op, DecidedOrNeutral(), DeadValues(), clean_up=True)
        retype(ctx, op, changed=any(changed))


NO_BRANCH = "no branch in it has a condition from outside"


@dataclass
class Unswitching:
    """Unswitches loops of a program.

    `branches` are those in each loop that are in no inner loop, `around` is the innermost loop around each. `left` is how much the
    program may still grow.
    """

    branches: dict[LoopOp, list[IfOp]]
    around: dict[Operation, LoopOp | None]
    remarks: Remarks
    max_growth: int
    left: int

    def run(self, loop: LoopOp) -> bool:
        """Unswitch a loop, then its versions; return True if it changed."""
        waiting, changed = [(loop, MAX_CONDITIONS)], False
        while waiting:
            version, left = waiting.pop()
            if (chosen := self._chosen(version)) is None:
                if version is loop and not changed:
                    self.remarks.missed(loop, NO_BRANCH)
            elif left and (copy := self._unswitch(version, chosen)) is not None:
                changed = True
                waiting += ((version, left - 1), (copy, left - 1))
        return changed

    def _unswitch(self, loop: LoopOp, chosen: Chosen) -> LoopOp | None:
        """Unswitch a loop; return the version for where its condition holds."""
        growth = code_size(loop) + REGION_SIZE - chosen.saved
        if (why := self._obstacle(loop, growth)) is not None:
            self.remarks.missed(loop, why)
            return None
        self.left -= max(growth, 0)
        many = len(chosen.branches)
        self.remarks.passed(loop, f"unswitched, with {many} branches decided", growth=growth, branches=many)
        for op in chosen.computed:
            op.detach()
            assert loop.parent is not None
            loop.parent.insert_op_before(op, loop)
        copy = version_loop_on(loop, chosen.condition)
        outer = self.around[copy] = self.around[loop]
        copies = counterparts(loop, copy)
        self.branches[copy] = [
            branch for each in self.branches[loop] if isinstance(branch := copies[each], IfOp)
        ]
        for version, holds in ((copy, True), (loop, False)):
            self._decide(version, chosen.condition, holds)
        if outer is not None and isinstance(between := loop.parent_op(), IfOp):
            self.branches.setdefault(outer, []).append(between)
        return copy

    def _decide(self, loop: LoopOp, condition: SSAValue, holds: bool) -> None:
        """Let a condition hold in a loop, or not."""
        known = KnownConditions({condition: holds})
        stay: list[IfOp] = []
        for branch in reversed(self.branches[loop]):
            if (taken := known.of(branch.cond)) is None:
                stay.append(branch)
            else:
                take_arm(branch, arms_of(branch)[0 if taken else 1])
        self.branches[loop] = [branch for branch in reversed(stay) if loop.is_ancestor(branch)]
        build = GraphBuilder(InsertPoint.before(loop), loop.location)
        replace_inside(loop, condition, build.scalar(holds, i1))

    def _obstacle(self, loop: LoopOp, growth: int) -> MissedReason | None:
        """Return why a loop is not unswitched, or None."""
        for limit, whose in ((self.max_growth, ""), (self.left, " left for the program")):
            if growth > limit:
                return MissedReason(
                    f"code growth of {growth} is more than {limit}{whose}", {"growth": growth, "limit": limit}
                )
        return None

    def _chosen(self, loop: LoopOp) -> Chosen | None:
        """Return the condition that saves the most code, or None."""
        readers: dict[SSAValue, list[IfOp]] = {}
        computed: dict[SSAValue, Sequence[Operation]] = {}
        dependence = None
        for branch in self.branches.get(loop, ()):
            for part, operations in _invariant_parts(branch.cond, loop):
                if dependence is None:
                    dependence = dependence_of(loop)
                if dependence.is_invariant(branch):
                    break  # it moves as a whole
                readers.setdefault(part, []).append(branch)
                computed[part] = operations
        if not readers or not loop.results or unranked(loop.results):
            return None
        found = [
            Chosen(part, tuple(users), tuple(computed[part]), _saved(part, users))
            for part, users in readers.items()
        ]
        return max(found, key=lambda each: each.saved)


@dataclass(frozen=True)
class Chosen:
    """Condition, the branches that read it, and operations that compute it."""

    condition: SSAValue
    branches: tuple[IfOp, ...]
    computed: tuple[Operation, ...]
    saved: int


def _saved(condition: SSAValue, branches: Sequence[IfOp]) -> int:
    """Return the size of the code that one loop has.

    The other one has not. A branch that both loops decide keeps an arm in each.
    """
    saved = 0
    for holds in (True, False):
        known = KnownConditions({condition: holds})
        for branch in branches:
            if (taken := known.of(branch.cond)) is not None:
                saved += code_size_of_block(arms_of(branch)[1 if taken else 0].block) + REGION_SIZE
    return saved


def _invariant_parts(condition: SSAValue, loop: LoopOp) -> Iterator[tuple[SSAValue, Sequence[Operation]]]:
    """Yield the largest invariant parts of a condition, but for negations.

    Each comes with the operations of the loop that compute it, in order.
    """
    waiting = [condition]
    for _ in range(MAX_PARTS):
        if not waiting:
            return
        part = waiting.pop()
        if isinstance(part.owner, LogicalNotOp):
            waiting.append(part.owner.data)
            continue
        if isinstance(part.owner, ConstantOp) or not is_condition(part.type):
            continue
        if (operations := _computed_before(part, loop)) is not None:
            yield part, operations
        elif isinstance(part.owner, LogicalAndOp | LogicalOrOp):
            waiting += part.owner.operands


def _computed_before(value: SSAValue, loop: LoopOp) -> Sequence[Operation] | None:
    """Return the operations that have to move before a loop.

    They compute a value, and are in order. None if it is not invariant, or an operation may fail.
    """
    found: dict[Operation, None] = {}
    seen: set[Operation] = set()

    def add(value: SSAValue) -> bool:
        op = value.owner
        if comes_from_outside(value, loop) or op in found:
            return True
        if not isinstance(op, Operation) or op.regions or len(seen) == MAX_PARTS:
            return False
        seen.add(op)
        if not (is_side_effect_free(op) and speculatable(op) and all(map(add, op.operands))):
            return False
        found[op] = None
        return True

    return list(found) if add(value) else None
