"""What the operations of `math` compute, elementwise on numpy arrays and scalars: see `arith.FUNCTIONS`."""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Operation

from loomir.compiler.interpreters.arith import Array, Function, floating, narrow, unsigned, width_of
from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.evaluate.numeric import error_function, rounded_away


def _rsqrt(x: Array) -> Array:
    return np.divide(np.ones_like(x), np.sqrt(x))


def _fma_f32(a: Array, b: Array, c: Array) -> Array:
    """Exact product and sum in double, rounded to odd, so that the final rounding is the only one."""
    a, b, c = (np.asarray(x, np.float64) for x in (a, b, c))
    p = a * b
    s = p + c
    t = s - p
    error = (p - (s - t)) + (c - t)
    bits = np.ascontiguousarray(s).view(np.int64).reshape(s.shape)
    even = (bits & 1) == 0
    away = np.where((error > 0) == (s > 0), 1, -1)
    odd = np.where(even & (error != 0) & np.isfinite(s) & np.isfinite(error), bits + away, bits)
    return odd.view(np.float64).astype(np.float32)


def _fma_exact(a: float, b: float, c: float) -> float:
    if not all(map(_math.isfinite, (a, b, c))):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    try:
        return float(exact)
    except OverflowError:
        return _math.copysign(_math.inf, exact)


_fma_f64 = np.frompyfunc(_fma_exact, 3, 1)


def _fma_of(op: Operation) -> Function:
    dtype = dtype_of(op.results[0].type)
    if dtype == np.float64:
        return lambda *xs: np.asarray(_fma_f64(*(np.asarray(x).astype(object) for x in xs))).astype(dtype)
    return lambda *xs: _fma_f32(*xs).astype(dtype)


def _fpowi_of(op: Operation) -> Function:
    dtype = dtype_of(op.results[0].type)
    # In double, so that a 32-bit exponent keeps its parity.
    return lambda x, n: np.power(np.asarray(x).astype(np.float64), np.asarray(n).astype(np.float64)).astype(
        dtype
    )


def _ipowi(a: Array, n: Array) -> Array:
    """Repeated squaring with wrap-around; a negative exponent gives 0 but for the bases 1 and -1."""
    a, n = np.broadcast_arrays(np.asarray(a), np.asarray(n))
    result = np.ones_like(a)
    base, left = a.copy(), np.where(n > 0, n, 0)
    while left.any():
        result = np.where(left & 1, result * base, result)
        base = base * base
        left = left >> 1
    sign = np.where(n & 1, -1, 1).astype(a.dtype)
    reciprocal = np.where(a == 1, 1, np.where(a == -1, sign, 0)).astype(a.dtype)
    return np.where(n < 0, reciprocal, result)


def _count_leading_zeros_of(op: Operation) -> Function:
    dtype, width = dtype_of(op.results[0].type), width_of(op.results[0].type)

    def ctlz(x: Array) -> Array:
        x = unsigned(x)
        shift = 1
        while shift < width:
            x = x | (x >> shift)
            shift *= 2
        return (width - np.bitwise_count(x)).astype(dtype)

    return ctlz


def _count_trailing_zeros_of(op: Operation) -> Function:
    dtype, width = dtype_of(op.results[0].type), width_of(op.results[0].type)

    def cttz(x: Array) -> Array:
        x = unsigned(x)
        return np.minimum(np.bitwise_count(~x & (x - 1)), width).astype(dtype)

    return cttz


def _count_ones_of(op: Operation) -> Function:
    dtype = dtype_of(op.results[0].type)
    return lambda x: np.bitwise_count(unsigned(x)).astype(dtype)


def _in_double(function: Function) -> Callable[[Operation], Function]:
    """Functions whose f32 version in numpy is less exact than its double one."""

    def of(op: Operation) -> Function:
        dtype = dtype_of(op.results[0].type)
        if dtype == np.float64:
            return function
        return lambda *xs: function(*(np.asarray(x).astype(np.float64) for x in xs)).astype(dtype)

    return of


def _floor_like(function: Function) -> Callable[[Operation], Function]:
    """Exact in any float type, but not every type has the function in numpy."""
    return lambda op: floating(function)(op) if narrow(op.results[0].type) else function


FUNCTIONS: dict[type[Operation], Callable[[Any], Function]] = {
    math.AbsFOp: floating(np.abs),
    math.AbsIOp: lambda op: np.abs,
    math.AcosOp: floating(np.arccos),
    math.AcoshOp: floating(np.arccosh),
    math.AsinOp: floating(np.arcsin),
    math.AsinhOp: floating(np.arcsinh),
    math.Atan2Op: floating(np.arctan2),
    math.AtanOp: floating(np.arctan),
    math.AtanhOp: floating(np.arctanh),
    math.CbrtOp: floating(np.cbrt),
    math.CeilOp: _floor_like(np.ceil),
    math.CopySignOp: floating(np.copysign),
    math.CosOp: floating(np.cos),
    math.CoshOp: floating(np.cosh),
    math.CountLeadingZerosOp: _count_leading_zeros_of,
    math.CountTrailingZerosOp: _count_trailing_zeros_of,
    math.CtPopOp: _count_ones_of,
    math.ErfOp: floating(lambda x: error_function(np.asarray(x))),
    math.Exp2Op: floating(np.exp2),
    math.ExpM1Op: floating(np.expm1),
    math.ExpOp: floating(np.exp),
    math.FPowIOp: _fpowi_of,
    math.FloorOp: _floor_like(np.floor),
    math.FmaOp: _fma_of,
    math.IPowIOp: lambda op: _ipowi,
    math.Log10Op: floating(np.log10),
    math.Log1pOp: floating(np.log1p),
    math.Log2Op: floating(np.log2),
    math.LogOp: floating(np.log),
    math.PowFOp: _in_double(np.power),
    math.RoundEvenOp: floating(np.rint),
    math.RoundOp: floating(lambda x: rounded_away(np.asarray(x))),
    math.RsqrtOp: floating(_rsqrt),
    math.SinOp: floating(np.sin),
    math.SinhOp: floating(np.sinh),
    math.SqrtOp: floating(np.sqrt),
    math.TanOp: floating(np.tan),
    math.TanhOp: floating(np.tanh),
    math.TruncOp: _floor_like(np.trunc),
}
"""Operation class → the numpy function of one operation."""
