"""Axis that a loop traverses step by step.

The loop slices an input, or its body gathers by the iteration number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.canonicalization.loop_trips import is_whole
from loomir.dialects.ov.facts import Dim
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp, SubtractOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.passes.graph.ov_loop_to_lstm_sequence.body import Body, Unmatched


@dataclass(frozen=True)
class TimeAxis:
    """Loop over a whole axis of `x`.

    Iteration i reads `part`, which is at i, or at T - 1 - i if the loop runs `backwards`.
    """

    x: SSAValue
    axis: int
    extent: Dim
    backwards: bool
    part: SSAValue

    def is_place(self, value: SSAValue, body: Body) -> bool:
        """Return True if a number in the body is the slice's position."""
        value = _number(value)
        iteration = body.loop.iteration
        if not self.backwards:
            return value is iteration
        op = value.owner
        if not isinstance(op, SubtractOp) or _number(op.b) is not iteration:
            return False
        last, extent = body.known(op.a), self.extent.static
        if last is not None:
            return last.size == 1 and extent is not None and int(last.reshape(())) == extent - 1
        before = _number(op.a).owner
        if not isinstance(before, SubtractOp):
            return False
        one = body.known(before.b)
        return one is not None and bool((one == 1).all()) and self.is_extent(before.a, body)

    def is_extent(self, value: SSAValue, body: Body) -> bool:
        """Return True if a number is the extent of the axis."""
        largest = _number(value).owner
        if isinstance(largest, MaximumOp):
            # As many as the extent, and 0 at least.
            for one, other in (largest.operands, reversed(largest.operands)):
                least = body.known(other)
                if least is not None and least.size == 1 and int(least.reshape(())) <= 0:
                    return self.is_extent(one, body)
        known = body.known(value)
        if known is not None:
            return known.size == 1 and self.extent.static == int(known.reshape(()))
        gather = _number(value).owner
        if not isinstance(gather, GatherOp) or not isinstance(shape := gather.data.owner, ShapeOfOp):
            return False
        rank, at = body.fact(self.x).rank, body.known(gather.indices)
        if shape.data is not self.x or rank is None or at is None or at.size != 1:
            return False
        return int(at.reshape(())) % rank == self.axis


def time_axis(body: Body) -> TimeAxis:
    """Return the axis that the loop traverses.

    `Unmatched` if the loop does not traverse all of one axis, element by element, or if something else may end it.
    """
    loop = body.loop
    for condition in (loop.cond, loop.next.cond):
        if condition is not None and not _is_true(body.known(condition)):
            raise Unmatched("a condition may end it early")
    if len(loop.sliced) > 1:
        raise Unmatched(f"it cuts {len(loop.sliced)} inputs")
    axis = _sliced(body) if loop.sliced else _gathered(body)
    if (
        loop.trip is not None
        and not (loop.sliced and _is_no_limit(body, loop.trip))
        and not axis.is_extent(loop.trip, body)
    ):
        raise Unmatched("its trip count is not known to be the extent of what it goes over")
    return axis


def _is_true(known: np.ndarray | None) -> bool:
    return known is not None and bool(known.all())


def _is_no_limit(body: Body, trip: SSAValue) -> bool:
    known = body.known(trip)
    return known is not None and int(known.reshape(())) < 0


def _sliced(body: Body) -> TimeAxis:
    """The one input that the loop cuts."""
    loop = body.loop
    (x,), (cut,), (part,) = loop.sliced, loop.slicings, loop.part_arguments
    shape = body.fact(x).shape
    if shape is None:
        raise Unmatched("the rank of what it cuts is not known")
    if cut.part_size != 1:
        raise Unmatched(f"a part has {cut.part_size} steps")
    axis = cut.normalised_axis(len(shape))
    extent = shape[axis].static
    if not is_whole(cut) and (extent is None or cut.trips(extent) != extent):
        raise Unmatched("it does not go over all of what it cuts")
    return TimeAxis(x, axis, shape[axis], cut.stride < 0, part)


def _gathered(body: Body) -> TimeAxis:
    """Return the axis along which the body gathers at the iteration number."""
    found: list[TimeAxis] = []
    for op in body.loop.body.block.ops:
        if isinstance(op, GatherOp) and body.is_outside(op.data) and not body.is_outside(op.indices):
            shape, axis, indices = body.fact(op.data).shape, body.known(op.axis), body.fact(op.indices)
            if (
                shape is None
                or axis is None
                or axis.size != 1
                or to_int(op.batch_dims, 0)
                or indices.elements != Dim(1, 1)
            ):
                continue
            at = normalise_axis(int(axis.reshape(())), len(shape))
            for backwards in (False, True):
                time = TimeAxis(op.data, at, shape[at], backwards, op.output)
                if time.is_place(op.indices, body):
                    found.append(time)
    if len(found) != 1:
        raise Unmatched("it goes over no axis" if not found else f"it goes over {len(found)} inputs")
    if body.loop.trip is None:
        raise Unmatched("nothing says how often it runs")
    return found[0]


def _number(value: SSAValue) -> SSAValue:
    """A single number, whatever its rank and type of integer are."""
    while isinstance(value.owner, SqueezeOp | UnsqueezeOp | ReshapeOp | ConvertOp):
        if isinstance(value.owner, ConvertOp) and value.owner.destination_type not in (i32, i64):
            break  # fewer bits may hold fewer numbers than there are iterations
        value = value.owner.data
    return value
