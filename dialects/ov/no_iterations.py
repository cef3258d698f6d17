"""A loop that runs no iteration: whether that is so, and what it gives then: zeros of these types beside what it began with."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of, zeros
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.comparison import LogicalAndOp, NotEqualOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.tensors import AnyTensor


def without_extents(type_: Attribute, cut: Slicing) -> TensorType:
    """The type with 0 for every extent that is open; of some rank that has the axis where the rank is open."""
    assert isinstance(type_, AnyTensor)
    shape = (
        type_.get_shape() if isinstance(type_, TensorType) else [DYNAMIC_INDEX] * max(cut.axis + 1, -cut.axis)
    )
    return TensorType(type_.element_type, [0 if e == DYNAMIC_INDEX else e for e in shape])


def none_of(type_: Attribute, cut: Slicing) -> TensorType:
    """The type of the concatenation of no part of a type."""
    part = without_extents(type_, cut)
    shape = list(part.get_shape())
    shape[cut.normalised_axis(len(shape))] = 0
    return TensorType(part.element_type, shape)


def types_of_no_trip(loop: LoopOp) -> list[TensorType]:
    """The types of the last values and of the concatenations after no iteration."""
    return [
        *(without_extents(v.type, Slicing()) for v in loop.next.last),
        *(none_of(v.type, cut) for v, cut in zip(loop.next.concat, loop.concatenations)),
    ]


def results_of_no_trip(loop: LoopOp, build: GraphBuilder) -> list[SSAValue]:
    """The results of a loop that runs no iteration: what it began with, and constants of zeros."""
    return [
        *loop.carried,
        *(build.constant(zeros(t.get_shape(), dtype_of(t.element_type))) for t in types_of_no_trip(loop)),
    ]


def first_trip_comes(loop: LoopOp, build: GraphBuilder) -> SSAValue | None:
    """Whether the first iteration of a loop over no slices comes, by its operands; None where it always does.

    A negative trip count is none.
    """
    trip = None if loop.trip is None else constant_of(loop.trip)
    if loop.trip is None or (trip is not None and int(trip.reshape(())) != 0):
        return loop.cond
    runs = build.make(NotEqualOp, loop.trip, build.like(0, loop.trip))
    return runs if loop.cond is None else build.make(LogicalAndOp, runs, loop.cond)
