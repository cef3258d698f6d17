"""Numpy semantics of Broadcast, Range, Pad."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import dtype_of, zeros
from loomir.dialects.ov.broadcasting import (
    BroadcastOp,
    PadOp,
    RangeOp,
    check_padding,
    convert_scalar,
    range_length,
)
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.workspace import claim
from loomir.errors import Error


@evaluates(BroadcastOp)
def broadcast(
    op: BroadcastOp, data: np.ndarray, target_shape: np.ndarray, axes_mapping: np.ndarray | None = None
) -> np.ndarray:
    target = [int(v) for v in target_shape]
    mode = op.mode_name
    source = data
    if mode == "explicit" and axes_mapping is not None and data.ndim and axes_mapping.size:
        shape = [1] * len(target)
        for i, axis in enumerate(axes_mapping.reshape(-1)):
            shape[int(axis)] = data.shape[i]
        source = data.reshape(shape)
    elif mode == "bidirectional":
        rank = max(data.ndim, len(target))
        left = (1,) * (rank - data.ndim) + data.shape
        right = [1] * (rank - len(target)) + target
        target = [b if a == 1 else a for a, b in zip(left, right)]
        if any(b not in (1, wanted) for b, wanted in zip(right, target)):
            raise Error("runtime-shape", f"data of shape {list(data.shape)} cannot be broadcast with {right}")
    try:
        return np.ascontiguousarray(np.broadcast_to(source, target)).reshape(target)
    except ValueError:
        raise Error(
            "runtime-shape", f"data of shape {list(data.shape)} cannot be broadcast to {target}"
        ) from None


@evaluates(RangeOp)
def range_(op: RangeOp, start: np.ndarray, stop: np.ndarray, step: np.ndarray) -> np.ndarray:
    dtype = dtype_of(op.output_type)
    first, end, by = (convert_scalar(a, dtype) for a in (start, stop, step))
    n = range_length(first, end, by)
    claim([n], np.dtype(np.int64))
    return np.array(first, dtype) + np.arange(n).astype(dtype) * np.array(by, dtype)


@evaluates(PadOp)
def pad(
    op: PadOp,
    data: np.ndarray,
    pads_begin: np.ndarray,
    pads_end: np.ndarray,
    pad_value: np.ndarray | None = None,
) -> np.ndarray:
    mode = op.mode_name
    pads = list(zip(pads_begin.tolist(), pads_end.tolist()))
    for axis, (begin, end) in enumerate(pads):
        check_padding(mode, axis, max(begin, end), data.shape[axis])
    made = [max(0, begin + extent + end) for extent, (begin, end) in zip(data.shape, pads)]
    if 0 in made:
        # The other extents may be beyond all memory.
        return zeros(made, data.dtype)
    for axis, (begin, _) in enumerate(pads):
        extent = data.shape[axis]
        # Where each element of the result is in data, counted from its first one (or anywhere behind the last).
        first = min(-begin, extent)
        wanted = np.arange(first, first + made[axis])
        if mode == "constant":
            inside = (wanted >= 0) & (wanted < extent)
            fill = zeros((), data.dtype) if pad_value is None else pad_value.reshape(())
            if not extent:
                data = np.full((*data.shape[:axis], wanted.size, *data.shape[axis + 1 :]), fill, data.dtype)
                continue
            picked = data.take(np.clip(wanted, 0, extent - 1), axis)
            data = np.where(inside.reshape((-1,) + (1,) * (data.ndim - axis - 1)), picked, fill)
        else:
            data = data.take(padded_positions(mode, wanted, extent), axis)
    return data


def padded_positions(mode: str, wanted: np.ndarray, extent: int) -> np.ndarray:
    """The positions in data whose elements stand at these (maybe outside) positions."""
    if mode == "edge":
        return np.clip(wanted, 0, extent - 1)
    mirror = 0 if mode == "reflect" else 1
    low = np.where(wanted < 0, -wanted - mirror, wanted)
    return np.where(low >= extent, 2 * (extent - 1) - low + mirror, low)
