"""Elementwise semantics of float operations in numpy.

They apply to arrays and scalars (see `loomir.dialects.scalars`).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type
from xdsl.ir import Attribute, Operation

from loomir.dialects.element_types import dtype_of
from loomir.dialects.scalars.integers import Maker, wrapped
from loomir.dialects.scalars.row import Array, Function, width_of


def narrow(element: Attribute) -> bool:
    """Return True for a 16-bit float type, computed in f32."""
    return isinstance(element, Float16Type | BFloat16Type)


def floating(function: Function) -> Maker:
    """Wrap an operation on floats of one type.

    f16 and bf16 are computed in f32 and rounded once.
    """

    def of(op: Operation) -> Function:
        element = op.results[0].type
        if not narrow(element):
            return function
        dtype = dtype_of(element)
        return lambda *xs: np.asarray(function(*(np.asarray(x).astype(np.float32) for x in xs))).astype(dtype)

    return of


def in_double(function: Function) -> Maker:
    """Compute a function in double precision and round the result.

    It is for functions whose f32 version in numpy is less exact than the double one.
    """

    def of(op: Operation) -> Function:
        dtype = dtype_of(op.results[0].type)
        if dtype == np.float64:
            return function
        return lambda *xs: function(*(np.asarray(x).astype(np.float64) for x in xs)).astype(dtype)

    return of


def ordered_zeros(choose: Function, *, maximum: bool) -> Function:
    """Order -0 < +0 in `choose`, as IEEE 754-2019 does.

    In numpy, the array's length determines which zero results.
    """

    def function(a: Array, b: Array) -> Array:
        r = choose(a, b)
        return np.where((a == b) & (r == 0), np.add(a, b) if maximum else -np.add(-a, -b), r)

    return function


def reciprocal_root(x: Array) -> Array:
    return np.divide(np.ones_like(x), np.sqrt(x))


def integer_power(op: Operation) -> Function:
    dtype = dtype_of(op.results[0].type)
    # In double, so that a 32-bit exponent keeps its parity.
    return lambda x, n: np.power(np.asarray(x).astype(np.float64), np.asarray(n).astype(np.float64)).astype(
        dtype
    )


# ----- fused multiply-add -----------------------------------------------------------------------------------


def _fma_f32(a: Array, b: Array, c: Array) -> Array:
    """Compute a fused multiply-add in f32.

    The product and the sum are computed in double and rounded to odd, so that the final rounding is the only one.
    """
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
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


_fma_f64 = np.frompyfunc(_fma_exact, 3, 1)


def fused_multiply_add(op: Operation) -> Function:
    dtype = dtype_of(op.results[0].type)
    if dtype == np.float64:
        return lambda *xs: np.asarray(_fma_f64(*(np.asarray(x).astype(object) for x in xs))).astype(dtype)
    return lambda *xs: _fma_f32(*xs).astype(dtype)


# ----- casts ------------------------------------------------------------------------------------------------


def to_integer(*, signed: bool) -> Maker:
    """Round towards zero; saturate; NaN gives 0."""

    def of(op: Operation) -> Function:
        element = op.results[0].type
        width = width_of(element)
        low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)

        def convert(x: Array) -> Array:
            wide = np.trunc(np.asarray(x).astype(np.float64))
            inside = (wide >= low) & (wide < float(high + 1))
            integer = np.where(inside, wide, 0).astype(np.int64 if signed else np.uint64)
            integer = np.where(wide >= float(high + 1), np.asarray(high).astype(integer.dtype), integer)
            integer = np.where(wide < low, np.asarray(low).astype(integer.dtype), integer)
            return wrapped(integer, element)

        return convert

    return of


def to_float(op: Operation) -> Function:
    """A float as one of another type."""
    dtype = dtype_of(op.results[0].type)
    return lambda x: np.asarray(x).astype(dtype)


def bits(op: Operation) -> Function:
    """The same bits as a value of another type."""
    dtype = dtype_of(op.results[0].type)
    return lambda x: x if np.asarray(x).dtype == dtype else np.asarray(x).view(dtype)
