"""Bounds of integer sums in products and convolutions by known weights.

low = Σ max(w, 0) · least + Σ min(w, 0) · most        high the other way round, for each column of weights
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.matmul import MatMulOp

Product: TypeAlias = ConvolutionOp | GroupConvolutionOp | MatMulOp
Bounds: TypeAlias = tuple[np.ndarray, np.ndarray]
"""The least and the greatest number, `int`s that broadcast to the tensor."""


def bounds_of_product(op: Product, weights: np.ndarray, least: int, most: int) -> Bounds:
    """Return the bounds of a product by these weights.

    The other tensor lies between `least` and `most`; padding counts as 0.
    """
    columns = _columns(op, weights).astype(np.int64)
    up, down = np.maximum(columns, 0).sum(1), np.minimum(columns, 0).sum(1)
    least, most = min(least, 0), max(most, 0)
    shape = _per_column(op, weights)
    # Python's integers do not wrap around.
    up, down = up.astype(object).reshape(shape), down.astype(object).reshape(shape)
    return up * least + down * most, up * most + down * least


def sums_of_weights(op: Product, weights: np.ndarray) -> np.ndarray:
    """Return the sum of each column of weights.

    The sums are `int`s that broadcast to the tensor. If a constant is added to each number of the other operand, the product grows
    by the constant times these sums.
    """
    return _columns(op, weights).astype(np.int64).sum(1).astype(object).reshape(_per_column(op, weights))


def _per_column(op: Product, weights: np.ndarray) -> tuple[int, ...]:
    return (-1,) if isinstance(op, MatMulOp) else (1, -1, *[1] * spatial_axes(op, weights))


def spatial_axes(op: Product, weights: np.ndarray) -> int:
    """How many axes a convolution's window has."""
    return weights.ndim - (3 if isinstance(op, GroupConvolutionOp) else 2)


def _columns(op: Product, weights: np.ndarray) -> np.ndarray:
    """The weights of each result in a row."""
    if isinstance(op, MatMulOp):
        return weights if to_bool(op.transpose_b) else weights.T
    leading = 2 if isinstance(op, GroupConvolutionOp) else 1
    return weights.reshape(prod(weights.shape[:leading]), -1)
