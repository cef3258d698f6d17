"""Between which numbers the sums of integers lie that products and convolutions by known weights give.

low = Σ max(w, 0) · least + Σ min(w, 0) · most        high the other way round, for each column of weights
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, is_integer
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, SubtractOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.dialects.scalars.constants import type_range
from loomir.passes.analysis.integer_weights import known_array

Product: TypeAlias = ConvolutionOp | GroupConvolutionOp | MatMulOp
Bounds: TypeAlias = tuple[np.ndarray, np.ndarray]
"""The least and the greatest number, `int`s that broadcast to the tensor."""


def bounds_of_product(op: Product, weights: np.ndarray, least: int, most: int) -> Bounds:
    """Of a product by these weights, where the other tensor lies between two numbers; what is padded counts as 0."""
    columns = _columns(op, weights).astype(np.int64)
    up, down = np.maximum(columns, 0).sum(1), np.minimum(columns, 0).sum(1)
    least, most = min(least, 0), max(most, 0)
    shape = _per_column(op, weights)
    # Python's integers do not wrap around.
    up, down = up.astype(object).reshape(shape), down.astype(object).reshape(shape)
    return up * least + down * most, up * most + down * least


def sums_of_weights(op: Product, weights: np.ndarray) -> np.ndarray:
    """Of each column, `int`s that broadcast to the tensor: by so much the sums grow with what is added to each number."""
    return _columns(op, weights).astype(np.int64).sum(1).astype(object).reshape(_per_column(op, weights))


def _per_column(op: Product, weights: np.ndarray) -> tuple[int, ...]:
    return (-1,) if isinstance(op, MatMulOp) else (1, -1, *[1] * spatial_axes(op, weights))


def spatial_axes(op: Product, weights: np.ndarray) -> int:
    """How many axes a convolution's window has."""
    return weights.ndim - (3 if isinstance(op, GroupConvolutionOp) else 2)


_DEPTH = 8
"""How many operations are looked through: widened, less a zero point, multiplied by weights, plus a bias."""

_MOST = 1 << 14
"""The most numbers that are kept apart: one for each channel, not one for each element of a picture."""


def bounds_of(value: SSAValue, depth: int = _DEPTH) -> Bounds | None:
    """Of integers in 32 bits that are computed of narrower ones without wrapping around; None where that is not known."""
    element = fact_of(value).element
    if not is_integer(element):
        return None
    least, most = type_range(element)
    if dtype_of(element).itemsize <= 2:
        return _single(least), _single(most)
    found = _computed(value, depth - 1) if depth else None
    if found is None or found[0].min() < least or found[1].max() > most:
        return None
    return found


def _computed(value: SSAValue, depth: int) -> Bounds | None:
    if (known := known_array(value)) is not None:
        if known.size > _MOST or not known.size:
            return (_single(int(known.min())), _single(int(known.max()))) if known.size else None
        exact = known.astype(object).reshape(known.shape if known.size > 1 else 1)
        return exact, exact
    op = value.owner
    match op:
        case ConvertOp():
            return bounds_of(op.data, depth)
        case AddOp() | SubtractOp():
            parts = [bounds_of(operand, depth) for operand in op.operands]
            a, b = parts
            if a is None or b is None:
                return None
            return (a[0] + b[0], a[1] + b[1]) if isinstance(op, AddOp) else (a[0] - b[1], a[1] - b[0])
        case ConvolutionOp() | GroupConvolutionOp() | MatMulOp():
            data, weights = bounds_of(op.operands[0], depth), known_array(op.operands[1])
            if data is None or weights is None or weights.ndim < 2 or not weights.size:
                return None
            if isinstance(op, MatMulOp) and weights.ndim > 2:
                return None
            return bounds_of_product(op, weights, int(data[0].min()), int(data[1].max()))
        case _:
            return None


def _single(number: int) -> np.ndarray:
    return np.array([number], object)


def _columns(op: Product, weights: np.ndarray) -> np.ndarray:
    """The weights of each result in a row."""
    if isinstance(op, MatMulOp):
        return weights if to_bool(op.transpose_b) else weights.T
    leading = 2 if isinstance(op, GroupConvolutionOp) else 1
    return weights.reshape(prod(weights.shape[:leading]), -1)
