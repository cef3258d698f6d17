"""Trip counts of `ov.loop`, and loops of one trip at most.

Trip counts are those of loops that only a count or slices end. Loops of one trip at most are branches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import (
    first_trip_comes,
    has_results_of_no_trip,
    results_of_no_trip,
    static_trips,
)
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp, MinimumOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp
from loomir.dialects.region_flow import owning_block


@dataclass(frozen=True)
class Trips:
    """Trip count of a loop.

    It is `static` if it is one number; `emit` returns it as a `tensor<i64>` in front of the loop.

    A trip count that is negative at run time is no limit: such a loop never ends, and values computed from its trip count are
    never needed while the loop is there. It counts as 0.
    """

    static: int | None
    emit: Callable[[GraphBuilder], SSAValue]


def trips_of(op: LoopOp) -> Trips | None:
    """Return the trip count of a loop, or None.

    None if a condition may end the loop, or if it may run beyond its slices, which is an error.
    """
    if op.cond is not None or op.next.cond is not None:
        return None
    static = static_trips(op)
    if static is not None:
        return Trips(static, lambda build: build.scalar(static, i64))
    trip = op.trip
    if trip is not None:
        if op.sliced or constant_of(trip) is not None:
            return None
        return Trips(None, lambda build: build.make(MaximumOp, trip, build.scalar(0, i64)))
    if not op.sliced or not all(map(is_whole, op.slicings)):
        return None
    if not all(isinstance(value.type, TensorType) for value in op.sliced):
        return None

    def least_extent(build: GraphBuilder) -> SSAValue:
        extents = [extent_of(value, cut, build) for value, cut in zip(op.sliced, op.slicings)]
        least = extents[0]
        for extent in extents[1:]:
            least = build.make(MinimumOp, least, extent)
        return least

    return Trips(None, least_extent)


def is_whole(cut: Slicing) -> bool:
    """Return True if the slicing covers a whole axis, element by element.

    Then there are as many parts as the axis is long, whatever its extent.
    """
    return cut.part_size == 1 and (cut.start, cut.end, cut.stride) in ((0, -1, 1), (-1, 0, -1))


def extent_of(value: SSAValue, cut: Slicing, build: GraphBuilder) -> SSAValue:
    """Return a tensor's extent on the sliced axis, as a `tensor<i64>`.

    The tensor has a known rank.
    """
    axis = cut.normalised_axis(len(tensor_type_of(value).get_shape()))
    return build.make(GatherOp, build.make(ShapeOfOp, value), build.scalar(axis, i64), build.scalar(0, i64))


def comes_from_outside(value: SSAValue, op: LoopOp) -> bool:
    """Return True if the loop's body does not define the value.

    The body itself reads the value, outside of any nested region.
    """
    return owning_block(value) is not op.body.block


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
