"""Numpy semantics of NonZero."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.nonzero import NonZeroOp


@evaluates(NonZeroOp)
def non_zero(op: NonZeroOp, data: np.ndarray) -> np.ndarray:
    return np.stack(np.nonzero(np.atleast_1d(data) != 0)).astype(dtype_of(op.output_type))
