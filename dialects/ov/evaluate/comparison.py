"""Numpy semantics of comparisons, logic and Select."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loomir.dialects.ov.comparison import (
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    LogicalXorOp,
    NotEqualOp,
    SelectOp,
    TwoToBooleanOp,
)
from loomir.dialects.ov.evaluate import evaluates

_UFUNCS: dict[type[TwoToBooleanOp], Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    EqualOp: np.equal,
    NotEqualOp: np.not_equal,
    LessOp: np.less,
    LessEqualOp: np.less_equal,
    GreaterOp: np.greater,
    GreaterEqualOp: np.greater_equal,
    LogicalAndOp: np.logical_and,
    LogicalOrOp: np.logical_or,
    LogicalXorOp: np.logical_xor,
}


@evaluates(*_UFUNCS)
def ufunc(op: TwoToBooleanOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(_UFUNCS[type(op)](a, b), np.bool_)


@evaluates(LogicalNotOp)
def logical_not(op: LogicalNotOp, x: np.ndarray) -> np.ndarray:
    return np.asarray(np.logical_not(x), np.bool_)


@evaluates(SelectOp)
def select(op: SelectOp, cond: np.ndarray, then: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    return np.where(cond, then, otherwise)
