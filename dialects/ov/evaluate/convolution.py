"""Numpy semantics of convolutions: windows of the data times filters, summed over channels and kernel."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import wide
from loomir.dialects.ov.evaluate.windows import window_view


def _convolve(view: np.ndarray, filters: np.ndarray, rank: int) -> np.ndarray:
    """`view: [N, C, windows …, kernel …]`, `filters: [O, C, kernel …]` → `[N, O, windows …]`."""
    kernel = range(2 + rank, 2 + 2 * rank)
    product = np.tensordot(view, filters, axes=((1, *kernel), range(1, 2 + rank)))
    return np.moveaxis(product, -1, 1)


@evaluates(ConvolutionOp)
def convolution(op: ConvolutionOp, data: np.ndarray, filters: np.ndarray) -> np.ndarray:
    view = window_view(wide(data), op.windows(filters.shape[2:]), 0)
    return np.ascontiguousarray(_convolve(view, wide(filters), data.ndim - 2)).astype(data.dtype)


@evaluates(GroupConvolutionOp)
def group_convolution(op: GroupConvolutionOp, data: np.ndarray, filters: np.ndarray) -> np.ndarray:
    groups, _, channels = filters.shape[:3]
    view = window_view(wide(data), op.windows(filters.shape[3:]), 0)
    parts = [
        _convolve(view[:, g * channels : (g + 1) * channels], wide(filters)[g], data.ndim - 2)
        for g in range(groups)
    ]
    return np.concatenate(parts, axis=1).astype(data.dtype)
