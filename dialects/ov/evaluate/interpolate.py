"""Numpy semantics of Resample; Interpolate is composite."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.attributes import to_bool, to_ints
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.indices import positions
from loomir.dialects.ov.evaluate.numeric import wide
from loomir.dialects.ov.interpolate import ResampleOp
from loomir.errors import Error


@evaluates(ResampleOp)
def resample(op: ResampleOp, data: np.ndarray, *tables: np.ndarray) -> np.ndarray:
    axes = [a % data.ndim for a in to_ints(op.axes)]
    if not to_bool(op.weighted):
        result = data
        for axis, table in zip(axes, tables):
            result = np.take(result, positions(table, data.shape[axis], negative=False), axis=axis)
        return result
    result = wide(data)
    for axis, table, weights in zip(axes, tables[::2], tables[1::2]):
        if table.shape != weights.shape:
            raise Error("runtime-shape", f"positions {table.shape} and weights {weights.shape} differ")
        taken = np.take(result, positions(table, data.shape[axis], negative=False), axis=axis)
        shape = [1] * axis + list(table.shape) + [1] * (data.ndim - axis - 1)
        product = taken * weights.astype(result.dtype).reshape(shape)
        result = np.asarray(product.sum(axis=axis + 1, dtype=result.dtype))
    return result.astype(data.dtype)
