"""Numpy semantics of functions of one tensor."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.attributes import to_float, to_str
from loomir.dialects.ov.elementwise_unary import (
    AbsOp,
    CeilingOp,
    ClampOp,
    ErfOp,
    ExpOp,
    FloorOp,
    LogOp,
    NegativeOp,
    ReLUOp,
    RoundOp,
    SigmoidOp,
    SignOp,
    SqrtOp,
    TanhOp,
    UnaryOp,
)
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import (
    error_function,
    is_integer_dtype,
    rounded_away,
    through_float,
)


@evaluates(AbsOp)
def absolute(op: AbsOp, x: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(x), x.dtype)


@evaluates(NegativeOp)
def negative(op: NegativeOp, x: np.ndarray) -> np.ndarray:
    return np.asarray(np.negative(x), x.dtype)


@evaluates(SqrtOp)
def square_root(op: SqrtOp, x: np.ndarray) -> np.ndarray:
    return through_float(x, np.sqrt)


@evaluates(ExpOp)
def exponential(op: ExpOp, x: np.ndarray) -> np.ndarray:
    return through_float(x, np.exp)


@evaluates(LogOp)
def logarithm(op: LogOp, x: np.ndarray) -> np.ndarray:
    return through_float(x, np.log)


@evaluates(TanhOp)
def hyperbolic_tangent(op: TanhOp, x: np.ndarray) -> np.ndarray:
    return through_float(x, np.tanh)


@evaluates(SigmoidOp)
def sigmoid(op: SigmoidOp, x: np.ndarray) -> np.ndarray:
    return through_float(x, lambda v: np.asarray(1, v.dtype) / (np.asarray(1, v.dtype) + np.exp(-v)))


@evaluates(ReLUOp)
def relu(op: ReLUOp, x: np.ndarray) -> np.ndarray:
    return np.where(x < 0, np.zeros((), x.dtype), x)


@evaluates(ClampOp)
def clamp(op: ClampOp, x: np.ndarray) -> np.ndarray:
    if is_integer_dtype(x.dtype):
        low, high = op.integer_limits(op.output.type.element_type)  # pyright: ignore[reportAttributeAccessIssue]
    else:
        low, high = to_float(op.min), to_float(op.max)
    lower, upper = np.asarray(low, x.dtype), np.asarray(high, x.dtype)
    # One after the other: integer limits may cross, and then the upper one wins.
    x = np.where(x < lower, lower, x)
    return np.where(x > upper, upper, x)


@evaluates(FloorOp, CeilingOp)
def rounded(op: UnaryOp, x: np.ndarray) -> np.ndarray:
    if is_integer_dtype(x.dtype):
        return x
    return np.asarray(np.floor(x) if isinstance(op, FloorOp) else np.ceil(x), x.dtype)


@evaluates(RoundOp)
def round_to_nearest(op: RoundOp, x: np.ndarray) -> np.ndarray:
    if is_integer_dtype(x.dtype):
        return x
    return np.asarray((np.rint if to_str(op.mode) == "half_to_even" else rounded_away)(x), x.dtype)


@evaluates(ErfOp)
def erf(op: ErfOp, x: np.ndarray) -> np.ndarray:
    return through_float(x, error_function)


@evaluates(SignOp)
def sign(op: SignOp, x: np.ndarray) -> np.ndarray:
    return np.asarray(np.sign(x), x.dtype)
