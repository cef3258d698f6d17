"""Rewrites of two `scf.if`, consecutive or nested."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import Block, OpResult, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.region_flow import terminator
from loomir.dialects.scf_canonicalization import canonicalizes
from loomir.dialects.scf_canonicalization.branches import negated
from loomir.dialects.scf_canonicalization.rebuilding import rebuilt


@canonicalizes(scf.IfOp)
class NextToOneOfTheSameCondition(RewritePattern):
    """`if c { A } if c { B } → if c { A; B }`, and `if c { A } if not c { B } → if c { A } else { B }`.

    What the second reads of the first's results is, in each arm, what the first hands on there.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        first = op.prev_op
        if not isinstance(first, scf.IfOp):
            return
        if first.cond is op.cond:
            swapped = False
        elif negated(op.cond) is first.cond or (negated(first.cond) is op.cond):
            swapped = True
        else:
            return
        types = [result.type for result in (*first.output, *op.output)]
        seconds = [op.false_region, op.true_region] if swapped else [op.true_region, op.false_region]
        arms = [
            _joined(first, a, op, b, rewriter)
            for a, b in zip((first.true_region, first.false_region), seconds)
        ]
        new = rebuilt(first, [first.cond], types, arms)
        rewriter.insert(new, InsertPoint.before(op))
        count = len(first.output)
        rewriter.replace(op, [], new.results[count:])
        rewriter.replace(first, [], new.results[:count])


def _joined(first: scf.IfOp, a: Region, second: scf.IfOp, b: Region, rewriter: PatternRewriter) -> Region:
    """An arm of the first branch, then one of the second."""
    for region in (a, b):
        if not region.blocks:
            region.add_block(Block([scf.YieldOp()]))
    end, last = terminator(a.block), terminator(b.block)
    for result, value in zip(first.output, end.operands):
        rewriter.replace_uses_with_if(result, value, lambda use: b.is_ancestor(use.operation))
    both = scf.YieldOp(*end.operands, *last.operands)
    both.location = end.location
    rewriter.erase(last)
    rewriter.inline_block(b.block, InsertPoint.before(end))
    rewriter.replace(end, both, [])
    return rewriter.move_region_contents_to_new_regions(a)


@canonicalizes(scf.IfOp)
class OnlyABranchInside(RewritePattern):
    """`if a { if b { A } else { yield %y } } else { yield %y } → if a and b { A } else { yield %y }`.

    All that the outer one gives is of the inner one, and where either is not taken it is the same.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        inner, end = op.true_region.block.first_op, terminator(op.true_region.block)
        if not isinstance(inner, scf.IfOp) or inner.next_op is not end:
            return
        if not all(_is_empty(region) for region in (op.false_region, inner.false_region)):
            return
        numbers = [v.index if isinstance(v, OpResult) and v.op is inner else None for v in end.operands]
        here = list(terminator(inner.true_region.block).operands)
        there = list(terminator(inner.false_region.block).operands) if inner.false_region.blocks else []
        otherwise = list(terminator(op.false_region.block).operands) if op.false_region.blocks else []
        if any(k is None or there[k] is not value for k, value in zip(numbers, otherwise)):
            return
        both = arith.AndIOp(op.cond, inner.cond)
        both.location = op.location
        rewriter.insert(both, InsertPoint.before(op))
        new_end = scf.YieldOp(*(here[k] for k in numbers if k is not None))
        new_end.location = end.location
        rewriter.replace(terminator(inner.true_region.block), new_end, [])
        arms = [rewriter.move_region_contents_to_new_regions(r) for r in (inner.true_region, op.false_region)]
        types = [result.type for result in op.output]
        new = rebuilt(op, [both.result], types, arms)
        rewriter.insert(new, InsertPoint.before(op))
        rewriter.replace(op, [], new.results)


def _is_empty(region: Region) -> bool:
    return not region.blocks or region.block.first_op is region.block.last_op
