"""`ov.fail`, `ov.require`."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.failure import ENDLESS_HINT, FailOp, RequireOp
from loomir.errors import Error


@evaluates(FailOp)
def fail(op: FailOp) -> tuple[np.ndarray, ...]:
    """It never gives a result."""
    if op.class_ == "endless":
        raise Error("endless-loop", op.reason.data, hint=ENDLESS_HINT)
    raise Error("runtime-shape", f"a branch runs that these shapes do not allow: {op.reason.data}")


@evaluates(RequireOp)
def require(op: RequireOp, value: np.ndarray, condition: np.ndarray) -> np.ndarray:
    """The value, if the condition holds."""
    if bool(condition):
        return value
    if op.class_ == "index":
        raise Error("runtime-index", op.reason.data)
    raise Error("runtime-shape", op.reason.data)
