"""The rows of operations on floats."""

from __future__ import annotations

from math import inf

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Operation

from loomir.dialects.numerics.numeric import error_function, rounded_away
from loomir.dialects.scalars import float_functions as functions
from loomir.dialects.scalars.float_functions import floating, in_double, ordered_zeros
from loomir.dialects.scalars.row import CLibrary, COperator, Function, Python, Scalar


def _library(function: Function, name: str) -> Scalar:
    """A function that numpy and C's library have."""
    return Scalar(floating(function), CLibrary(name))


FLOATS: dict[type[Operation], Scalar] = {
    arith.AddfOp: Scalar(
        numpy=floating(np.add),
        c=COperator("+"),
        python=Python("{0} + {1}"),
        neutral=lambda t: 0.0,
        commutative=True,
    ),
    arith.SubfOp: Scalar(
        numpy=floating(np.subtract),
        c=COperator("-"),
        python=Python("{0} - {1}"),
        neutral=lambda t: 0.0,
    ),
    arith.MulfOp: Scalar(
        numpy=floating(np.multiply),
        c=COperator("*"),
        python=Python("{0} * {1}"),
        neutral=lambda t: 1.0,
        commutative=True,
    ),
    arith.DivfOp: Scalar(
        numpy=floating(np.divide),
        c=COperator("/"),
        # Python raises where IEEE 754 has infinities and NaN.
        python=Python("{0} / {1} if {1} else {numpy}"),
        neutral=lambda t: 1.0,
    ),
    arith.NegfOp: Scalar(
        numpy=floating(np.negative),
        c=COperator("-"),
        python=Python("-{0}", exact=True),
    ),
    arith.MaximumfOp: Scalar(
        numpy=floating(ordered_zeros(np.maximum, maximum=True)),
        neutral=lambda t: -inf,
        commutative=True,
    ),
    arith.MinimumfOp: Scalar(
        numpy=floating(ordered_zeros(np.minimum, maximum=False)),
        neutral=lambda t: inf,
        commutative=True,
    ),
    arith.MaxnumfOp: _library(ordered_zeros(np.fmax, maximum=True), "fmax"),
    arith.MinnumfOp: _library(ordered_zeros(np.fmin, maximum=False), "fmin"),
    math.AbsFOp: Scalar(floating(np.abs), CLibrary("fabs"), Python("abs({0})", exact=True)),
    math.AcosOp: _library(np.arccos, "acos"),
    math.AcoshOp: _library(np.arccosh, "acosh"),
    math.AsinOp: _library(np.arcsin, "asin"),
    math.AsinhOp: _library(np.arcsinh, "asinh"),
    math.Atan2Op: _library(np.arctan2, "atan2"),
    math.AtanOp: _library(np.arctan, "atan"),
    math.AtanhOp: _library(np.arctanh, "atanh"),
    math.CbrtOp: _library(np.cbrt, "cbrt"),
    math.CeilOp: _library(np.ceil, "ceil"),
    math.CopySignOp: _library(np.copysign, "copysign"),
    math.CosOp: _library(np.cos, "cos"),
    math.CoshOp: _library(np.cosh, "cosh"),
    math.ErfOp: _library(lambda x: error_function(np.asarray(x)), "erf"),
    math.Exp2Op: _library(np.exp2, "exp2"),
    math.ExpM1Op: _library(np.expm1, "expm1"),
    math.ExpOp: _library(np.exp, "exp"),
    math.FPowIOp: Scalar(functions.integer_power),
    math.FloorOp: _library(np.floor, "floor"),
    math.FmaOp: Scalar(functions.fused_multiply_add, CLibrary("fma")),
    math.Log10Op: _library(np.log10, "log10"),
    math.Log1pOp: _library(np.log1p, "log1p"),
    math.Log2Op: _library(np.log2, "log2"),
    math.LogOp: _library(np.log, "log"),
    # Not np.power: where the exponent is 0.5 for all, it takes the square root, also of -inf and -0.
    math.PowFOp: Scalar(in_double(np.float_power), CLibrary("pow")),
    # C99 has no roundeven; in the default rounding mode, which a caller must not leave, rint is that.
    math.RoundEvenOp: _library(np.rint, "rint"),
    math.RoundOp: _library(lambda x: rounded_away(np.asarray(x)), "round"),
    math.RsqrtOp: Scalar(floating(functions.reciprocal_root)),
    math.SinOp: _library(np.sin, "sin"),
    math.SinhOp: _library(np.sinh, "sinh"),
    math.SqrtOp: Scalar(
        numpy=floating(np.sqrt),
        c=CLibrary("sqrt"),
        python=Python("sqrt({0}) if {0} >= 0.0 else nan"),
    ),
    math.TanOp: _library(np.tan, "tan"),
    math.TanhOp: _library(np.tanh, "tanh"),
    math.TruncOp: _library(np.trunc, "trunc"),
}
