"""Numpy semantics of `ov.constant`."""

import numpy as np

from loomir.dialects.ov.constant import ConstantOp
from loomir.dialects.ov.evaluate import evaluates


@evaluates(ConstantOp)
def constant(op: ConstantOp) -> np.ndarray:
    return op.array
