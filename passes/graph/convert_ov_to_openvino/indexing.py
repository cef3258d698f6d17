"""Broadcasts, changes of shape, slices, gathers, slots, and failures.

- Broadcasts that change nothing.
- Pad by a computed number: OpenVINO's plugins take zeros for such a number.
- Squeeze with an error for non-unit dimensions: OpenVINO's Squeeze keeps a dimension that is not 1. Reshape that changes nothing.
- StridedSlice: its masks are of one length, and of zeros and ones.
- Gather with an error for out-of-range indices: OpenVINO's Gather returns 0 for an index out of range. GatherElements of partial
  data.
- Rows and slots, by cutting and joining.
- Operations that stop a program: `ov.require`, `ov.check_bounds`, `ov.fail`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, UnknownLoc
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, i1, i32, i64, zeros
from loomir.dialects.ov.attributes import to_bool, to_int, to_ints, to_str
from loomir.dialects.ov.graph_builder import GraphBuilder, static_extents
from loomir.dialects.ov.inference import surely_on_axis
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp
from loomir.dialects.ov.operators.comparison import (
    EqualOp,
    GreaterEqualOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    SelectOp,
)
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.gathering import GatherElementsOp, GatherOp
from loomir.dialects.ov.operators.internal import (
    CheckBoundsOp,
    FailOp,
    FromSlotOp,
    RequireOp,
    RowEraseOp,
    RowInsertOp,
    ToSlotOp,
)
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp, ReduceProdOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp, StridedSliceOp
from loomir.dialects.ov.shape_rules import normalise_axes, normalise_axis
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks, always_stops
from loomir.passes.graph.convert_ov_to_openvino.legalization import legalizes
from loomir.passes.graph.lib.decompositions import Size, Sizes


@legalizes(BroadcastOp)
def broadcast(op: BroadcastOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Return the operand if it has the extents of the result.

    OpenVINO 2026 crashes if the operand is an output of the model too.
    """
    return [op.data] if op.output.type == op.data.type and static_extents(op.data) is not None else None


@legalizes(PadOp)
def pad(op: PadOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Pad with zeros and select the padding number afterwards.

    The number is selected where ones that are padded with zeros are zero.
    """
    if op.pad_value is None or to_str(op.pad_mode, "constant") != "constant":
        return None
    if checks.fact(op.pad_value).value is not None:
        return None
    attributes = {"pad_mode": "constant"}
    one = build.constant(np.array(1, np.int32))
    ones = build.make(BroadcastOp, one, build.make(ShapeOfOp, op.data))
    inside = build.make(PadOp, ones, op.pads_begin, op.pads_end, build.scalar(0, i32), attributes=attributes)
    inside = build.make(ConvertOp, inside, attributes={"destination_type": i1})
    zero = build.like(0, op.data)
    padded = build.make(PadOp, op.data, op.pads_begin, op.pads_end, zero, attributes=attributes)
    return [build.make(SelectOp, inside, padded, op.pad_value)]


@legalizes(ReshapeOp)
def reshape(op: ReshapeOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Remove a Reshape of a scalar to a scalar.

    The reader puts it before a condition whose rank it does not know yet.
    """
    return [op.data] if build.fact(op.data).rank == 0 and op.output.type == op.data.type else None


@legalizes(SqueezeOp)
def squeeze(op: SqueezeOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Replace a strict Squeeze by one that keeps non-unit dimensions.

    If such dimensions are possible, the data are checked to have none.
    """
    if op.strict is None:
        return None
    data = op.data
    if to_bool(op.strict, False) and checks.keep and op.axes is not None:
        data = _of_ones(op, op.axes, build, checks)
    attributes = {name: value for name, value in op.properties.items() if name != "strict"}
    return [build.make(SqueezeOp, data, op.axes, attributes=attributes)]


def _of_ones(op: SqueezeOp, axes: SSAValue, build: GraphBuilder, checks: Checks) -> SSAValue:
    fact, named = checks.fact(op.data), checks.fact(axes).value
    if fact.shape is None:
        raise Error(
            "not-in-openvino",
            "squeezed dimensions cannot be checked in OpenVINO if the rank is not known",
            hint="fix the shapes of the inputs, or leave the checks out",
        )
    if named is None:
        return checks.require(build, op.data, _all_of_one(op.data, axes, build))
    sizes = Sizes(build).of(op.data)
    condition: SSAValue | None = None
    for axis in normalise_axes(named.reshape(-1), len(fact.shape)):
        size = sizes[axis]
        if isinstance(size, int):
            continue  # The operation's own rule refuses any but 1.
        one = build.make(EqualOp, size, build.integers([1]))
        condition = one if condition is None else build.make(LogicalAndOp, condition, one)
    if condition is None:
        return op.data
    scalar = build.make(ReduceLogicalAndOp, condition, build.integers([0]), attributes={"keep_dims": False})
    return checks.require(build, op.data, scalar)


def _all_of_one(data: SSAValue, axes: SSAValue, build: GraphBuilder) -> SSAValue:
    """Emit a test that the extents of computed axes are 1."""
    places = build.make(ReshapeOp, axes, build.integers([-1]))
    extents = build.make(GatherOp, build.make(ShapeOfOp, data), places, build.scalar(0, i64))
    of_one = build.make(EqualOp, extents, build.integers([1]))
    return build.make(ReduceLogicalAndOp, of_one, build.integers([0]), attributes={"keep_dims": False})


@legalizes(UnsqueezeOp)
def unsqueeze(op: UnsqueezeOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """The data themselves."""
    axes = checks.fact(op.axes).value
    return [op.data] if axes is not None and axes.size == 0 else None


@legalizes(StridedSliceOp)
def strided_slice(op: StridedSliceOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Fit the masks to the number of positions.

    If this number is unknown, the length is that of the longest mask. Missing entries are 0; entries beyond the positions
    have no effect.
    """
    masks = {name: to_ints(mask) for name, mask in op.properties.items() if isinstance(mask, DenseArrayBase)}
    extents = checks.fact(op.begin).shape
    places = extents[0].static if extents else None
    length = max(map(len, masks.values()), default=0) if places is None else places
    fitted = {name: [int(m != 0) for m in [*mask, *([0] * length)][:length]] for name, mask in masks.items()}
    if all(list(masks[name]) == fitted[name] for name in masks):
        return None
    operands = (op.data, op.begin, op.end, op.strides)
    return [build.make(StridedSliceOp, *operands, attributes={**op.properties, **fitted})]


@legalizes(GatherOp)
def gather(op: GatherOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Replace a Gather by one that returns 0 for out-of-range indices.

    Indices that are not known to be in range are checked.
    """
    if op.out_of_range is None:
        return None
    indices = op.indices
    if op.checks_indices and checks.keep:
        indices = _inside(op, build, checks)
    attributes = {name: value for name, value in op.properties.items() if name != "out_of_range"}
    return [build.make(GatherOp, op.data, indices, op.axis, attributes=attributes)]


def _inside(op: GatherOp, build: GraphBuilder, checks: Checks) -> SSAValue:
    data, indices, axis = (checks.fact(operand) for operand in op.operands)
    if data.shape is None or indices.rank is None or axis.value is None:
        raise Error(
            "not-in-openvino",
            "indices cannot be checked in OpenVINO if the rank or axis is not known",
            hint="fix the shapes of the inputs, or leave the checks out",
        )
    if surely_on_axis(data, axis, indices):
        return op.indices
    if indices.value is not None and data.static is not None:
        never = checks.never(build, op)
        if never is None:
            raise always_stops("an index is out of range")
        return checks.require(build, op.indices, never)
    place = normalise_axis(int(axis.value.reshape(())), len(data.shape))
    sizes = Sizes(build)
    extent = sizes.value(sizes.of(op.data)[place])
    wide = op.indices
    if indices.element != i64:
        wide = build.make(ConvertOp, wide, attributes={"destination_type": i64})
    low = build.make(GreaterEqualOp, wide, build.make(NegativeOp, extent))
    inside = build.make(LogicalAndOp, low, build.make(LessOp, wide, extent))
    # (Compared with one element, a scalar has one dimension.)
    axes = build.integers(range(max(indices.rank, 1)))
    condition = build.make(ReduceLogicalAndOp, inside, axes, attributes={"keep_dims": False})
    return checks.require(build, op.indices, condition)


@legalizes(GatherElementsOp)
def gather_elements(op: GatherElementsOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Gather from only as much data as there are indices.

    This applies to the axes other than the gathering axis, where OpenVINO requires equal extents.
    """
    data, indices = checks.fact(op.data).shape, checks.fact(op.indices).shape
    if data is None or indices is None:
        return None
    axis = normalise_axis(to_int(op.axis), len(data))
    cut = {
        k: extent.static
        for k, (whole, extent) in enumerate(zip(data, indices))
        if k != axis and None not in (whole.static, extent.static) and whole.static != extent.static
    }
    if not cut:
        return None
    lengths = [length for length in cut.values() if length is not None]
    part = build.make(
        SliceOp, op.data, build.integers([0] * len(cut)), build.integers(lengths), build.integers([1] * len(cut)),
        build.integers(list(cut)),
    )  # fmt: skip
    return [build.make(GatherElementsOp, part, op.indices, attributes=op.properties)]


_FAR = (1 << 31) - 1
"""Behind every row."""


@legalizes(RowInsertOp)
def row_insert(op: RowInsertOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """The rows before the position, the row, the others."""
    at = _position(op.data, op.position, 0, build, checks)
    before = _rows(build, op.data, build.integers([0]), at)
    behind = _rows(build, op.data, at, build.integers([_FAR]))
    return [build.make(ConcatOp, [before, op.row, behind], attributes={"axis": 0})]


@legalizes(RowEraseOp)
def row_erase(op: RowEraseOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """The rows before the position, and those behind it."""
    at = _position(op.data, op.position, 1, build, checks)
    before = _rows(build, op.data, build.integers([0]), at)
    next_ = build.make(AddOp, at, build.integers([1]))
    return [
        build.make(
            ConcatOp, [before, _rows(build, op.data, next_, build.integers([_FAR]))], attributes={"axis": 0}
        )
    ]


@legalizes(ToSlotOp)
def to_slot(op: ToSlotOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Flatten the elements and pad them with zeros to a slot's length.

    Extents that may not fit are checked.
    """
    data = op.data
    sizes = Sizes(build)
    length = prod(op.extents)
    if checks.keep:
        for size, most in zip(sizes.of(data), op.extents):
            if not isinstance(size, int):
                data = checks.require(
                    build, data, _all_hold(build, build.make(LessEqualOp, size, build.integers([most])))
                )
    flat = sizes.reshape(data, [sizes.product(sizes.of(data))])
    nothing = build.constant(np.asarray(zeros((length,), dtype_of(build.fact(data).element))))
    whole = build.make(ConcatOp, [flat, nothing], attributes={"axis": 0})
    return [sizes.reshape(_rows(build, whole, build.integers([0]), build.integers([length])), [1, length])]


@legalizes(FromSlotOp)
def from_slot(op: FromSlotOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Return the slot's first elements in the given shape.

    The shape determines their number.
    """
    sizes = Sizes(build)
    shape = op.shape
    if build.fact(shape).element != i64:
        shape = build.make(ConvertOp, shape, attributes={"destination_type": i64})
    if checks.keep and any(least != most for least, most in op.limits):
        least, most = zip(*op.limits)
        enough = build.make(GreaterEqualOp, shape, build.integers(least))
        few = build.make(LessEqualOp, shape, build.integers(most))
        shape = checks.require(build, shape, _all_hold(build, build.make(LogicalAndOp, enough, few)))
    extents: list[Size] = [
        least if least == most else sizes.element(shape, k) for k, (least, most) in enumerate(op.limits)
    ]
    count = build.make(
        ReduceProdOp, sizes.vector(extents), build.integers([0]), attributes={"keep_dims": True}
    )
    return [sizes.reshape(_rows(build, op.slot, build.integers([0]), count), extents)]


def _position(
    data: SSAValue, position: SSAValue, least: int, build: GraphBuilder, checks: Checks
) -> SSAValue:
    """Return a position counted from the front, as `tensor<1xi64>`.

    At least `least` rows must follow from this position on.
    """
    sizes = Sizes(build)
    count = sizes.value(sizes.of(data)[0])
    if build.fact(position).element != i64:
        position = build.make(ConvertOp, position, attributes={"destination_type": i64})
    position = sizes.reshape(position, [1])
    zero = build.integers([0])
    at = build.make(
        SelectOp, build.make(LessOp, position, zero), build.make(AddOp, position, count), position
    )
    if not checks.keep:
        return at
    end = build.make(AddOp, at, build.integers([least]))
    inside = build.make(
        LogicalAndOp, build.make(GreaterEqualOp, at, zero), build.make(LessEqualOp, end, count)
    )
    return checks.require(build, at, _all_hold(build, inside))


def _all_hold(build: GraphBuilder, conditions: SSAValue) -> SSAValue:
    """Emit a scalar that is true if all elements hold.

    The elements are those of a 1-D boolean.
    """
    return build.make(ReduceLogicalAndOp, conditions, build.integers([0]), attributes={"keep_dims": False})


def _rows(build: GraphBuilder, data: SSAValue, start: SSAValue, stop: SSAValue) -> SSAValue:
    return build.make(SliceOp, data, start, stop, build.integers([1]), build.integers([0]))


@legalizes(RequireOp)
def require(op: RequireOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """The value; asked is what is not known to hold."""
    condition = checks.fact(op.condition).value
    if condition is not None and bool(condition):
        return [op.value]
    return [checks.require(build, op.value, op.condition)]


@legalizes(CheckBoundsOp)
def check_bounds(op: CheckBoundsOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """The value; asked are the extents that may be too large."""
    fact = checks.fact(op.value)
    if not checks.keep or op.accepts([fact]):
        return [op.value]
    if fact.shape is None:
        raise Error("not-in-openvino", "bounds cannot be checked in OpenVINO if the rank is not known")
    holds: SSAValue | None = None
    sizes = Sizes(build)
    for size, most in zip(sizes.of(op.value), op.most):
        if isinstance(size, int) or most is None:
            continue
        one = build.make(LessEqualOp, size, build.integers([most]))
        holds = one if holds is None else build.make(LogicalAndOp, holds, one)
    if holds is None:
        return [op.value]
    condition = build.make(ReduceLogicalAndOp, holds, build.integers([0]), attributes={"keep_dims": False})
    return [checks.require(build, op.value, condition)]


@legalizes(FailOp)
def fail(op: FailOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Replace a failure by zeros, with a check that does not hold.

    Error: `not-in-openvino` if nothing decides whether the failure runs.
    """
    never = checks.never(build, op)
    if never is None:
        raise always_stops(op.reason.data)
    values: list[SSAValue] = []
    for result in op.results:
        fact = build.fact(result)
        extents = [extent.lo if extent.static is None else extent.static for extent in fact.shape or ()]
        nothing = build.constant(np.asarray(zeros(extents, dtype_of(fact.element))))
        values.append(checks.require(build, nothing, never))
    for new in build.emitted:
        # The reader finds out again that this always fails: what it puts there must have the names that this has.
        new.location = UnknownLoc()
    return values
