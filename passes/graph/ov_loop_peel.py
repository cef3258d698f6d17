"""`ov-loop-peel`: peels the first or last iteration of a loop.

The iteration becomes straight-line code before or behind the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnrankedTensorType
from xdsl.ir import SSAValue, Use
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import i1
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.profile import loop_facts
from loomir.dialects.region_flow import comes_from_outside
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.costs import REGION_SIZE, NestSizes, code_size_of_block
from loomir.passes.analysis.decided_branches import (
    Decision,
    Decisions,
    branches_on_iteration,
    decide_branches,
)
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.trip_counts.equal_trips import is_elementwise
from loomir.passes.control_flow.counted_loops import peel
from loomir.passes.control_flow.guards import can_be_guarded, guard_loop
from loomir.passes.graph.lib.loop_copies import Copies, joins_with_nothing
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopPeelPass(ModulePass):
    """Peels a loop's first or last iteration to simplify the body.

    The first iteration runs in front of the loop, the last one behind it. Something that the body tests must then be
    decided.

    A decoder that starts from an empty placeholder and carries states of another rank from its first step on has no shape
    that holds for every iteration, and below GRAPH every value needs one. Behind the first iteration it has one.

    ```mlir
    %r = ov.loop trip(%n) carried(%none) : (tensor<i64>, tensor<0xf32>) -> tensor<*xf32> {        // before
    ^bb0(%i: tensor<i64>, %x: tensor<*xf32>):
      %y = … : tensor<1x4xf32>
      ov.next while(%more) carried(%y : tensor<1x4xf32>)
    }
    %y0 = … : tensor<1x4xf32>                                                                    // after
    %left = ov.subtract %n, %one
    %r = ov.loop trip(%left) while(%more0) carried(%y0) : (…) -> tensor<1x4xf32> {
    ^bb0(%j: tensor<i64>, %x: tensor<1x4xf32>):
      %i = ov.add %j, %one
      %y = … : tensor<1x4xf32>
      ov.next while(%more) carried(%y : tensor<1x4xf32>)
    }
    ```

    The same applies to a carried value for which each iteration forwards a value from outside: behind the first iteration
    it is no longer carried, and operations on it alone are then loop-invariant. It applies to a loop of which a profile
    ([profiling.md](profiling.md)) says that nine in ten entries run one iteration. It also applies to a branch whose condition
    is decided for all iterations but the first, or but the last of a loop that only its trip count ends
    (`passes/analysis/decided_branches.py`):

    ```mlir
    %r = ov.loop trip(%n) carried(%x) {                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %done = ov.add %i, %one
      %last = ov.equal %done, %n
      %w = ov.if %last -> (tensor<4xf32>) {
        %p = ov.exp %v
        ov.yield %p
      } else {
        %q = ov.multiply %v, %a
        ov.yield %q
      }
      ov.next carried(%w)
    }
    %left = ov.subtract %n, %one                               // after, where it surely runs
    %v = ov.loop trip(%left) carried(%x) {
    ^bb0(%i: tensor<i64>, %u: tensor<4xf32>):
      %q = ov.multiply %u, %a
      ov.next carried(%q)
    }
    %r = ov.exp %v
    ```

    And it applies to carried tensors that begin as one repeated number, if the iteration's code is no larger than that which fills
    them: the first iteration computes its results without them.

    ```mlir
    %r = ov.loop trip(%ten) carried(%zeros) {                  // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.add %v, %x
      ov.next carried(%w)
    }
    %v = ov.add %zeros, %x                                     // after
    %r = ov.loop trip(%nine) carried(%v) {
      …
    }
    ```

    The latter four cases require that the program's code grows by at most `max-code-growth`
    (`passes/analysis/costs.py`: an elementwise operation is 1), less the branches that are removed. `ranks=false`
    leaves loops whose carried values change their rank: only lower stages cannot have them. All loops together, including
    those of `all=true` and those that change a rank, add at most eight times the original program, or `max-code-growth` if
    that is more: the copy of a body has a copy of each loop that was peeled in it, and a nest would double with every
    level.

    A loop must surely run at least once, since only then the result has one rank. Other loops go under a guard, an `ov.if`
    on their own condition, if ranks do not change and no filled tensor is the reason. `all=true` peels every such loop,
    whatever it carries. The pass leaves loops with sliced inputs or last values alone (TensorIterator, Scan: they carry
    values of one shape), and those that concatenate parts of dynamic dimensions: with no iteration left these extents are 0.
    """

    name = "ov-loop-peel"
    EXACT = True

    all: bool = False
    ranks: bool = True
    max_code_growth: int = 32

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_code_growth=0)
        remarks = Remarks(self.name)
        asking = branches_on_iteration(op)
        loops: list[LoopOp] = []
        for loop in walk(op):
            if isinstance(loop, LoopOp):
                if loop in asking or self._is_wanted(loop):
                    loops.append(loop)
                else:
                    remarks.missed(loop, "its first and its last iteration decide nothing for the others")
        if not loops:
            return analyses_of(ctx).keep_all()
        inference = analyses_of(ctx).get(infer, op)
        sizes = NestSizes(op, set(loops))
        left = max(self.max_code_growth, TIMES * sizes.size(op))
        peeled: list[bool] = []
        # Inner loops first: the copy of an outer body holds them as they are by then.
        for loop in reversed(loops):
            size = sizes.size(loop) - REGION_SIZE
            growth = self._peel(loop, asking.get(loop, ()), inference, remarks, size, left)
            peeled.append(growth is not None)
            added = max(growth or 0, 0)
            sizes.leave(loop, added)
            left -= added
        retype(ctx, op, changed=any(peeled))

    def _is_wanted(self, loop: LoopOp) -> bool:
        return self._may_be_guarded(loop) or _replaces_fills(loop)

    def _may_be_guarded(self, loop: LoopOp) -> bool:
        """Return True if peeling pays under a guard, too."""
        return self.all or (self.ranks and _changes_rank(loop)) or _settles(loop) or _runs_once(loop)

    def _peel(
        self,
        loop: LoopOp,
        asking: Sequence[IfOp],
        inference: Inference,
        remarks: Remarks,
        size: int,
        left: int,
    ) -> int | None:
        """Peel an iteration if its code fits the remaining budget.

        `size` is the size of the iteration's code, and `left` the budget. Return the added code size, or None.
        """
        decisions = decide_branches(loop, asking, inference) if asking else Decisions()
        first = self._is_wanted(loop)
        if not (first or decisions.first or decisions.last):
            remarks.missed(loop, "no branch in it is decided for all iterations but the first or the last")
            return None
        at_end = not first and not decisions.first
        decided = decisions.last if at_end else decisions.first
        why: str | MissedReason | None = peeling_obstacle(loop, inference)
        if why is None and not (decided or self._may_be_guarded(loop)) and _may_not_run(loop, inference):
            why = "it may run no iteration"
        growth = (
            size
            - sum(map(_saved, decided))
            - (len(_filled(loop)) if _replaces_fills(loop) and not at_end else 0)
        )
        bounded = not (self.all or (self.ranks and _changes_rank(loop)))
        if why is None and bounded and growth > self.max_code_growth:
            why = MissedReason(
                f"code growth of {growth} is more than {self.max_code_growth}",
                {"growth": growth, "limit": self.max_code_growth},
            )
        if why is None and growth > left:
            why = MissedReason(
                f"code growth of {growth} is more than the {left} left for the program",
                {"growth": growth, "limit": left},
            )
        if why is not None:
            remarks.missed(loop, why)
            return None
        peel_loop(loop, decided, inference, at_end=at_end)
        branches = f", with {len(decided)} branches decided" if decided else ""
        where = "peeled its last iteration" if at_end else "peeled its first iteration"
        remarks.passed(loop, where + branches, growth=growth, branches=len(decided))
        return growth


TIMES = 8
"""How many times what the program was may come to it."""


def _runs_once(loop: LoopOp) -> bool:
    """Return True if the profile says that the loop mostly runs once."""
    facts = loop_facts(loop)
    return facts is not None and facts.typical_trips == 1 and static_trips(loop) is None


def _settles(loop: LoopOp) -> bool:
    """Return True if a carried value settles after the first iteration.

    It is then the same value from outside in all later iterations.
    """
    return any(
        argument.first_use is not None and following is not first and comes_from_outside(following, loop)
        for first, argument, following in zip(loop.carried, loop.carried_arguments, loop.next.carried)
    )


def _replaces_fills(loop: LoopOp) -> bool:
    """Return True if the first iteration can take the place of fills."""
    return 0 < code_size_of_block(loop.body.block) <= len(_filled(loop))


def _filled(loop: LoopOp) -> list[SSAValue]:
    """Return the carried arguments that begin in a fill without need.

    They begin as one repeated number, and only elementwise operations of the same shape read them.
    """
    return [
        argument
        for argument, initial in zip(loop.carried_arguments, loop.carried)
        if _is_filled(initial) and argument.first_use is not None and all(map(_is_elementwise, argument.uses))
    ]


def _is_filled(value: SSAValue) -> bool:
    array = constant_of(value)
    return array is not None and array.size > 1 and bool((array == array.flat[0]).all())


def _is_elementwise(use: Use) -> bool:
    op = use.operation
    return is_elementwise(op) and op.results[0].type == op.operands[use.index].type


def _changes_rank(loop: LoopOp) -> bool:
    return any(
        isinstance(a.type, UnrankedTensorType) and not isinstance(v.type, UnrankedTensorType)
        for a, v in zip(loop.carried_arguments, loop.carried)
    )


def _saved(decision: Decision) -> int:
    """Return the code size saved in a branch and its copy.

    Each of the two keeps one arm, or stays a branch.
    """
    arms = {True: decision.branch.then_region.block, False: decision.branch.else_region.block}
    gone = [arms[not taken] for taken in (decision.there, decision.elsewhere) if taken is not None]
    return sum(code_size_of_block(arm) + REGION_SIZE for arm in gone)


def peeling_obstacle(loop: LoopOp, inference: Inference, *, at_end: bool = False) -> str | None:
    """Return why an iteration cannot be peeled, or None.

    It is the first one, or the last if `at_end` is set.
    """
    if loop.sliced or loop.last:
        return "it has sliced inputs or last values"
    if at_end and (loop.trip is None or loop.cond is not None or loop.next.cond is not None):
        return "a condition may end it early: which iteration is the last is not known before it"
    may_not_run = _may_not_run(loop, inference)
    if may_not_run and not (can_be_guarded(loop) and not _changes_rank(loop)):
        return "it may run no iteration"
    if not all(
        joins_with_nothing(inference.fact(v), c) for v, c in zip(loop.next.concat, loop.concatenations)
    ):
        return "a concatenated output has a dynamic extent"
    return None


def _may_not_run(loop: LoopOp, inference: Inference) -> bool:
    return trip_bounds(loop, inference).lo < 1


def peel_loop(loop: LoopOp, decided: Sequence[Decision], inference: Inference, *, at_end: bool) -> None:
    """Peel the first iteration of a loop, or its last.

    There must be no `peeling_obstacle`. `decided` are branches whose condition is known in the peeled iteration, or in all
    others.
    """
    if _may_not_run(loop, inference):
        guard_loop(loop)
    copies = Copies.before(loop)
    conditions = {taken: copies.build.scalar(taken, i1) for taken in (True, False)} if decided else {}

    def set_conditions(there: bool) -> None:
        for decision in decided:
            if (taken := decision.there if there else decision.elsewhere) is not None:
                decision.branch.operands[0] = conditions[taken]

    peel(copies, at_end=at_end, decide=set_conditions)
