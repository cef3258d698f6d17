"""Rows and slots, by cutting and joining."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, i64, zeros
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import (
    GreaterEqualOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    SelectOp,
)
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp, ReduceProdOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.operators.slots import FromSlotOp, RowEraseOp, RowInsertOp, ToSlotOp
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses
from loomir.passes.graph.decompositions.extents import Size, Sizes

_FAR = (1 << 31) - 1
"""Behind every row."""


@expresses(RowInsertOp)
def row_insert(op: RowInsertOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """The rows before the position, the row, the others."""
    at = _place(op.data, op.position, 0, build, checks)
    before = _rows(build, op.data, build.integers([0]), at)
    behind = _rows(build, op.data, at, build.integers([_FAR]))
    return [build.make(ConcatOp, [before, op.row, behind], attributes={"axis": 0})]


@expresses(RowEraseOp)
def row_erase(op: RowEraseOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """The rows before the position, and those behind it."""
    at = _place(op.data, op.position, 1, build, checks)
    before = _rows(build, op.data, build.integers([0]), at)
    next_ = build.make(AddOp, at, build.integers([1]))
    return [
        build.make(
            ConcatOp, [before, _rows(build, op.data, next_, build.integers([_FAR]))], attributes={"axis": 0}
        )
    ]


@expresses(ToSlotOp)
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
                    build, data, _all(build, build.make(LessEqualOp, size, build.integers([most])))
                )
    flat = sizes.reshape(data, [sizes.product(sizes.of(data))])
    nothing = build.constant(np.asarray(zeros((length,), dtype_of(build.fact(data).element))))
    whole = build.make(ConcatOp, [flat, nothing], attributes={"axis": 0})
    return [sizes.reshape(_rows(build, whole, build.integers([0]), build.integers([length])), [1, length])]


@expresses(FromSlotOp)
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
        shape = checks.require(build, shape, _all(build, build.make(LogicalAndOp, enough, few)))
    extents: list[Size] = [
        least if least == most else sizes.element(shape, k) for k, (least, most) in enumerate(op.limits)
    ]
    count = build.make(
        ReduceProdOp, sizes.vector(extents), build.integers([0]), attributes={"keep_dims": True}
    )
    return [sizes.reshape(_rows(build, op.slot, build.integers([0]), count), extents)]


def _place(data: SSAValue, position: SSAValue, least: int, build: GraphBuilder, checks: Checks) -> SSAValue:
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
    return checks.require(build, at, _all(build, inside))


def _all(build: GraphBuilder, conditions: SSAValue) -> SSAValue:
    """Emit a scalar that is true if all elements hold.

    The elements are those of a 1-D boolean.
    """
    return build.make(ReduceLogicalAndOp, conditions, build.integers([0]), attributes={"keep_dims": False})


def _rows(build: GraphBuilder, data: SSAValue, start: SSAValue, stop: SSAValue) -> SSAValue:
    return build.make(SliceOp, data, start, stop, build.integers([1]), build.integers([0]))
