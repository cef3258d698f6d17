"""Arithmetic shared by several families.

It is total and exact by the types' own rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import ml_dtypes
import numpy as np

from loomir.dialects.numerics.workspace import claim

NARROW = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))
"""Float types in which nothing is summed: sums are kept in f32."""


def is_integer_dtype(dtype: np.dtype) -> bool:
    return dtype.kind in "iu"


def saturated(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Convert floats that are whole (or not finite) to integers, with saturation.

    Beyond the type's range the result is the limit; NaN becomes 0.
    """
    x = np.asarray(x, np.float64)
    info = np.iinfo(dtype)
    # The greatest integer of a 64-bit type is no double; the double that it rounds to is already out of
    # range.
    above, below = x >= float(info.max), x <= float(info.min)
    inside = np.where(above | below | np.isnan(x), 0.0, x).astype(dtype)
    return np.where(above, dtype.type(info.max), np.where(below, dtype.type(info.min), inside)).astype(dtype)


def truncated_to(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Floats rounded towards zero to integers, as `ov.convert` does."""
    return saturated(np.trunc(x.astype(np.float64)), dtype)


def through_float(x: np.ndarray, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Apply a float function, to integers in double precision.

    Results for integers are rounded to the nearest (halves to even).
    """
    if not is_integer_dtype(x.dtype):
        return np.asarray(function(x), x.dtype)
    return saturated(np.rint(function(x.astype(np.float64))), x.dtype)


def rounded_away(x: np.ndarray) -> np.ndarray:
    """Round to the nearest whole number, halves away from zero.

    The sign of zero is kept.
    """
    # Adding 0.5 would round 0.49999997 up.
    whole = np.trunc(x)
    beyond = np.abs(x - whole) >= np.asarray(0.5, x.dtype)
    return np.copysign(np.where(beyond, whole + np.copysign(np.ones_like(whole), x), whole), x)


_erf = np.frompyfunc(math.erf, 1, 1)


def error_function(x: np.ndarray) -> np.ndarray:
    """numpy has none: the C library's, in double precision."""
    return np.asarray(_erf(x.astype(np.float64)), np.float64).astype(x.dtype)


def truncating_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the integer quotient a / b, rounded towards zero.

    It is 0 where b is 0; the least integer divided by -1 is itself.
    """
    quotient = a // b
    inexact = (a % b != 0) & ((a < 0) != (b < 0))
    return np.asarray(quotient + inexact.astype(quotient.dtype), quotient.dtype)


def float_remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the remainder of floats as `ov.mod` defines it.

    This is C's fmod while |a / b| < 2^53, and beyond that a zero (NaN where fmod returns NaN).
    """
    x, y = a.astype(np.float64), b.astype(np.float64)
    # NaN and b = 0 fall out of the zero's division.
    beyond = np.abs(x / y) >= 2.0**53
    return np.where(beyond, x * 0 / np.abs(y), np.fmod(x, y)).astype(a.dtype)


def integer_power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Raise integer a to the power b by repeated squaring.

    The result wraps around; see `ov.power` for negative exponents.
    """
    a, b = np.broadcast_arrays(a, b)
    result, base, left = np.ones_like(a), a.copy(), np.where(b > 0, b, 0).astype(b.dtype)
    while left.any():
        result = np.where(left & 1, result * base, result)
        base = base * base
        left = left >> 1
    if a.dtype.kind == "u":
        return result
    minus_one = np.where(b & 1, -1, 1)
    inverse = np.where(a == 1, 1, np.where(a == -1, minus_one, 0))
    return np.where(b < 0, inverse, result).astype(a.dtype)


def wide(x: np.ndarray) -> np.ndarray:
    """Return f16 and bf16 as f32; leave other types unchanged.

    Sums of f16 and bf16 are accumulated in f32.
    """
    return as_type(x, np.float32) if x.dtype in NARROW else x


def as_type(x: np.ndarray, dtype: np.dtype | type) -> np.ndarray:
    """Convert an array to the wider type in which it is computed.

    Error: as `claim`.
    """
    claim(x.shape, np.dtype(dtype))
    return x.astype(dtype)


def limits(dtype: np.dtype) -> tuple[float | int, float | int]:
    """Return the least and the greatest value of a type.

    They are infinities if the type has them.
    """
    if is_integer_dtype(dtype):
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return -math.inf, math.inf


def sort_keys(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers without NaN, and where NaN was."""
    x = wide(x)
    if x.dtype.kind != "f":
        return x, np.zeros(x.shape, bool)
    nan = np.isnan(x)
    return np.where(nan, np.zeros((), x.dtype), x), nan
