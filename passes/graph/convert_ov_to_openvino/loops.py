"""Loops as OpenVINO has them.

A TensorIterator has no trip count and no condition: what it slices says how often it runs. A Loop has a trip count, a condition, and
the condition of its body, and cuts and joins single elements, forwards, along axes counted from the front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DenseArrayBase, ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i32
from loomir.dialects.locations import located
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.loop_slices import SliceAttr, Slicing
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.layout import ReverseOp
from loomir.dialects.tensors import set_type
from loomir.dialects.walking import walk
from loomir.errors import Error
from loomir.passes.graph.decompositions.extents import Size, Sizes, rank_of


def express_loops(module: ModuleOp) -> None:
    """Make every loop one that OpenVINO has. Error: `not-in-openvino`, with the loop's place."""
    for op in [op for op in walk(module) if isinstance(op, LoopOp)]:
        try:
            _count_axes_from_the_front(op)
            counted = op.trip is not None or not op.sliced or op.iteration.first_use is not None
            if counted or op.cond is not None or op.next.cond is not None:
                _cut_beforehand(op)
                _join_forwards(op)
                _control(op)
        except Error as error:
            raise located(error, op) from None


def _count_axes_from_the_front(op: LoopOp) -> None:
    for name, values, slicings in (
        ("slices", op.sliced, op.slicings),
        ("concats", op.next.concat, op.concatenations),
    ):
        if any(s.axis < 0 for s in slicings):
            build = GraphBuilder(InsertPoint.before(op), op.location)
            counted = [
                replace(s, axis=s.axis + rank_of(build, value, "what a loop slices")) if s.axis < 0 else s
                for value, s in zip(values, slicings)
            ]
            op.properties[name] = ArrayAttr([SliceAttr(s) for s in counted])


def _cut_beforehand(op: LoopOp) -> None:
    """What is cut backwards is reversed before the loop."""
    build = GraphBuilder(InsertPoint.before(op), op.location)
    first = len(op.operands) - len(op.sliced)
    slices = list(op.slicings)
    for index, slicing in enumerate(slices):
        if slicing == Slicing(slicing.axis, -1, 0, -1, 1):
            axis = build.integers([slicing.axis])
            op.operands[first + index] = build.make(
                ReverseOp, op.sliced[index], axis, attributes={"mode": "index"}
            )
            slices[index] = Slicing(slicing.axis)
    op.properties["slices"] = ArrayAttr([SliceAttr(s) for s in slices])


def _join_forwards(op: LoopOp) -> None:
    """What is joined backwards is reversed after the loop, part by part. Error: `not-in-openvino` for a joining that leaves gaps."""
    concats = list(op.concatenations)
    for index, slicing in enumerate(concats):
        if slicing == Slicing(slicing.axis):
            continue
        backwards = slicing.stride < 0
        usual = (-1, 0) if backwards else (0, -1)
        if (slicing.start, slicing.end) != usual or abs(slicing.stride) != slicing.part_size:
            raise Error("not-in-openvino", f"a Loop has no output that is joined by {slicing}")
        concats[index] = Slicing(slicing.axis)
        _rejoin(op, index, slicing, backwards)
    op.properties["concats"] = ArrayAttr([SliceAttr(s) for s in concats])


def _rejoin(op: LoopOp, index: int, slicing: Slicing, backwards: bool) -> None:
    """Join parts along an axis of their own, reverse that, and make one axis of both."""
    axis, size = slicing.axis, slicing.part_size
    old = op.concat[index]
    inside = GraphBuilder(InsertPoint.before(op.next), op.location)
    after = GraphBuilder(InsertPoint.after(op), op.location)
    uses = list(old.uses)
    value: SSAValue = old
    if size > 1:
        part = op.next.concat[index]
        first = len(op.next.operands) - len(op.next.concat)
        sizes = Sizes(inside)
        extents = sizes.of(part)
        op.next.operands[first + index] = sizes.reshape(part, [*extents[:axis], 1, *extents[axis:]])
        type_ = old.type
        assert isinstance(type_, TensorType)
        extent = type_.get_shape()
        set_type(
            old, TensorType(type_.element_type, [*extent[:axis], DYNAMIC_INDEX, size, *extent[axis + 1 :]])
        )
    if backwards:
        value = after.make(ReverseOp, value, after.integers([axis]), attributes={"mode": "index"})
    if size > 1:
        sizes = Sizes(after)
        extents = sizes.of(value)
        value = sizes.reshape(value, [*extents[:axis], sizes.mul(extents[axis], size), *extents[axis + 2 :]])
    for use in uses:
        use.operation.operands[use.index] = value


def _control(op: LoopOp) -> None:
    """A trip count, a condition, and the condition of the body: constants where there is none."""
    build = GraphBuilder(InsertPoint.before(op), op.location)
    trip = op.trip or (_parts(op, build) if op.sliced else build.constant(np.array(-1, np.int64)))
    cond = op.cond or build.constant(np.array(True))
    carried, sliced = list(op.carried), list(op.sliced)
    end = op.next
    if end.cond is None:
        more = GraphBuilder(InsertPoint.before(end), end.location).constant(np.array(True))
        end.properties["operandSegmentSizes"] = _segments(
            [1, len(end.carried), len(end.last), len(end.concat)]
        )
        end.operands = [more, *end.operands]
    op.properties["operandSegmentSizes"] = _segments([1, 1, len(carried), len(sliced)])
    op.operands = [trip, cond, *carried, *sliced]


def _parts(op: LoopOp, build: GraphBuilder) -> SSAValue:
    """How many parts the sliced inputs have, of those that have the fewest."""
    sizes = Sizes(build)
    counts: list[Size] = []
    for value, slicing in zip(op.sliced, op.slicings):
        if slicing != Slicing(slicing.axis):
            raise Error("not-in-openvino", f"a Loop without a trip count that slices by {slicing}")
        counts.append(sizes.of(value)[slicing.axis])
    least = counts[0]
    for other in counts[1:]:
        least = sizes.min(least, other)
    return sizes.scalar(least)


def _segments(counts: Sequence[int]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, counts)
