"""Numpy semantics of transposed convolutions: one strided sum for each element of the kernel."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import wide
from loomir.dialects.ov.evaluate.workspace import claim
from loomir.dialects.ov.transposed_convolution import (
    ConvolutionBackpropDataOp,
    GroupConvolutionBackpropDataOp,
    TransposedConvolution,
    TransposedWindow,
)
from loomir.errors import Error


@evaluates(ConvolutionBackpropDataOp, GroupConvolutionBackpropDataOp)
def transposed_convolution(
    op: TransposedConvolution, data: np.ndarray, filters: np.ndarray, output_shape: np.ndarray | None = None
) -> np.ndarray:
    groups = filters if op.GROUPED else filters[None]
    windows = op.windows(groups.shape[3:])
    given = [None] * len(windows) if output_shape is None else [int(e) for e in output_shape]
    if any(e is not None and e < 0 for e in given):
        raise Error("runtime-shape", f"output_shape is negative: {given}")
    extents = [w.extent(d) if e is None else e for w, d, e in zip(windows, data.shape[2:], given)]
    begins = [w.padding(d, e) for w, d, e in zip(windows, data.shape[2:], given)]
    parts = np.split(wide(data), groups.shape[0], axis=1)
    results = [
        _one_group(part, weights, windows, extents, begins) for part, weights in zip(parts, wide(groups))
    ]
    return np.concatenate(results, axis=1).astype(data.dtype)


def _one_group(
    data: np.ndarray,
    filters: np.ndarray,
    windows: tuple[TransposedWindow, ...],
    extents: list[int],
    begins: list[int],
) -> np.ndarray:
    """All that the kernel reaches is summed, then the wanted part is cut out (zeros beyond)."""
    reach = [max(0, w.stride * (d - 1) + w.span) for w, d in zip(windows, data.shape[2:])]
    claim((data.shape[0], filters.shape[1], *reach), data.dtype)
    whole = np.zeros((data.shape[0], filters.shape[1], *reach), data.dtype)
    if data.size:
        for k in np.ndindex(*filters.shape[2:]):
            places = [
                slice(i * w.dilation, i * w.dilation + w.stride * (d - 1) + 1, w.stride)
                for i, w, d in zip(k, windows, data.shape[2:])
            ]
            product = np.tensordot(data, filters[(slice(None), slice(None), *k)], axes=((1,), (0,)))
            whole[(slice(None), slice(None), *places)] += np.moveaxis(product, -1, 1)
    result = np.zeros((*whole.shape[:2], *extents), data.dtype)
    target: list[slice] = [slice(None), slice(None)]
    source: list[slice] = [slice(None), slice(None)]
    for extent, begin, length in zip(extents, begins, reach):
        first, last = max(0, -begin), min(extent, length - begin)
        target.append(slice(first, max(first, last)))
        source.append(slice(first + begin, max(first, last) + begin))
    result[tuple(target)] = whole[tuple(source)]
    return result
