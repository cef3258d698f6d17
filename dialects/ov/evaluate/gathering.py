"""Numpy semantics of Gather."""

from __future__ import annotations

from math import prod

import numpy as np

from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.gathering import GatherOp
from loomir.dialects.ov.parameters import normalise_axis
from loomir.errors import Error


@evaluates(GatherOp)
def gather(op: GatherOp, data: np.ndarray, indices: np.ndarray, axis: np.ndarray) -> np.ndarray:
    at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
    batches = op.batches(indices.ndim)
    if data.shape[:batches] != indices.shape[:batches]:
        raise Error(
            "runtime-shape", f"the batches {data.shape[:batches]} and {indices.shape[:batches]} differ"
        )
    extent = data.shape[at]
    wanted = indices.astype(np.int64)
    if indices.dtype == np.uint64:
        # Indices beyond the range of i64 are out of range, not negative.
        wanted = np.where(wanted < 0, np.iinfo(np.int64).max, wanted)
    inside = (wanted >= -extent) & (wanted < extent)
    if op.checks_indices and not inside.all():
        first = int(wanted[~inside].reshape(-1)[0])
        raise Error("runtime-index", f"index {first} is out of range for extent {extent}")
    shape = data.shape[:at] + indices.shape[batches:] + data.shape[at + 1 :]
    if not extent or not prod(shape):
        return np.zeros(shape, data.dtype)
    positions = np.where(inside, wanted + extent * (wanted < 0), 0)
    outer = prod(data.shape[:batches])
    middle = prod(data.shape[batches:at])
    inner = prod(data.shape[at + 1 :])
    source = data.reshape(outer, middle, extent, inner)
    flat = positions.reshape(outer, -1)
    picked = source[np.arange(outer)[:, None], :, flat]  # [outer, positions, middle, inner]
    picked = np.where(inside.reshape(outer, -1)[:, :, None, None], picked, np.zeros((), data.dtype))
    return picked.transpose(0, 2, 1, 3).reshape(shape)
