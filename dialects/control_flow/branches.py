"""Rewrites of branches, alone, consecutive or nested.

Operations common to both arms are hoisted and sunk: the arms' common first operations move before the branch, a common last
operation behind it, so that each is computed once (`loomir.dialects.common_operations` determines the operations that may move).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.common_operations import common_first, common_last, move_behind
from loomir.dialects.common_trees import common_trees, move_tree
from loomir.dialects.control_flow import canonicalizes
from loomir.dialects.control_flow.conditions import enclosing_conditions
from loomir.dialects.control_flow.rewriting import (
    Branch,
    arms_of,
    is_condition,
    is_number,
    known_condition,
    make_boolean,
    make_conjunction,
    make_negation,
    make_select,
    negation_of,
    take_arm,
    with_arms,
    yielded,
)
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.dialects.profile import drop, swap_arms
from loomir.dialects.region_flow import owning_block, terminator

_for_branches = canonicalizes(IfOp, scf.IfOp)


def merge_branches(
    branches: Sequence[Branch], rewriter: PatternRewriter, negated: Collection[Branch] = ()
) -> Branch:
    """Replace adjacent branches on one condition by one.

    It takes the place of the last of them. `negated` are those on its negation. Each arm has the operations of all arms of its
    side, in order; what an arm reads of the results of an earlier branch is what that yields on this side. Results without uses
    are dropped. Returns the new branch.
    """
    first, last = branches[0], branches[-1]
    block = first.parent
    assert block is not None
    for op in branches:
        for arm in arms_of(op):
            if not arm.blocks:
                arm.add_block(Block([scf.YieldOp()]))
    sides = [arms_of(op)[::-1] if op in negated else arms_of(op) for op in branches]
    side_of: dict[Block | None, int] = {arm.block: side for arms in sides for side, arm in enumerate(arms)}
    given: tuple[dict[SSAValue, SSAValue], dict[SSAValue, SSAValue]] = ({}, {})
    for op, arms in zip(branches, sides):
        for side, arm in enumerate(arms):
            for result, value in zip(op.results, terminator(arm.block).operands, strict=True):
                given[side][result] = value
                if op is not last:
                    value.name_hint = value.name_hint or result.name_hint
        for result in op.results:
            for use in list(result.uses):
                side = side_of.get(_block_in(use.operation, block))
                if side is not None:
                    use.operation.operands[use.index] = given[side][result]
                    rewriter.notify_op_modified(use.operation)
    results = [result for op in branches for result in op.results]
    kept = [result for result in results if result.first_use is not None]
    if not kept and isinstance(last, IfOp):
        kept = list(last.results)
    for side in range(2):
        arms = [each[side].block for each in sides]
        end = terminator(arms[0])
        end.location = terminator(arms[-1]).location
        end.operands = [given[side][result] for result in kept]
        for arm in arms[1:]:
            rewriter.erase(terminator(arm))
            rewriter.inline_block(arm, InsertPoint.before(end))
    merged = with_arms(first, first.cond, [result.type for result in kept], arms_of(first), rewriter)
    rewriter.insert(merged, InsertPoint.before(last))
    new = dict(zip(kept, merged.results))
    for op in reversed(branches):
        rewriter.replace(op, [], [new.get(result) for result in op.results])
    return merged


def _block_in(op: Operation, block: Block) -> Block | None:
    """Return the block that holds an operation at any depth.

    It is one of a region of an operation that stands in `block`.
    """
    inside = op.parent
    while inside is not None and (around := inside.parent_op()) is not None and around.parent is not block:
        inside = around.parent
    return inside


def _types(op: Branch) -> list[Attribute]:
    return [result.type for result in op.results]


@_for_branches
class KnownCondition(RewritePattern):
    """`if true { A } else { B } → A`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Branch, rewriter: PatternRewriter) -> None:
        if (condition := known_condition(op.cond)) is not None:
            take_arm(op, arms_of(op)[0 if condition else 1], rewriter)


@_for_branches
class ConditionOfABranchAround(RewritePattern):
    """`if c { … if c { A } else { B } … } → if c { … A … }`; in the other arm it is B.

    So it is where one negates the other, where one is a part of the other (`if c and d { if c … }`), and where one comparison of integers
    decides the other: `if x < 3 { if x < 5 { A } else { B } } → if x < 3 { A }`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Branch, rewriter: PatternRewriter) -> None:
        if (known := enclosing_conditions(op).of(op.cond)) is not None:
            take_arm(op, arms_of(op)[0 if known else 1], rewriter)


@_for_branches
class ConditionAsResult(RewritePattern):
    """Rewrites `if c { yield true } else { yield false } → c`.

    With the constants swapped the result is `not c`. Where an arm yields the condition itself, the condition is replaced by its
    known value in that arm.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Branch, rewriter: PatternRewriter) -> None:
        for arm, value in zip(arms_of(op), (True, False)):
            if arm.blocks and op.cond in (end := terminator(arm.block)).operands:
                known = make_boolean(value, op, op.cond.type, rewriter)
                end.operands = [known if operand is op.cond else operand for operand in end.operands]
                rewriter.notify_op_modified(end)
        for result, (a, b) in zip(op.results, yielded(op)):
            if (
                result.first_use is None
                or not is_condition(result.type)
                or not a.type == b.type == result.type
            ):
                continue
            if_true, if_false = known_condition(a), known_condition(b)
            if if_true is None or if_false is None or if_true is if_false:
                continue
            value = op.cond if if_true else make_negation(op.cond, op, rewriter)
            rewriter.replace_all_uses_with(result, value)


@canonicalizes(scf.IfOp)
class SelectOfOutsideValues(RewritePattern):
    """`%r = if c { A; yield %x } else { B; yield %y } → %r = select c, %x, %y; if c { A } else { B }`, of numbers from outside."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        for result, (a, b) in zip(op.results, yielded(op)):
            if result.first_use is None or not is_number(result.type):
                continue
            if any(owning_block(value) is arm.block for value, arm in zip((a, b), op.regions)):
                continue
            select = make_select(op, a, b, result)
            rewriter.insert(select, InsertPoint.before(op))
            rewriter.replace_all_uses_with(result, select.results[0])


@canonicalizes(scf.IfOp)
class EmptyArm(RewritePattern):
    """`if c { A } else { } → if c { A }`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        if not op.results and op.false_region.blocks and _is_empty(op.false_region):
            rewriter.replace(op, with_arms(op, op.cond, [], (op.true_region, Region()), rewriter))


@_for_branches
class NegatedCondition(RewritePattern):
    """`if not c { A } else { B } → if c { B } else { A }`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Branch, rewriter: PatternRewriter) -> None:
        condition, arms = negation_of(op.cond), arms_of(op)
        if condition is None or not arms[1].blocks:
            return
        swapped = with_arms(op, condition, _types(op), arms[::-1], rewriter)
        swap_arms(swapped)
        rewriter.replace(op, swapped)


@canonicalizes(scf.IfOp)
class NextToOneOfTheSameCondition(RewritePattern):
    """`if c { A } if c { B } → if c { A; B }`, and `if c { A } if not c { B } → if c { A } else { B }`.

    What the second reads of the first's results is, in each arm, what the first hands on there. (Those of GRAPH: `ov-if-merge`.)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        first = op.prev_op
        if not isinstance(first, scf.IfOp):
            return
        negated = negation_of(op.cond) is first.cond or negation_of(first.cond) is op.cond
        if first.cond is op.cond or negated:
            merge_branches([first, op], rewriter, negated=[op] if negated else [])


@_for_branches
class OnlyABranchInside(RewritePattern):
    """`if a { if b { A } else { yield %y } } else { yield %y } → if a and b { A } else { yield %y }`.

    All that the outer one gives is of the inner one, and where either is not taken it is the same.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Branch, rewriter: PatternRewriter) -> None:
        taken, other = arms_of(op)
        inner, end = taken.block.first_op, terminator(taken.block)
        if not isinstance(inner, Branch) or inner.next_op is not end:
            return
        if not all(_is_empty(region) for region in (other, arms_of(inner)[1])):
            return
        numbers = [v.index if isinstance(v, OpResult) and v.op is inner else None for v in end.operands]
        given, otherwise = yielded(inner), list(terminator(other.block).operands) if other.blocks else []
        if any(k is None or given[k][1] is not value for k, value in zip(numbers, otherwise)):
            return
        both = make_conjunction(op.cond, inner.cond, op, rewriter)
        last = terminator(arms_of(inner)[0].block)
        last.operands = [given[k][0] for k in numbers if k is not None]
        new = with_arms(op, both, _types(op), (arms_of(inner)[0], other), rewriter)
        drop(new)
        rewriter.replace(op, new)


def _is_empty(region: Region) -> bool:
    return not region.blocks or region.block.first_op is region.block.last_op


@_for_branches
class CommonFirstOperations(RewritePattern):
    """`if c { %a = f(%x); … } else { %b = f(%x); … } → %a = f(%x); if c { … } else { … }`; of equal arms nothing is left.

    A destination (`tensor.empty`, `linalg.fill`) stays with what is computed in it: outside it would be a buffer for the whole time.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Branch, rewriter: PatternRewriter) -> None:
        then, otherwise = arms_of(op)
        if not otherwise.blocks:
            return
        found = common_first(then.block, otherwise.block)
        read = set[SSAValue](terminator(then.block).operands)
        for own in reversed(list(found)):
            if isinstance(own, tensor.EmptyOp | FillOp) and not read.intersection(own.results):
                del found[own]
            else:
                read.update(own.operands)
        for own, like in found.items():
            own.detach()
            rewriter.insert(own, InsertPoint.before(op))
            rewriter.replace(like, [], own.results)


@_for_branches
class CommonLastOperation(RewritePattern):
    """`if c { yield f(%a) } else { yield f(%b) } → f(if c { yield %a } else { yield %b })`

    The arms compute %a and %b; or one of them is a single number from elsewhere. The branch yields no more data than before: %a is no
    larger than f(%a), and nothing else in the arm needs f(%a).

    Tensors of an `scf.if` stay: in its arm one may be computed in the place of what it is made of.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Branch, rewriter: PatternRewriter) -> None:
        arms = arms_of(op)
        if not op.results or not arms[1].blocks:
            return
        found = {
            index: pair
            for index, pair in common_last(op.results, *(arm.block for arm in arms)).items()
            if isinstance(op, IfOp) or not any(_is_tensor(v) for v in (*pair[0].operands, *pair[0].results))
        }
        if not found:
            return

        ends = terminator(arms[0].block), terminator(arms[1].block)
        rewriter.replace(op, [], move_behind(op.results, found, ends, _rebuilt(op, rewriter), rewriter))


@_for_branches
class CommonLastTree(RewritePattern):
    """`if c { yield h(f(%a), g(%a)) } else { yield h(f(%b), g(%b)) } → %r = if c { yield %a } else { yield %b }; h(f(%r), g(%r))`

    Several operations move at once, where one alone would leave the branch with more data to yield. The tree may also leave more single
    numbers than it has results, but fewer than operations.

    Tensors of an `scf.if` stay: in its arm one may be computed in the place of what it is made of.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Branch, rewriter: PatternRewriter) -> None:
        arms = arms_of(op)
        if not op.results or not arms[1].blocks:
            return
        for tree in common_trees(op.results, *(arm.block for arm in arms)):
            if isinstance(op, IfOp) or not any(
                _is_tensor(v) for o in tree.pairs for v in (*o.operands, *o.results)
            ):
                break
        else:
            return

        ends = terminator(arms[0].block), terminator(arms[1].block)
        rewriter.replace(op, [], move_tree(tree, op.results, ends, _rebuilt(op, rewriter), rewriter))


def _rebuilt(op: Branch, rewriter: PatternRewriter) -> Callable[[Sequence[Attribute]], Operation]:
    """Return a function that inserts a branch of the same arms.

    It receives the types of the new branch's results.
    """

    def rebuild(types: Sequence[Attribute]) -> Operation:
        new = with_arms(op, op.cond, types, arms_of(op), rewriter)
        rewriter.insert(new)
        return new

    return rebuild


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)
