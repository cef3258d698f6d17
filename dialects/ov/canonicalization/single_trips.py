"""Loops of one trip at most are branches."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import dtype_of, zeros
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.no_iterations import none_of, without_extents
from loomir.dialects.ov.operators.comparison import LogicalAndOp, NotEqualOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp


@canonicalizes(LoopOp)
class AtMostOneTrip(RewritePattern):
    """A loop whose first iteration, if it comes, is its last is a branch: `loop trip(1) while(c) { A } → if c { A }`.

    Its trip count is 1, or its body's condition is false; the other arm gives what the loop gives after no iteration. Loops over slices
    stay: whether there is a first part may be open.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        again = None if op.next.cond is None else constant_of(op.next.cond)
        stops = again is not None and not bool(again)
        trips = static_trips(op)
        asks_trips = op.trip is not None and constant_of(op.trip) is None
        none = _types_of_no_trip(op)
        if op.sliced or none is None or not (op.cond is not None or asks_trips):
            return
        if not op.results:
            return  # a branch has at least one result; such a loop is there for what may fail in it
        if not (trips == 1 or (stops and (trips is None or trips > 1))):
            return
        build = GraphBuilder(InsertPoint.before(op), op.location)
        condition = op.cond
        if asks_trips and op.trip is not None:
            # A negative trip count is none.
            runs = build.make(NotEqualOp, op.trip, build.like(0, op.trip))
            condition = runs if condition is None else build.make(LogicalAndOp, condition, runs)
        assert condition is not None
        zero = build.constant(np.zeros((), np.int64))
        end, block = op.next, op.body.block
        for argument, value in zip(block.args, [zero, *op.carried]):
            rewriter.replace_all_uses_with(argument, value)
        rewriter.replace(end, YieldOp.build(operands=[[*end.carried, *end.last, *end.concat]]))
        for argument in reversed(block.args):
            rewriter.erase_block_argument(argument)
        otherwise = Block()
        empty = build.inside(otherwise)
        values = [
            *op.carried,
            *(empty.constant(zeros(t.get_shape(), dtype_of(t.element_type))) for t in none),
        ]
        empty.emit(YieldOp.build(operands=[values]))
        branch = IfOp.of(
            condition,
            [r.type for r in op.results],
            rewriter.move_region_contents_to_new_regions(op.body),
            Region(otherwise),
        )
        branch.attributes |= op.attributes
        branch.location = op.location
        rewriter.replace(op, branch)


def _types_of_no_trip(op: LoopOp) -> list[TensorType] | None:
    """The types of the last values and concatenations after no iteration; None where a rank is open."""
    end = op.next
    if not all(isinstance(v.type, TensorType) for v in (*end.last, *end.concat)):
        return None
    joined = zip(end.concat, op.concatenations)
    return [
        *(without_extents(v.type, Slicing()) for v in end.last),
        *(none_of(v.type, cut) for v, cut in joined),
    ]
