"""Numpy semantics of OneHot."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.indices import as_signed
from loomir.dialects.ov.generators import OneHotOp
from loomir.dialects.ov.shape_rules import normalise_axis


@evaluates(OneHotOp)
def one_hot(
    op: OneHotOp, indices: np.ndarray, depth: np.ndarray, on: np.ndarray, off: np.ndarray
) -> np.ndarray:
    extent = max(0, int(depth.reshape(-1)[0]))
    axis = normalise_axis(to_int(op.axis), indices.ndim + 1)
    wanted = as_signed(indices)
    if op.normalises:
        wanted = np.where(wanted < 0, wanted + extent, wanted)
    places = np.arange(extent).reshape([-1 if k == axis else 1 for k in range(indices.ndim + 1)])
    return np.where(np.expand_dims(wanted, axis) == places, on.reshape(()), off.reshape(()))
