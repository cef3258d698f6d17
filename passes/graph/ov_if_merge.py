"""`ov-if-merge`: merges an `ov.if` into an earlier one with the same condition."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import inf

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from loomir.dialects.control_flow.branches import merge_branches
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.speculation import SpeculatabilityCache
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.graph.lib.branches import operands_of
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvIfMergePass(ModulePass):
    """Merges branches of one block that have the same condition.

    It does not matter whether later branches use results of earlier ones.

    ```mlir
    %r = ov.if %c -> (tensor<4xf32>) { … ov.yield %p : … } else { … ov.yield %q : … }           // before
    %t = ov.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    %s = ov.if %c -> (tensor<4xf32>) {
      %u = ov.add %r, %t : …
      ov.yield %u : tensor<4xf32>
    } else {
      ov.yield %r : tensor<4xf32>
    }

    %t = ov.tanh %x : (tensor<4xf32>) -> tensor<4xf32>                                            // after
    %s = ov.if %c -> (tensor<4xf32>) {
      …
      %u = ov.add %p, %t : …
      ov.yield %u : tensor<4xf32>
    } else {
      …
      ov.yield %q : tensor<4xf32>
    }
    ```

    Operations between the branches that the later one needs move before the first one. If such an operation depends on the
    first branch, the branches are not merged. Nor are they if an operation that may fail would move past another one that
    may: the program would report another error. Of several conditions that take turns, the last `window` are remembered.
    Each operation is visited once for each of them.
    """

    name = "ov-if-merge"
    EXACT = True

    window: int = 8

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, window=1)
        if not any(isinstance(o, IfOp) for o in walk(op)):
            return analyses_of(ctx).keep_all()
        remarks = Remarks(self.name)
        failures = SpeculatabilityCache()
        # Outermost blocks first: branches that stood in two are in one then.
        waiting, changed = [op.body.block], False
        while waiting:
            block = waiting.pop()
            for run in _Finder(self.window, remarks, failures).runs(block):
                count = len(run.branches)
                merged = merge_branches(run.branches, PatternRewriter(run.branches[-1]))
                remarks.passed(merged, f"merged {count} branches of one condition", branches=count)
                changed = True
            waiting += [inner for o in block.ops for region in o.regions for inner in region.blocks]
        if not changed:
            analyses_of(ctx).keep_all()


@dataclass
class _Run:
    """Branches of one condition that stand one behind the other."""

    branches: list[IfOp]
    place: float
    """That of the first one in the block."""
    results: set[SSAValue]
    fails: bool
    """True if one of the branches may stop the program."""
    dependent: set[SSAValue] = field(default_factory=set)
    """Values computed behind the branches from their results."""
    failing: deque[Operation] = field(default_factory=deque)
    """Operations behind the branches that may stop the program, in order.

    Some of them may have moved before the branches since.
    """

    def first_failing_besides(
        self, moving: AbstractSet[Operation], places: Mapping[Operation, float]
    ) -> float:
        """Return the place of the first remaining operation that may fail.

        It stays behind the branches and may stop the program. Infinity if there is none.
        """
        while self.failing and places[self.failing[0]] <= self.place:
            self.failing.popleft()
        return next((places[op] for op in self.failing if op not in moving and places[op] > self.place), inf)


class _Finder:
    """Traverses a block once, and makes branches that can be merged adjacent."""

    def __init__(self, window: int, remarks: Remarks, failures: SpeculatabilityCache) -> None:
        self._window = window
        self._remarks = remarks
        self._failures = failures
        self._places: dict[Operation, float] = {}
        self._open: dict[SSAValue, _Run] = {}
        self._members: set[Operation] = set()

    def runs(self, block: Block) -> list[_Run]:
        """The branches that can be merged."""
        left = Counter(op.cond for op in block.ops if isinstance(op, IfOp))
        if all(number < 2 for number in left.values()):
            return []
        found: list[_Run] = []
        for place, op in enumerate(list(block.ops)):
            self._places[op] = place
            run = self._open.get(op.cond) if isinstance(op, IfOp) else None
            if isinstance(op, IfOp) and run is not None and self._join(op, run):
                run.results.update(op.results)
                run.fails |= self._failures.of(op)
            else:
                run = None
            self._note(op, besides=run)
            if not isinstance(op, IfOp):
                continue
            left[op.cond] -= 1
            if run is None:
                self._open.pop(op.cond, None)
                if left[op.cond]:
                    self._open[op.cond] = _Run([op], place, set(op.results), self._failures.of(op))
                    self._members.add(op)
                    found.append(self._open[op.cond])
                    if len(self._open) > self._window:
                        forgotten = self._open.pop(next(iter(self._open)))
                        self._remarks.missed(
                            forgotten.branches[-1],
                            f"more than {self._window} other conditions precede the next branch of this one",
                            window=self._window,
                        )
            elif not left[op.cond]:
                del self._open[op.cond]
        return [run for run in found if len(run.branches) > 1]

    def _note(self, op: Operation, besides: _Run | None) -> None:
        """Record the branches on which an operation depends.

        Also record if it may fail behind them.
        """
        runs = [run for run in self._open.values() if run is not besides]
        if not runs:
            return
        if self._failures.of(op):
            for run in runs:
                run.failing.append(op)
        for operand in operands_of(op):
            for run in runs:
                if operand in run.results or operand in run.dependent:
                    run.dependent.update(op.results)

    def _join(self, op: IfOp, run: _Run) -> bool:
        """Move a branch directly behind others with its condition.

        This is possible if nothing that it needs depends on them.
        """
        needed = self._needed(op, run)
        if needed is None:
            self._remarks.missed(op, "it needs values that depend on the earlier branch of this condition")
            return False
        if self._passes_failures(op, needed, run):
            self._remarks.missed(
                op,
                "merging would change the order of errors",
            )
            return False
        block = op.parent
        assert block is not None
        for other in sorted(needed, key=self._places.__getitem__):
            other.detach()
            block.insert_op_before(other, run.branches[0])
            # Behind all that stood before, and no longer behind the first branch.
            self._places[other] = run.place - 0.5
        op.detach()
        block.insert_op_after(op, run.branches[-1])
        self._places[op] = run.place
        self._members.add(op)
        run.branches.append(op)
        return True

    def _passes_failures(self, op: IfOp, needed: AbstractSet[Operation], run: _Run) -> bool:
        """Return True if operations that may fail would be reordered.

        One of them would move before another one.
        """
        moving = [self._places[other] for other in needed if self._failures.of(other)]
        if not moving and not self._failures.of(op):
            return False
        if moving and run.fails:
            return True
        last = self._places[op] if self._failures.of(op) else max(moving)
        return run.first_failing_besides(needed, self._places) < last

    def _needed(self, op: IfOp, run: _Run) -> set[Operation] | None:
        """Return the operations that a branch needs from behind the others.

        None if they cannot stand before these other branches.
        """
        needed: set[Operation] = set()
        waiting: list[Operation] = [op]
        while waiting:
            for value in operands_of(waiting.pop()):
                owner = value.owner
                if value in run.dependent:
                    return None
                if value in run.results or owner in needed or not isinstance(owner, Operation):
                    continue
                if owner.parent is op.parent and self._places[owner] > run.place:
                    if owner in self._members:
                        return None  # it has to stay where it is, behind others of its own condition
                    needed.add(owner)
                    waiting.append(owner)
        return needed
