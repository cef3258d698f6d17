"""How often a loop runs that only its trip count or its slices end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp, MinimumOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp
from loomir.dialects.region_flow import owning_block
from loomir.dialects.tensors import tensor_type_of


@dataclass(frozen=True)
class Trips:
    """The number of iterations: `static` where it is one number; `emit` gives it as a `tensor<i64>` in front of the loop.

    A trip count that is negative when the program runs is none: such a loop never ends, and what is computed of its trips is never
    asked for while it is there. It counts as 0.
    """

    static: int | None
    emit: Callable[[GraphBuilder], SSAValue]


def trips_of(op: LoopOp) -> Trips | None:
    """How often a loop runs; None where a condition may end it, or where it may run beyond its slices, which is an error."""
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
    """Whether a slicing goes over all of an axis, element by element: its parts are as many as the axis is long, whatever that is."""
    return cut.part_size == 1 and (cut.start, cut.end, cut.stride) in ((0, -1, 1), (-1, 0, -1))


def extent_of(value: SSAValue, cut: Slicing, build: GraphBuilder) -> SSAValue:
    """The extent of a tensor of known rank on the axis of a slicing, as a `tensor<i64>`."""
    axis = cut.normalised_axis(len(tensor_type_of(value).get_shape()))
    return build.make(GatherOp, build.make(ShapeOfOp, value), build.scalar(axis, i64), build.scalar(0, i64))


def comes_from_outside(value: SSAValue, op: LoopOp) -> bool:
    """Whether a value that the loop's body itself reads, in no region of it, is defined outside of the body."""
    return owning_block(value) is not op.body.block
