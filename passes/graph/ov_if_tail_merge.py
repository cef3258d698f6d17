"""`ov-if-tail-merge`: merges equal loops of both arms of a branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.common_operations import Captures, captures_of_both, outline
from loomir.dialects.control_flow.rewriting import arms_of
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp
from loomir.dialects.profile import drop
from loomir.dialects.region_flow import terminator
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import infer
from loomir.passes.analysis.inference.state import InferenceState, bytes_at_most
from loomir.passes.graph.lib.branches import operands_of
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least

MAX_PAIRS = 16
"""Pairs of loops looked at in one branch and its rest."""


@dataclass(frozen=True)
class OvIfTailMergePass(ModulePass):
    """Replaces equal loops of both arms by one behind the branch.

    The loops read other values. The branch chooses these, and another branch behind the loop has what follows it in the arms.

    ```mlir
    %r = ov.if %c -> (tensor<4xf32>) {                             // before
      %s = ov.loop trip(%n) carried(%x) { … }
      ov.yield %s
    } else {
      %y = ov.abs %b
      %t = ov.loop trip(%n) carried(%y) { … }
      %e = ov.exp %t
      ov.yield %e
    }

    %v = ov.if %c -> (tensor<4xf32>) {                             // after
      ov.yield %x
    } else {
      %y = ov.abs %b
      ov.yield %y
    }
    %s = ov.loop trip(%n) carried(%v) { … }
    %r = ov.if %c -> (tensor<4xf32>) {
      ov.yield %s
    } else {
      %e = ov.exp %s
      ov.yield %e
    }
    ```

    Operations keep their order, so the error of a program stays the same. What stands before a loop and is read only behind it moves
    behind it, if it cannot fail. The loops stay where this is not enough.

    A value that is known in an arm would be unknown behind the branch: a trip count, an axis or a weight. Only an initial value may be a
    constant. Other chosen values are copied: those of known size take at most `max-bytes`. Of one branch at most 16 pairs of loops are
    looked at.
    """

    name = "ov-if-tail-merge"
    EXACT = True

    max_bytes: int = 1 << 14

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0)
        branches = [o for o in walk(op) if isinstance(o, IfOp) and all(map(_loops, arms_of(o)))]
        if not branches:
            return analyses_of(ctx).keep_all()
        remarks, changed = Remarks(self.name), False
        merging: Merging | None = None
        gone: set[IfOp] = set()
        # The outer branches first: a loop that they have in common is one with all that it holds.
        waiting = [(branch, MAX_PAIRS) for branch in reversed(branches)]
        while waiting:
            branch, left = waiting.pop()
            if branch in gone:
                continue
            if pairs := _equal_loops(branch)[:left]:
                merging = merging or Merging(analyses_of(ctx).get(infer, op), self.max_bytes, remarks)
                for tried, pair in enumerate(pairs, 1):
                    if (why := merging.obstacle(*pair)) is None:
                        gone.update(o for o in walk(pair[1]) if isinstance(o, IfOp))
                        rest = merging.merge(branch, *pair)
                        waiting += [(rest, left - tried)] if rest is not None else []
                        changed = True
                        break
                    remarks.missed(branch, why)
            else:
                remarks.missed(branch, "no loop of one arm is equal to one of the other")
        retype(ctx, op, changed=changed)


def _loops(arm: Region) -> list[LoopOp]:
    return [op for op in arm.block.ops if isinstance(op, LoopOp)]


def _equal_loops(branch: IfOp) -> list[tuple[LoopOp, LoopOp]]:
    """Return the pairs of loops that differ in values from outside only."""
    then, otherwise = (_loops(arm) for arm in arms_of(branch))
    known: dict[object, list[LoopOp]] = {}
    for loop in reversed(then):
        known.setdefault(outline(loop), []).append(loop)
    pairs = [(own.pop(), loop) for loop in otherwise if (own := known.get(outline(loop)))]
    return pairs


@dataclass
class Side:
    """Contents of an arm around its loop."""

    before: list[Operation]
    """Operations that the loop needs, or that may fail before it."""
    after: list[Operation]
    """Operations behind the loop, and those that may move there."""

    def is_split(self, loop: LoopOp) -> bool:
        """Return True if nothing behind the loop reads what is before it."""
        before = set(self.before)
        read = (v.owner for op in (*self.after, terminator(_block(loop))) for v in operands_of(op))
        return not any(owner in before for owner in read)


def _block(op: Operation) -> Block:
    assert op.parent is not None
    return op.parent


def _side(loop: LoopOp) -> Side:
    """Divide the arm around a loop."""
    ops = list(_block(loop).ops)
    place = ops.index(loop)
    needed, before, moved = set(operands_of(loop)), list[Operation](), list[Operation]()
    for op in reversed(ops[:place]):
        if needed.isdisjoint(op.results) and is_side_effect_free(op) and speculatable(op):
            moved.append(op)
        else:
            before.append(op)
            needed.update(operands_of(op))
    return Side(before[::-1], [*reversed(moved), *ops[place + 1 : -1]])


@dataclass
class Merging:
    """Merges loops of a program."""

    inference: InferenceState
    max_bytes: int
    remarks: Remarks

    def obstacle(self, own: LoopOp, like: LoopOp) -> str | None:
        """Return why two loops of equal outline stay, or None."""
        read, first = captures_of_both(own, like), len(own.operands) - len(own.carried) - len(own.sliced)
        del read[first : first + len(own.carried)]  # the loop has room of its own for these
        chosen = {pair for pair in read if pair[0] is not pair[1]}
        if any(self.inference.fact(value).value is not None for pair in chosen for value in pair):
            return "a value that the loops read is known in one arm"
        size = sum(self._bytes(pair) for pair in chosen)
        if size > self.max_bytes:
            return f"the chosen values may take more than {self.max_bytes} bytes"
        sides = _side(own), _side(like)
        if not all(side.is_split(loop) for side, loop in zip(sides, (own, like))):
            return "what precedes a loop in its arm is read behind it, too"
        if any(not is_side_effect_free(op) for side in sides for op in side.after):
            return "what follows a loop in its arm has an effect"
        return None

    def _bytes(self, values: Sequence[SSAValue]) -> int:
        return max(bytes_at_most(value, self.inference) or 0 for value in values)

    def merge(self, branch: IfOp, own: LoopOp, like: LoopOp) -> IfOp | None:
        """Merge two loops; return the branch behind them, if there is one."""
        chosen = list(dict.fromkeys(_chosen(own, like)))
        sides = _side(own), _side(like)
        ends = branch.then_yield, branch.else_yield
        results = [_merged_result(a, b, own, like) for a, b in zip(*(end.values for end in ends))]
        places = _places(own, like)
        for side, loop in zip(sides, (own, like)):
            for op in (*side.before, *side.after, loop):
                op.detach()
        if chosen:
            before = _branch(branch, [side.before for side in sides], [list(each) for each in zip(*chosen)])
            new = dict(zip(chosen, before.output))
            for (reader, number), pair in places:
                reader.operands[number] = new[pair]
        Rewriter.insert_op(own, InsertPoint.before(branch))
        drop(own)
        for a, b in zip(own.results, like.results):
            b.replace_all_uses_with(a)
        rest = [k for k, result in enumerate(results) if result is None]
        behind: IfOp | None = None
        if rest:
            values = [[end.values[k] for k in rest] for end in ends]
            behind = _branch(
                branch, [side.after for side in sides], values, [branch.output[k].type for k in rest]
            )
        left = iter(behind.output if behind is not None else ())
        for old, result in zip(branch.output, results):
            value = result if result is not None else next(left)
            value.name_hint = value.name_hint or old.name_hint
            old.replace_all_uses_with(value)
        if behind is None:
            for op in (op for side in sides for op in reversed(side.after)):
                op.erase(safe_erase=False)
        branch.detach()
        branch.erase()
        like.erase()
        self.remarks.passed(own, "one loop behind the branch in place of one in each arm", chosen=len(chosen))
        return behind if behind is not None and all(map(_loops, arms_of(behind))) else None


def _chosen(own: LoopOp, like: LoopOp) -> Captures:
    return [pair for pair in captures_of_both(own, like) if pair[0] is not pair[1]]


def _places(own: LoopOp, like: LoopOp) -> list[tuple[tuple[Operation, int], tuple[SSAValue, SSAValue]]]:
    """Return the chosen operands of the first loop and its body."""
    captured = set(_chosen(own, like))
    return [
        ((a, number), pair)
        for a, b in zip(walk(own), walk(like))
        for number, pair in enumerate(zip(a.operands, b.operands))
        if pair in captured
    ]


def _merged_result(a: SSAValue, b: SSAValue, own: LoopOp, like: LoopOp) -> SSAValue | None:
    """Return the value of a result in both arms.

    None if it depends on the arm.
    """
    if a is b:
        return a
    if not (isinstance(a, OpResult) and isinstance(b, OpResult) and (a.op, b.op) == (own, like)):
        return None
    return a if a.index == b.index else None


def _branch(
    branch: IfOp,
    contents: Sequence[Sequence[Operation]],
    values: Sequence[Sequence[SSAValue]],
    types: Sequence[Attribute] | None = None,
) -> IfOp:
    """Insert another branch on the same condition, with these contents."""
    regions: list[Region] = []
    for ops, given, end in zip(contents, values, (branch.then_yield, branch.else_yield)):
        new_end = YieldOp.build(operands=[given])
        new_end.location = end.location
        regions.append(Region(Block([*ops, new_end])))
    made = IfOp.of(branch.cond, types or [v.type for v in values[0]], *regions)
    made.location = branch.location
    Rewriter.insert_op(made, InsertPoint.before(branch))
    return made
