"""Numpy semantics of MatMul."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import wide
from loomir.dialects.ov.matmul import MatMulOp


@evaluates(MatMulOp)
def mat_mul(op: MatMulOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if to_bool(op.transpose_a) and a.ndim > 1:
        a = np.swapaxes(a, -1, -2)
    if to_bool(op.transpose_b) and b.ndim > 1:
        b = np.swapaxes(b, -1, -2)
    return np.asarray(np.matmul(wide(a), wide(b))).astype(a.dtype)
