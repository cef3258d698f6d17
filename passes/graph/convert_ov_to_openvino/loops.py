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
    """Convert every loop to a form that OpenVINO has.

    Error: `not-in-openvino`, with the loop's place.
    """
    for op in [op for op in walk(module) if isinstance(op, LoopOp)]:
        try:
            count_axes_from_the_front(op)
            if not is_iterator(op):
                _cut_beforehand(op)
                _join_forwards(op)
                _control(op)
        except Error as error:
            raise located(error, op) from None


def is_iterator(op: LoopOp) -> bool:
    """Return True if a loop is a TensorIterator.

    Only its slices end such a loop, and it does not read the iteration number.
    """
    controls = (op.trip, op.cond, op.next.cond, op.iteration.first_use)
    return bool(op.sliced) and all(control is None for control in controls)


def count_axes_from_the_front(op: LoopOp) -> None:
    """Normalise the axes of a loop's slices and concatenations.

    They are counted from the front. Error: `unknown-rank`.
    """
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
    """Reverse inputs that are sliced backwards before the loop."""
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
    """Reverse outputs that are concatenated backwards after the loop, part by part.

    Error: `not-in-openvino` for a concatenation that leaves gaps.
    """
    concats = list(op.concatenations)
    for index, slicing in enumerate(concats):
        if slicing == Slicing(slicing.axis):
            continue
        backwards = slicing.stride < 0
        usual = (-1, 0) if backwards else (0, -1)
        if (slicing.start, slicing.end) != usual or abs(slicing.stride) != slicing.part_size:
            raise Error("not-in-openvino", f"a Loop has no output that is joined by {slicing}")
        concats[index] = Slicing(slicing.axis)
        rejoin(op, index, slicing.axis, backwards=backwards, apart=slicing.part_size > 1)
    op.properties["concats"] = ArrayAttr([SliceAttr(s) for s in concats])


def rejoin(op: LoopOp, index: int, axis: int, *, backwards: bool, apart: bool) -> None:
    """Concatenate the parts of a result forwards, and rearrange them afterwards.

    With `apart` the parts are concatenated along an axis of their own. After the loop they are reversed, and both axes are
    merged into one. The caller specifies how the loop itself concatenates the parts.
    """
    old = op.concat[index]
    inside = GraphBuilder(InsertPoint.before(op.next), op.location)
    after = GraphBuilder(InsertPoint.after(op), op.location)
    uses = list(old.uses)
    value: SSAValue = old
    if apart:
        part = op.next.concat[index]
        first = len(op.next.operands) - len(op.next.concat)
        sizes = Sizes(inside)
        extents = sizes.of(part)
        op.next.operands[first + index] = sizes.reshape(part, [*extents[:axis], 1, *extents[axis:]])
        type_ = old.type
        assert isinstance(type_, TensorType)
        extent = list(type_.get_shape())
        size = extents[axis]
        extent[axis : axis + 1] = [DYNAMIC_INDEX, size if isinstance(size, int) else DYNAMIC_INDEX]
        set_type(old, TensorType(type_.element_type, extent))
    if backwards:
        value = after.make(ReverseOp, value, after.integers([axis]), attributes={"mode": "index"})
    if apart:
        sizes = Sizes(after)
        extents = sizes.of(value)
        joined = sizes.mul(extents[axis], extents[axis + 1])
        value = sizes.reshape(value, [*extents[:axis], joined, *extents[axis + 2 :]])
    for use in uses:
        use.operation.operands[use.index] = value


def _control(op: LoopOp) -> None:
    """Set a trip count, a condition and the body's condition.

    Missing ones become constants.
    """
    build = GraphBuilder(InsertPoint.before(op), op.location)
    trip = op.trip or (parts_of(op, build) if op.sliced else build.constant(np.array(-1, np.int64)))
    cond = op.cond or build.constant(np.array(True))
    end = op.next
    if end.cond is None:
        more = GraphBuilder(InsertPoint.before(end), end.location).constant(np.array(True))
        end.properties["operandSegmentSizes"] = _segments(
            [1, len(end.carried), len(end.last), len(end.concat)]
        )
        end.operands = [more, *end.operands]
    set_operands(op, trip, cond, op.carried, op.sliced)


def set_operands(
    op: LoopOp,
    trip: SSAValue | None,
    cond: SSAValue | None,
    carried: Sequence[SSAValue],
    sliced: Sequence[SSAValue],
) -> None:
    """Give a loop other operands."""
    groups = [[] if trip is None else [trip], [] if cond is None else [cond], list(carried), list(sliced)]
    op.properties["operandSegmentSizes"] = _segments([len(group) for group in groups])
    op.operands = [value for group in groups for value in group]


def parts_of(op: LoopOp, build: GraphBuilder) -> SSAValue:
    """Return the least number of parts of the sliced inputs.

    Error: `not-in-openvino` for a range of an extent that is not known.
    """
    sizes = Sizes(build)
    counts: list[Size] = []
    for value, slicing in zip(op.sliced, op.slicings):
        extent = sizes.of(value)[slicing.axis]
        if isinstance(extent, int):
            counts.append(slicing.trips(extent))
        elif (slicing.start, slicing.end) == ((0, -1) if slicing.stride > 0 else (-1, 0)):
            counts.append(sizes.floordiv(extent, slicing.part_size))
        else:
            raise Error("not-in-openvino", f"a Loop without a trip count that slices by {slicing}")
    least = counts[0]
    for other in counts[1:]:
        least = sizes.min(least, other)
    return sizes.scalar(least)


def _segments(counts: Sequence[int]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, counts)
