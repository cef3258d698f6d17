"""Numpy semantics of trigonometric and hyperbolic functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loomir.dialects.ov.elementwise_unary import UnaryOp
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import through_float
from loomir.dialects.ov.trigonometry import (
    AcoshOp,
    AcosOp,
    AsinhOp,
    AsinOp,
    AtanhOp,
    AtanOp,
    CoshOp,
    CosOp,
    SinhOp,
    SinOp,
    TanOp,
)

_UFUNCS: dict[type[UnaryOp], Callable[[np.ndarray], np.ndarray]] = {
    SinOp: np.sin,
    CosOp: np.cos,
    TanOp: np.tan,
    AsinOp: np.arcsin,
    AcosOp: np.arccos,
    AtanOp: np.arctan,
    SinhOp: np.sinh,
    CoshOp: np.cosh,
    AsinhOp: np.arcsinh,
    AcoshOp: np.arccosh,
    AtanhOp: np.arctanh,
}


@evaluates(*_UFUNCS)
def ufunc(op: UnaryOp, x: np.ndarray) -> np.ndarray:
    return through_float(x, _UFUNCS[type(op)])
