"""`ov.fail`, `ov.require`."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.failure import FailOp, RequireOp
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
