"""Zeros and ones by position."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64, is_integer
from loomir.dialects.onnx.tensors import element_type
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.comparison import GreaterEqualOp, LessEqualOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MaximumOp, MinimumOp
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.generators import EyeOp, OneHotOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, UnsqueezeOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


def _integers(node: Node, value: SSAValue) -> SSAValue:
    if is_integer(node.element(value)):
        return value
    return node.op(ConvertOp, value, destination_type=i64)


def _extent(node: Node, value: SSAValue, axis: int) -> SSAValue:
    """An extent of a value as `tensor<i64>`."""
    at, first = (node.constant(np.array(v, np.int64)) for v in (axis, 0))
    return node.op(GatherOp, node.shape_of(value), at, first)


@translates("OneHot", 9, 11, 28)
def one_hot(node: Node) -> Results:
    """Translate OneHot.

    Version 9 ignores negative indices; non-integers are converted to i64.
    """
    indices, depth = _integers(node, node.input(0)), _integers(node, node.input(1))
    zero = node.constant(np.array(0, np.int64))
    off, on = (node.op(GatherOp, node.input(2), node.constant(np.array(k, np.int64)), zero) for k in (0, 1))
    mode = "normalize" if node.version >= 11 else "ignore_negative"
    return node.op(OneHotOp, indices, depth, on, off, axis=node.int("axis", -1), negative_indices_mode=mode)


@translates("EyeLike", 9, 22)
def eye_like(node: Node) -> Results:
    x = node.input(0)
    rank = node.rank(x)
    if rank != 2:
        raise Error("operand-rank", f"EyeLike has a matrix as input, not a tensor of rank {rank}")
    wanted = node.int("dtype", 0)
    element = element_type(wanted) if wanted else node.element(x)
    diagonal = node.constant(np.array(node.int("k", 0), np.int64))
    return node.op(EyeOp, _extent(node, x, 0), _extent(node, x, 1), diagonal, output_type=element)


@translates("Trilu", 14)
def trilu(node: Node) -> Results:
    """Elements on one side of the diagonal k: `column >= row + k` (upper), `column <= row + k`."""
    x = node.input(0)
    rank = node.rank(x)
    if rank < 2:
        raise Error("operand-rank", f"Trilu needs at least two dimensions, not {rank}")
    zero, one = (node.constant(np.array(v, np.int64)) for v in (0, 1))
    rows, columns = (_extent(node, x, a) for a in (rank - 2, rank - 1))
    row, column = (node.op(RangeOp, zero, extent, one, output_type=i64) for extent in (rows, columns))
    row = node.op(UnsqueezeOp, row, node.vector([1]))
    k = node.optional(1)
    if k is not None:
        # Diagonals beyond either corner are alike; a sum with the farthest would wrap around.
        k = node.op(MinimumOp, node.op(ReshapeOp, k, node.vector([])), columns)
        row = node.op(AddOp, row, node.op(MaximumOp, k, node.op(NegativeOp, rows)))
    kept = node.op(GreaterEqualOp if node.int("upper", 1) else LessEqualOp, column, row)
    return node.op(SelectOp, kept, x, node.number(0, x))
