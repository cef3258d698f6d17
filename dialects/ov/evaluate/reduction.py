"""Numpy semantics of reductions. Sums of f16 and bf16 are kept in f32, means and norms of integers in 64
bits.
"""

from __future__ import annotations

import math

import numpy as np

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.extrema import greatest, least
from loomir.dialects.ov.evaluate.numeric import is_integer_dtype, truncated_quotient, truncated_to, wide
from loomir.dialects.ov.reduction import (
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogicalAndOp,
    ReduceLogicalOrOp,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
    ReductionOp,
)
from loomir.dialects.ov.shape_rules import normalise_axes


def limits(dtype: np.dtype) -> tuple[float | int, float | int]:
    """The least and the greatest value of a type, infinities where it has them."""
    if is_integer_dtype(dtype):
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return -math.inf, math.inf


def reduce(op: ReductionOp, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
    """The reduction over at least one axis, in whatever dtype it is computed in."""
    dtype = x.dtype
    match op:
        case ReduceSumOp():
            return np.add.reduce(wide(x), axes, dtype=wide(x).dtype, keepdims=keep)
        case ReduceProdOp():
            return np.multiply.reduce(wide(x), axes, dtype=wide(x).dtype, keepdims=keep)
        case ReduceL1Op():
            return np.add.reduce(np.abs(wide(x)), axes, dtype=wide(x).dtype, keepdims=keep)
        case ReduceMeanOp():
            count = math.prod(x.shape[a] for a in axes)
            if is_integer_dtype(dtype):
                exact = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
                total = np.add.reduce(x, axes, dtype=exact, keepdims=keep)
                return truncated_quotient(np.asarray(total), np.asarray(count, exact))
            total = np.add.reduce(wide(x), axes, dtype=wide(x).dtype, keepdims=keep)
            return total / np.asarray(count, total.dtype)
        case ReduceL2Op():
            if is_integer_dtype(dtype):
                exact = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
                total = np.add.reduce(np.square(x.astype(exact)), axes, dtype=exact, keepdims=keep)
                return truncated_to(np.sqrt(np.asarray(total).astype(np.float64)), dtype)
            return np.sqrt(np.add.reduce(np.square(wide(x)), axes, dtype=wide(x).dtype, keepdims=keep))
        case ReduceMaxOp():
            return greatest(x, axes, keepdims=keep, initial=np.asarray(limits(dtype)[0], dtype))
        case ReduceMinOp():
            return least(x, axes, keepdims=keep, initial=np.asarray(limits(dtype)[1], dtype))
        case ReduceLogicalAndOp():
            return np.logical_and.reduce(x, axes, keepdims=keep)
        case _:
            assert isinstance(op, ReduceLogicalOrOp), op.name
            return np.logical_or.reduce(x, axes, keepdims=keep)


@evaluates(
    ReduceSumOp,
    ReduceProdOp,
    ReduceMeanOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogicalAndOp,
    ReduceLogicalOrOp,
)
def reduction(op: ReductionOp, x: np.ndarray, axes: np.ndarray) -> np.ndarray:
    reduced = normalise_axes(axes.reshape(-1), x.ndim)
    if not reduced:
        return x
    return np.asarray(reduce(op, x, reduced, to_bool(op.keep_dims))).astype(x.dtype)
