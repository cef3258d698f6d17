"""`ov.fail`, `ov.require`, `ov.check_bounds`."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.failure import CheckBoundsOp, FailOp, RequireOp
from loomir.dialects.run_errors import run_error


@evaluates(FailOp)
def fail(op: FailOp) -> tuple[np.ndarray, ...]:
    """It never gives a result."""
    raise run_error(op.class_, op.message)


@evaluates(RequireOp)
def require(op: RequireOp, value: np.ndarray, condition: np.ndarray) -> np.ndarray:
    """The value, if the condition holds."""
    if bool(condition):
        return value
    raise run_error(op.class_, op.reason.data)


@evaluates(CheckBoundsOp)
def check_bounds(op: CheckBoundsOp, value: np.ndarray) -> np.ndarray:
    """The value, if it is not larger."""
    for dimension, (extent, most) in enumerate(zip(value.shape, op.most)):
        if most is not None and extent > most:
            raise run_error("capacity", f"dimension {dimension} of a tensor is larger than {most}")
    return value
