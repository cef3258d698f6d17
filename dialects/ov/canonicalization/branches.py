"""Rewrites of `ov.if`.

Operations common to both branches are hoisted and sunk: the branches' common first operations move before the `ov.if`, their
common last operations behind it, so that each is computed once. Each pattern makes the program smaller by one operation for each
that it moves (`loomir.dialects.common_operations` determines the operations that may move).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.common_operations import common_first, common_last, move_behind
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.operators.comparison import LogicalNotOp
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, IfOp, YieldOp
from loomir.dialects.profile import swap_arms
from loomir.dialects.upstream.rewriting import take_arm


@canonicalizes(IfOp)
class KnownCondition(RewritePattern):
    """`if true { A } else { B } → A`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        condition = constant_of(op.cond)
        if condition is None:
            return
        take_arm(op, op.then_region if bool(condition) else op.else_region, rewriter)


@canonicalizes(IfOp)
class ConditionOfTheBranchAround(RewritePattern):
    """`if c { … if c { A } else { B } … } else { … } → if c { … A … } else { … }`; in the other branch it is B."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        if op.cond.has_one_use():
            # No other branch asks for it: the walk outward would be in vain at each level of a nest.
            return
        inside = op.parent_region()
        while inside is not None and (around := inside.parent) is not None:
            if isinstance(around, IfOp) and around.cond is op.cond:
                taken = op.then_region if inside is around.then_region else op.else_region
                return take_arm(op, taken, rewriter)
            inside = around.parent_region()


@canonicalizes(IfOp)
class SameInBothBranches(RewritePattern):
    """`r = if c { A; yield x } else { B; yield x } → r = x`, of an outside value, beside what else the branches do."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        for result, a, b in zip(op.output, op.then_yield.values, op.else_yield.values):
            if a is b and result.first_use is not None:
                rewriter.replace_all_uses_with(result, a)


@canonicalizes(IfOp)
class DuplicateResults(RewritePattern):
    """Merges results for which each branch yields the same value twice.

    `r, s = if c { yield a, a } else { yield b, b } → r = if c { yield a } else { yield b }; s = r`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        first: dict[tuple[SSAValue, SSAValue, Attribute], SSAValue] = {}
        for result, a, b in zip(op.output, op.then_yield.values, op.else_yield.values):
            earlier = first.setdefault((a, b, result.type), result)
            if earlier is not result and result.first_use is not None:
                rewriter.replace_all_uses_with(result, earlier)


@canonicalizes(IfOp)
class ConditionAsResult(RewritePattern):
    """`if c { yield true } else { yield false } → c`; the other way round it is `not c`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        for result, a, b in zip(op.output, op.then_yield.values, op.else_yield.values):
            if result.first_use is None or not a.type == b.type == result.type == CONDITION_TYPE:
                continue
            if (if_true := constant_of(a)) is None or (if_false := constant_of(b)) is None:
                continue
            if if_true and not if_false:
                rewriter.replace_all_uses_with(result, op.cond)
            elif if_false and not if_true:
                negation = LogicalNotOp.build(operands=[op.cond], result_types=[CONDITION_TYPE])
                negation.location = op.location
                rewriter.insert(negation)
                rewriter.replace_all_uses_with(result, negation.output)


@canonicalizes(IfOp)
class UnusedResults(RewritePattern):
    """Drops unused results (one stays: an `ov.if` has at least one).

    `r, s = if c { yield a, b } else { yield d, e } → r = if c { yield a } else { yield d }`, if `s` is unused.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        kept = [i for i, r in enumerate(op.output) if r.first_use is not None]
        if not kept or len(kept) == len(op.output):
            return
        for end in (op.then_yield, op.else_yield):
            new = YieldOp.build(operands=[[end.values[i] for i in kept]])
            new.location = end.location
            rewriter.replace(end, new)
        slim = IfOp.of(
            op.cond,
            [op.output[i].type for i in kept],
            rewriter.move_region_contents_to_new_regions(op.then_region),
            rewriter.move_region_contents_to_new_regions(op.else_region),
        )
        slim.attributes |= op.attributes
        slim.location = op.location
        results: list = [None] * len(op.output)
        for position, index in enumerate(kept):
            results[index] = slim.output[position]
        rewriter.replace(op, slim, results)


@canonicalizes(IfOp)
class NegatedCondition(RewritePattern):
    """`if not(c) { A } else { B } → if c { B } else { A }`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        if not isinstance(negation := op.cond.owner, LogicalNotOp):
            return
        swapped = IfOp.of(
            negation.data,
            [r.type for r in op.output],
            rewriter.move_region_contents_to_new_regions(op.else_region),
            rewriter.move_region_contents_to_new_regions(op.then_region),
        )
        swapped.attributes |= op.attributes
        swap_arms(swapped)
        swapped.location = op.location
        rewriter.replace(op, swapped)


@canonicalizes(IfOp)
class CommonFirstOperations(RewritePattern):
    """`if c { a = f(x); … } else { b = f(x); … } → a = f(x); if c { … } else { … }`, for all that hang on nothing else in their branches.

    Branches that are equal are empty then, and go.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        for own, like in common_first(op.then_region.block, op.else_region.block).items():
            own.detach()
            rewriter.insert(own, InsertPoint.before(op))
            rewriter.replace(like, [], own.results)


@canonicalizes(IfOp)
class CommonLastOperation(RewritePattern):
    """`if c { yield f(a) } else { yield f(b) } → f(if c { yield a } else { yield b })`

    The branches compute a and b; or one of them is a single number from elsewhere.

    The branch yields no more data than before: a is no larger than f(a), and nothing else in the branch needs f(a).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        found = common_last(op.output, op.then_region.block, op.else_region.block)
        if not found:
            return

        def rebuild(types: Sequence[Attribute]) -> Operation:
            new = IfOp.of(
                op.cond,
                types,
                rewriter.move_region_contents_to_new_regions(op.then_region),
                rewriter.move_region_contents_to_new_regions(op.else_region),
            )
            new.attributes |= op.attributes
            new.location = op.location
            rewriter.insert(new)
            return new

        ends = op.then_yield, op.else_yield
        rewriter.replace(op, [], move_behind(op.output, found, ends, rebuild, rewriter))
