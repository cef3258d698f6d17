"""Hoisting and sinking of operations common to both branches of `ov.if`.

The branches' common first operations move before it, their common last operations behind it, so that each is computed once.
Each pattern makes the program smaller by one operation for each that it moves (`loomir.dialects.common_operations`
determines the operations that may move).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.common_operations import common_first, common_last, move_behind
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.operators.control_flow import IfOp


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
