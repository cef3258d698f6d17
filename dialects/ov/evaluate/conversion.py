"""Numpy semantics of Convert."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.conversion import ConvertOp
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import is_integer_dtype, truncated_to


@evaluates(ConvertOp)
def convert(op: ConvertOp, x: np.ndarray) -> np.ndarray:
    target = dtype_of(op.destination_type)
    if x.dtype == target:
        return x
    if target == np.bool_:
        return np.asarray(x != 0, np.bool_)
    if is_integer_dtype(target) and x.dtype != np.bool_ and not is_integer_dtype(x.dtype):
        return truncated_to(x, target)
    return x.astype(target)
