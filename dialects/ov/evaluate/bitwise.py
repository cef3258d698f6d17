"""Numpy semantics of operations on bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.bitwise import (
    BitCastOp,
    BitwiseAndOp,
    BitwiseBinaryOp,
    BitwiseLeftShiftOp,
    BitwiseNotOp,
    BitwiseOrOp,
    BitwiseRightShiftOp,
    BitwiseXorOp,
)
from loomir.dialects.ov.evaluate import evaluates

_UFUNCS: dict[type[BitwiseBinaryOp], Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    BitwiseAndOp: np.bitwise_and,
    BitwiseOrOp: np.bitwise_or,
    BitwiseXorOp: np.bitwise_xor,
}


@evaluates(*_UFUNCS)
def ufunc(op: BitwiseBinaryOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(_UFUNCS[type(op)](a, b), a.dtype)


@evaluates(BitwiseLeftShiftOp, BitwiseRightShiftOp)
def shift(op: BitwiseLeftShiftOp | BitwiseRightShiftOp, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    width = 8 * a.dtype.itemsize
    inside = (b >= 0) & (b < width)
    count = np.where(inside, b, width - 1).astype(a.dtype)
    if isinstance(op, BitwiseLeftShiftOp):
        return np.where(inside, np.left_shift(a, count), 0).astype(a.dtype)
    shifted = np.right_shift(a, count)
    # Of a signed number, width - 1 bits further there is nothing but its sign.
    return np.asarray(shifted if a.dtype.kind == "i" else np.where(inside, shifted, 0), a.dtype)


@evaluates(BitwiseNotOp)
def bitwise_not(op: BitwiseNotOp, x: np.ndarray) -> np.ndarray:
    return np.asarray(np.bitwise_not(x), x.dtype)


@evaluates(BitCastOp)
def bit_cast(op: BitCastOp, x: np.ndarray) -> np.ndarray:
    target = dtype_of(op.destination_type)
    return x != 0 if target == np.bool_ else x.view(target)
