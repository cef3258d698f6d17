"""Numpy semantics of CumSum and CumProd."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.cumulative import CumProdOp, CumSumOp, CumulativeOp
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import wide
from loomir.dialects.ov.shape_rules import normalise_axis


@evaluates(CumSumOp, CumProdOp)
def cumulative(op: CumulativeOp, data: np.ndarray, axis: np.ndarray) -> np.ndarray:
    at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
    x = np.moveaxis(wide(data), at, 0)
    if to_bool(op.reverse):
        x = x[::-1]
    join, first = (np.add, 0) if isinstance(op, CumSumOp) else (np.multiply, 1)
    made = join.accumulate(x, axis=0, dtype=x.dtype)
    if to_bool(op.exclusive) and len(made):
        made = np.concatenate([np.full_like(made[:1], first), made[:-1]])
    if to_bool(op.reverse):
        made = made[::-1]
    return np.moveaxis(made, 0, at).astype(data.dtype)
