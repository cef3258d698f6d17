"""Numpy semantics of Col2Im."""

from __future__ import annotations

from math import prod

import numpy as np

from loomir.dialects.ov.columns import Col2ImOp, window_places
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import wide
from loomir.errors import Error


@evaluates(Col2ImOp)
def col2im(op: Col2ImOp, data: np.ndarray, output_size: np.ndarray, kernel_size: np.ndarray) -> np.ndarray:
    image, kernel = [int(v) for v in output_size], [int(v) for v in kernel_size]
    parameters = op.parameters(len(image))
    places = window_places(image, kernel, parameters)
    *batch, rows, columns = data.shape
    if rows % prod(kernel) or columns != prod(places):
        raise Error(
            "runtime-shape", f"columns of shape {data.shape} do not fit a window with the places {places}"
        )
    outer = prod(batch) * (rows // prod(kernel))
    x = wide(data).reshape(outer, *kernel, *places)
    padded = [d + begin + end for d, (_, _, begin, end) in zip(image, parameters)]
    out = np.zeros((outer, *padded), x.dtype)
    for taps in np.ndindex(*kernel):
        where = tuple(
            slice(t * dilation, t * dilation + (n - 1) * stride + 1 if n else t * dilation, stride)
            for t, n, (stride, dilation, _, _) in zip(taps, places, parameters)
        )
        out[(slice(None), *where)] += x[(slice(None), *taps)]
    inside = tuple(slice(begin, begin + d) for d, (_, _, begin, _) in zip(image, parameters))
    return out[(slice(None), *inside)].astype(data.dtype).reshape(*batch, rows // prod(kernel), *image)
