"""Numpy semantics of arithmetic on two tensors. Broadcasting is numpy's own; `infer` has checked the mode."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.elementwise_binary import (
    AddOp,
    BinaryOp,
    DivideOp,
    FloorModOp,
    MaximumOp,
    MinimumOp,
    ModOp,
    MultiplyOp,
    PowerOp,
    SquaredDifferenceOp,
    SubtractOp,
)
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.extrema import maximum, minimum
from loomir.dialects.ov.evaluate.numeric import (
    float_remainder,
    integer_power,
    is_integer_dtype,
    truncated_quotient,
)

_UFUNCS: dict[type[BinaryOp], Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    AddOp: np.add,
    SubtractOp: np.subtract,
    MultiplyOp: np.multiply,
    MaximumOp: maximum,
    MinimumOp: minimum,
}


@evaluates(*_UFUNCS)
def ufunc(op: BinaryOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(_UFUNCS[type(op)](a, b), a.dtype)


@evaluates(DivideOp)
def divide(op: DivideOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if not is_integer_dtype(a.dtype):
        return np.asarray(a / b, a.dtype)
    return np.asarray(a // b if to_bool(op.m_pythondiv) else truncated_quotient(a, b), a.dtype)


@evaluates(PowerOp)
def power(op: PowerOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return integer_power(a, b) if is_integer_dtype(a.dtype) else np.asarray(np.power(a, b), a.dtype)


@evaluates(ModOp)
def mod(op: ModOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.fmod(a, b), a.dtype) if is_integer_dtype(a.dtype) else float_remainder(a, b)


@evaluates(FloorModOp)
def floor_mod(op: FloorModOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if is_integer_dtype(a.dtype):
        return np.asarray(np.mod(a, b), a.dtype)
    r = float_remainder(a, b)
    moved = np.where((r < 0) != (b < 0), r + b, r)
    return np.where(r != 0, moved, np.copysign(np.zeros_like(r), b)).astype(a.dtype)


@evaluates(SquaredDifferenceOp)
def squared_difference(op: SquaredDifferenceOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    difference = a - b
    return np.asarray(difference * difference, a.dtype)
