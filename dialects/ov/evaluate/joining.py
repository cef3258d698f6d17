"""Numpy semantics of Concat, Tile."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.joining import ConcatOp, TileOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error


@evaluates(ConcatOp)
def concat(op: ConcatOp, *inputs: np.ndarray) -> np.ndarray:
    rank = inputs[0].ndim
    axis = normalise_axis(to_int(op.axis), rank)
    rests = {a.shape[:axis] + a.shape[axis + 1 :] for a in inputs}
    if len(rests) > 1 or any(a.ndim != rank for a in inputs):
        raise Error(
            "runtime-shape", f"tensors of shapes {[list(a.shape) for a in inputs]} cannot be joined on {axis}"
        )
    return np.concatenate(inputs, axis)


@evaluates(TileOp)
def tile(op: TileOp, data: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    del op
    times = [int(n) for n in repeats.reshape(-1)]
    if min(times, default=0) < 0:
        raise Error("runtime-shape", f"a tensor cannot be repeated {times} times")
    return np.tile(data, times)
