"""Reductions."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import f64, i1, is_float
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.comparison import LessOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import AbsOp, ExpOp, LogOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reduction import (
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogicalAndOp,
    ReduceLogicalOrOp,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

BEFORE_AXES_INPUT = (1, 11, 13)


def _axes(node: Node, data: SSAValue) -> SSAValue | None:
    """Return the axes to reduce, or None to reduce none.

    They are an attribute, or an input from version 18 on (13 for ReduceSum).

    Without axes all are reduced, or with `noop_with_empty_axes` none.
    """
    as_input = node.version >= (13 if node.operator == "ReduceSum" else 18)
    given = node.optional(1) if as_input else None
    if not as_input and node.has("axes"):
        given = node.vector(node.ints("axes"))
    noop = bool(node.int("noop_with_empty_axes", 0))
    count = (0,) if given is None else node.fact(given).static
    if given is None or count == (0,):
        return None if noop else _all_axes(node, data)
    return given if noop or count is not None else _or_all(node, given, _all_axes(node, data))


def _all_axes(node: Node, data: SSAValue) -> SSAValue:
    shape = node.shape(data)
    if shape is not None:
        return node.vector(range(len(shape)))
    rank = node.op(ReshapeOp, node.op(ShapeOfOp, node.op(ShapeOfOp, data)), node.vector([]))
    zero, one = (node.constant(np.array(v, np.int64)) for v in (0, 1))
    return node.op(RangeOp, zero, rank, one, output_type=node.element(rank))


def _or_all(node: Node, axes: SSAValue, every: SSAValue) -> SSAValue:
    """The axes, how many is not known; all where there are none."""
    zero, count = node.vector([0]), node.shape_of(axes)
    end = node.op(SelectOp, node.op(LessOp, zero, count), count, node.shape_of(every))
    return node.op(SliceOp, node.op(ConcatOp, [axes, every], axis=0), zero, end, node.vector([1]))


def _reduce(node: Node, op_class: type[OvOperation], data: SSAValue) -> SSAValue:
    axes = _axes(node, data)
    count = (0,) if axes is None else node.fact(axes).static
    if count in (None, (0,)) and op_class in (ReduceL1Op, ReduceL2Op):
        # Where no axis is reduced (a scalar has none), each element is on its own: only the norms change it.
        data = node.op(AbsOp, data)
    return (
        data
        if axes is None or count == (0,)
        else node.op(op_class, data, axes, keep_dims=bool(node.int("keepdims", 1)))
    )


def _real(node: Node, value: SSAValue) -> SSAValue:
    """Convert integers to doubles, in which logarithms are computed.

    The result is rounded towards zero.
    """
    return value if is_float(node.element(value)) else node.op(ConvertOp, value, destination_type=f64)


def _as(node: Node, value: SSAValue, like: SSAValue) -> SSAValue:
    element = node.element(like)
    return value if node.element(value) == element else node.op(ConvertOp, value, destination_type=element)


def _reduction(
    operator: str, op_class: type[OvOperation], *versions: int, logical: type[OvOperation] | None = None
) -> None:
    @translates(operator, *versions)
    def translate(node: Node) -> Results:
        data = node.input(0)
        if node.element(data) == i1 and logical is not None:
            return _reduce(node, logical, data)
        return _reduce(node, op_class, data)


_reduction("ReduceSum", ReduceSumOp, *BEFORE_AXES_INPUT)
_reduction("ReduceMean", ReduceMeanOp, *BEFORE_AXES_INPUT, 18)
_reduction("ReduceProd", ReduceProdOp, *BEFORE_AXES_INPUT, 18)
_reduction("ReduceL1", ReduceL1Op, *BEFORE_AXES_INPUT, 18)
_reduction("ReduceL2", ReduceL2Op, *BEFORE_AXES_INPUT, 18)
_reduction("ReduceMax", ReduceMaxOp, *BEFORE_AXES_INPUT, 12, 18, 20, logical=ReduceLogicalOrOp)
_reduction("ReduceMin", ReduceMinOp, *BEFORE_AXES_INPUT, 12, 18, 20, logical=ReduceLogicalAndOp)


@translates("ReduceSumSquare", *BEFORE_AXES_INPUT, 18)
def reduce_sum_square(node: Node) -> Results:
    """sum(x²)."""
    x = node.input(0)
    return _reduce(node, ReduceSumOp, node.op(MultiplyOp, x, x))


@translates("ReduceLogSum", *BEFORE_AXES_INPUT, 18, 28)
def reduce_log_sum(node: Node) -> Results:
    """log(sum(x))."""
    x = node.input(0)
    return _as(node, node.op(LogOp, _real(node, _reduce(node, ReduceSumOp, x))), x)


@translates("ReduceLogSumExp", *BEFORE_AXES_INPUT, 18, 28)
def reduce_log_sum_exp(node: Node) -> Results:
    """Translate ReduceLogSumExp without overflow.

    It computes m + log(sum(exp(x - m))) with m = max(x), or 0 where that is infinite.
    """
    given = node.input(0)
    axes = _axes(node, given)
    if axes is None:
        return given
    x = _real(node, given)
    largest = node.op(ReduceMaxOp, x, axes, keep_dims=True)
    finite = node.op(LessOp, node.op(AbsOp, largest), node.number(float("inf"), x))
    shift = node.op(SelectOp, finite, largest, node.number(0, x))
    keep = bool(node.int("keepdims", 1))
    total = node.op(ReduceSumOp, node.op(ExpOp, node.op(SubtractOp, x, shift)), axes, keep_dims=keep)
    if not keep:
        shift = node.op(ReduceMaxOp, shift, axes, keep_dims=False)
    return _as(node, node.op(AddOp, node.op(LogOp, total), shift), given)
