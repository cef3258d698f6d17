"""Rewrites of `scf.while`."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars.constants import constant_integer
from loomir.dialects.scalars.predicates import EXCHANGED, OPPOSITE
from loomir.dialects.scf_canonicalization import canonicalizes
from loomir.dialects.scf_canonicalization.branches import boolean
from loomir.dialects.scf_canonicalization.rebuilding import inline_arm, rebuilt


@canonicalizes(scf.WhileOp)
class NeverAgain(RewritePattern):
    """`%r = while (%a = %x) { A(%a); condition(false) %b } do { B } → A(%x); %r = %b`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter) -> None:
        flow = region_flow(op)
        (condition,), first = flow.deciders, flow.entry
        if constant_integer(condition) == 0 and first.target is not None:
            inline_arm(op, first.target, list(first.operands), rewriter)


@canonicalizes(scf.WhileOp)
class ConditionHoldsInside(RewritePattern):
    """Folds the loop condition to true in the second region.

    An equal comparison there is true as well; the opposite comparison is false.

    `while { %c = cmpi ne, %v, %x; condition(%c) %v } do { ^bb(%w): f(cmpi eq, %w, %x) } → while { … } do { ^bb(%w): f(false) }`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter) -> None:
        flow = region_flow(op)
        (condition,) = flow.deciders
        inside = {
            argument: value
            for edge in flow.edges
            if edge.source is flow.entry.target and edge.target is not None
            for value, argument in edge.pairs
        }
        for argument, value in inside.items():
            if value is condition and argument.first_use is not None:
                assert isinstance(argument, BlockArgument)
                first = argument.block.first_op
                assert first is not None
                rewriter.replace_all_uses_with(argument, boolean(True, first, rewriter))
        asked = condition.owner
        if not isinstance(asked, arith.CmpiOp):
            return
        for argument, value in inside.items():
            if value is not asked.lhs and value is not asked.rhs:
                continue
            for use in list(argument.uses):
                comparison = use.operation
                if isinstance(comparison, arith.CmpiOp):
                    holds = _follows(asked, comparison, [inside.get(v, v) for v in comparison.operands])
                    if holds is not None:
                        rewriter.replace(comparison, [], [boolean(holds, comparison, rewriter)])


def _follows(asked: arith.CmpiOp, comparison: arith.CmpiOp, operands: list[SSAValue]) -> bool | None:
    """Return a comparison's result given another that holds, or None if unknown.

    `operands` are the operands of the first comparison.
    """
    predicate = comparison.predicate.value.data
    if operands == [asked.rhs, asked.lhs]:
        predicate = EXCHANGED[predicate]
    elif operands != [asked.lhs, asked.rhs]:
        return None
    holding = asked.predicate.value.data
    return True if predicate == holding else False if predicate == OPPOSITE[holding] else None


@canonicalizes(scf.WhileOp)
class ArgumentsInOrder(RewritePattern):
    """Reorders forwarded arguments of a loop into their own order.

    It applies if a loop forwards all its arguments in another order; the result is the normal form.

    `%r, %s = while (%a, %b) { condition(%c) %b, %a } do { ^bb(%d, %e) A } → %s, %r = while (%a, %b) { condition(%c) %a, %b } do
    { ^bb(%e, %d) A }`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter) -> None:
        flow = region_flow(op)
        arguments = list(flow.entry.inputs)
        way = next(
            edge for edge in flow.edges if edge.source is flow.entry.target and edge.target is not None
        )
        given = list(way.operands)
        if given == arguments or len(given) != len(arguments) or set(given) != set(arguments):
            return
        assert way.target is not None
        block, end = way.target.block, way.forwarder
        place = [given.index(argument) for argument in arguments]
        old = list(block.args)
        for k in place:
            new_argument = rewriter.insert_block_argument(block, len(block.args), old[k].type)
            new_argument.name_hint = old[k].name_hint
            rewriter.replace_all_uses_with(old[k], new_argument)
        for argument in old:
            rewriter.erase_block_argument(argument)
        end.operands = [*end.operands[: way.first], *arguments]
        rewriter.notify_op_modified(end)
        regions = [rewriter.move_region_contents_to_new_regions(region) for region in op.regions]
        new = rebuilt(op, op.operands, [argument.type for argument in arguments], regions)
        rewriter.replace(op, new, [new.results[arguments.index(value)] for value in given])
