"""Rewrites of `ov.if`."""

from __future__ import annotations

from xdsl.ir import Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.operators.comparison import LogicalNotOp
from loomir.dialects.ov.operators.control_flow import IfOp, YieldOp


@canonicalizes(IfOp)
class KnownCondition(RewritePattern):
    """`if true { A } else { B } → A`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        condition = constant_of(op.cond)
        if condition is None:
            return
        _take(op, op.then_region if bool(condition) else op.else_region, rewriter)


@canonicalizes(IfOp)
class ConditionOfTheBranchAround(RewritePattern):
    """`if c { … if c { A } else { B } … } else { … } → if c { … A … } else { … }`; in the other branch it is B."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        inside = op.parent_region()
        while inside is not None and (around := inside.parent) is not None:
            if isinstance(around, IfOp) and around.cond is op.cond:
                taken = op.then_region if inside is around.then_region else op.else_region
                return _take(op, taken, rewriter)
            inside = around.parent_region()


def _take(op: IfOp, region: Region, rewriter: PatternRewriter) -> None:
    """The branch that is always taken stands in the place of the operation."""
    end = region.block.last_op
    assert isinstance(end, YieldOp)
    values = list(end.values)
    rewriter.erase(end)
    rewriter.inline_block(region.block, InsertPoint.before(op))
    rewriter.replace(op, [], values)


@canonicalizes(IfOp)
class SameInBothBranches(RewritePattern):
    """A result for which both branches yield the same outside value is that value."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        for result, a, b in zip(op.output, op.then_yield.values, op.else_yield.values):
            if a is b and result.first_use is not None:
                rewriter.replace_all_uses_with(result, a)


@canonicalizes(IfOp)
class UnusedResults(RewritePattern):
    """Results that nothing uses are dropped (one stays: an `ov.if` has at least one)."""

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
        swapped.location = op.location
        rewriter.replace(op, swapped)
