"""Loops of one trip at most are branches."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Block, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.no_iterations import first_trip_comes, has_results_of_no_trip, results_of_no_trip
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp


@canonicalizes(LoopOp)
class AtMostOneTrip(RewritePattern):
    """`loop trip(1) while(c) { A } → if c { A }`

    Replaces a loop that runs at most once by a branch: its trip count is 1, or its body's condition is false. The other arm
    yields the loop's results after no iteration. Loops over slices stay: the existence of a first part may be unknown. So do
    loops with parts whose extents are known only from the body.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        if op.sliced or not op.results:
            return  # a branch has at least one result; a loop without is there for what may fail in it
        if not has_results_of_no_trip(op):
            return
        again = None if op.next.cond is None else constant_of(op.next.cond)
        stops = again is not None and not bool(again)
        trips = static_trips(op)
        if not (trips == 1 or (stops and (trips is None or trips > 1))):
            return
        build = GraphBuilder(InsertPoint.before(op), op.location)
        condition = first_trip_comes(op, build)
        if condition is None:
            return  # not a branch: it comes
        otherwise = Block()
        empty = build.inside(otherwise)
        empty.emit(YieldOp.build(operands=[results_of_no_trip(op, empty)]))
        zero = build.constant(np.zeros((), np.int64))
        end, block = op.next, op.body.block
        for argument, value in zip(block.args, [zero, *op.carried]):
            rewriter.replace_all_uses_with(argument, value)
        rewriter.replace(end, YieldOp.build(operands=[[*end.carried, *end.last, *end.concat]]))
        for argument in reversed(block.args):
            rewriter.erase_block_argument(argument)
        branch = IfOp.of(
            condition,
            [r.type for r in op.results],
            rewriter.move_region_contents_to_new_regions(op.body),
            Region(otherwise),
        )
        branch.attributes |= op.attributes
        branch.location = op.location
        rewriter.replace(op, branch)
