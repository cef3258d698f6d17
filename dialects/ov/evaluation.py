"""Evaluation of primitive `ov` operations in numpy.

It is the reference for every lowering.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from loomir.dialects.element_types import element_of
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact, shape_of
from loomir.errors import Error


def has_evaluator(op_class: type[Operation]) -> bool:
    """Return True if the operation has numpy semantics of its own.

    Composites have their decomposition instead, control flow its regions.
    """
    return (
        issubclass(op_class, OvOperation)
        and not op_class.COMPOSITE
        and op_class.evaluate is not OvOperation.evaluate
    )


def evaluate(op: Operation, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Return the results of a primitive operation, as arrays.

    Error: as its `evaluate`; `runtime-shape` if its named extents differ.
    """
    assert isinstance(op, OvOperation), op.name
    if type(op).named_extents is not OvOperation.named_extents:
        try:
            op.agreed_extents([Fact(element_of(a.dtype), shape_of(a.shape)) for a in arrays])
        except Error as error:
            raise Error("runtime-shape", error.what) from None
    if not op.moves and not op.ELEMENTWISE:
        # How numpy groups what it adds depends on how its operands lie, which is nothing that a program says.
        arrays = [a if a.flags.c_contiguous else np.ascontiguousarray(a) for a in arrays]
    with np.errstate(all="ignore"):
        results = op.evaluate(*arrays)
    # Of an array of strings numpy gives a single element as what it is, not as a scalar of its own.
    return tuple(
        np.array(result, object) if isinstance(result, str) else result
        for result in (results if isinstance(results, tuple) else (results,))
    )
