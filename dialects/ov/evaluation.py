"""What a primitive `ov` operation computes, in numpy: the reference that every lowering is compared with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from loomir.dialects.ov.base import OvOperation


def has_evaluator(op_class: type[Operation]) -> bool:
    """Whether the operation has numpy semantics of its own: composites have their decomposition, control flow its regions."""
    return (
        issubclass(op_class, OvOperation)
        and not op_class.COMPOSITE
        and op_class.evaluate is not OvOperation.evaluate
    )


def evaluate(op: Operation, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The results of a primitive operation, as arrays. Error: as its `evaluate`."""
    assert isinstance(op, OvOperation), op.name
    with np.errstate(all="ignore"):
        results = op.evaluate(*arrays)
    # Of an array of strings numpy gives a single element as what it is, not as a scalar of its own.
    return tuple(
        np.array(result, object) if isinstance(result, str) else result
        for result in (results if isinstance(results, tuple) else (results,))
    )
