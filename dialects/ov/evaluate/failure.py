"""`ov.fail`."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.failure import FailOp
from loomir.errors import Error


@evaluates(FailOp)
def fail(op: FailOp) -> tuple[np.ndarray, ...]:
    """It never gives a result."""
    raise Error("runtime-shape", f"a branch runs that these shapes do not allow: {op.reason.data}")
