"""Loops that run no iteration: detection and results.

The results are the initial values, and zeros beside them.

A concatenation of no part has, on the other axes, the extents that the part of a first iteration would have, as far as
extents and contents of values outside of the loop determine them (docs/semantics.md). So the extents that are known before
the program runs are those that every engine finds at run time.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, BlockArgument, SSAValue

from loomir.dialects.element_types import CodeType, dtype_of, zeros
from loomir.dialects.ov.canonicalization.identities import constant_of, is_static
from loomir.dialects.ov.facts import check_dimensions
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.comparison import LogicalAndOp, NotEqualOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.region_flow import owning_block
from loomir.dialects.tensors import AnyTensor, any_tensor_of, tensor_type_of
from loomir.errors import Error


def without_extents(type_: Attribute, cut: Slicing) -> TensorType:
    """Return the type with 0 for every dynamic extent.

    An unranked type becomes one of some rank that has the axis. Error: `shape-too-large`.
    """
    assert isinstance(type_, AnyTensor)
    if isinstance(type_, TensorType):
        return TensorType(type_.element_type, [0 if e == DYNAMIC_INDEX else e for e in type_.get_shape()])
    rank = max(cut.axis + 1, -cut.axis)
    check_dimensions(rank)
    return TensorType(type_.element_type, [0] * rank)


def none_of(type_: Attribute, cut: Slicing) -> TensorType:
    """The type of the concatenation of no part of a type."""
    part = without_extents(type_, cut)
    shape = list(part.get_shape())
    shape[cut.normalised_axis(len(shape))] = 0
    return TensorType(part.element_type, shape)


def types_of_no_trip(loop: LoopOp) -> list[TensorType]:
    """Return the types of last values and concatenations after no iteration."""
    return [
        *(without_extents(v.type, Slicing()) for v in loop.next.last),
        *(none_of(v.type, cut) for v, cut in zip(loop.next.concat, loop.concatenations)),
    ]


def has_results_of_no_trip(loop: LoopOp) -> bool:
    """Return True if all extents of `results_of_no_trip` are known."""
    return all(is_static(v) and may_be_constant(v) for v in loop.next.last) and all(
        (is_static_beside(v, cut) and may_be_constant(v)) or first_value(loop, v) is not None
        for v, cut in zip(loop.next.concat, loop.concatenations)
    )


def results_of_no_trip(loop: LoopOp, build: GraphBuilder) -> list[SSAValue]:
    """Return the results of a loop that runs no iteration.

    They are the initial values, constants of zeros, and empty slices of values from outside.

    If `has_results_of_no_trip` does not hold, a dynamic extent is 0.
    """
    types = iter(types_of_no_trip(loop))
    results = [*loop.carried, *(zeros_of(next(types), build) for _ in loop.next.last)]
    for value, cut, type_ in zip(loop.next.concat, loop.concatenations, types):
        first = None if is_static_beside(value, cut) else first_value(loop, value)
        if first is None:
            results.append(zeros_of(type_, build))
            continue
        results.append(nothing_of(first, cut, build))
    return results


def nothing_of(value: SSAValue, cut: Slicing, build: GraphBuilder) -> SSAValue:
    """Return an empty slice of a tensor along a slicing's axis.

    The tensor has a known rank; the other extents are the tensor's.
    """
    axis = build.integers([cut.normalised_axis(len(tensor_type_of(value).get_shape()))])
    none = build.integers([0])
    return build.make(SliceOp, value, none, none, build.integers([1]), axis)


def is_static_beside(value: SSAValue, cut: Slicing) -> bool:
    """Return True if a part is static on all axes but one.

    The exception is the axis along which the parts are joined.
    """
    if not isinstance(value.type, TensorType):
        return False
    shape = value.type.get_shape()
    axis = cut.normalised_axis(len(shape))
    return DYNAMIC_INDEX not in (*shape[:axis], *shape[axis + 1 :])


def first_value(loop: LoopOp, part: SSAValue) -> SSAValue | None:
    """Return a value from outside with the first part's extents, or None.

    Its extents may differ on the axis of a slice. None if the body computes the part.
    """
    if isinstance(part, BlockArgument) and part.block is loop.body.block:
        outside = dict(zip(loop.carried_arguments, loop.carried)).get(part)
    else:
        outside = part if owning_block(part) is not loop.body.block else None
    return outside if outside is not None and isinstance(outside.type, TensorType) else None


def may_be_constant(value: SSAValue) -> bool:
    """Return True if there are constants of a tensor's element type."""
    return not isinstance(any_tensor_of(value).element_type, CodeType)


def zeros_of(type_: TensorType, build: GraphBuilder) -> SSAValue:
    """Return a constant of zeros of a static type.

    Error: `graph-only-type` for codes, of which there are no constants.
    """
    if isinstance(type_.element_type, CodeType):
        raise Error("graph-only-type", f"there are no constants of type {type_}")
    return build.constant(zeros(type_.get_shape(), dtype_of(type_.element_type)))


def first_trip_comes(loop: LoopOp, build: GraphBuilder) -> SSAValue | None:
    """Return the condition for a first iteration; None if it always runs.

    The condition follows from the operands of a loop without slices. A negative trip count is no limit.
    """
    trip = None if loop.trip is None else constant_of(loop.trip)
    if loop.trip is None or (trip is not None and int(trip.reshape(())) != 0):
        return loop.cond
    runs = build.make(NotEqualOp, loop.trip, build.like(0, loop.trip))
    return runs if loop.cond is None else build.make(LogicalAndOp, runs, loop.cond)
