"""Elementwise semantics of integer operations in numpy.

They apply to arrays and scalars (see `loomir.dialects.scalars`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation

from loomir.dialects.element_types import dtype_of
from loomir.dialects.scalars.row import Array, Function, is_boolean, width_of

Maker = Callable[[Any], Function]
"""From an operation, the numpy function of its operands."""


# ----- how integers are read --------------------------------------------------------------------------------


def unsigned(x: Array) -> Array:
    """The same bits read as unsigned; `bool` becomes `uint8` 0 or 1."""
    x = np.asarray(x)
    return x.astype(np.uint8) if x.dtype == np.bool_ else x.view(np.dtype(f"u{x.dtype.itemsize}"))


def signed(x: Array) -> Array:
    """The value read as signed; `bool` becomes `int8` 0 or -1."""
    x = np.asarray(x)
    return -x.astype(np.int8) if x.dtype == np.bool_ else x


def wrapped(x: Array, element: Attribute) -> Array:
    """The low bits of an integer array as a value of `element`."""
    return (x & 1).astype(np.bool_) if is_boolean(element) else x.astype(dtype_of(element))


def integer(function: Function, read: Function = signed) -> Maker:
    """Wrap an operation on integers of one width.

    The operation is unchanged on native widths and goes through `int8` on `i1`.
    """

    def of(op: Operation) -> Function:
        element = op.results[0].type
        if read is signed and not is_boolean(element):
            return function
        return lambda *xs: wrapped(function(*map(read, xs)), element)

    return of


# ----- division, shifts, powers -----------------------------------------------------------------------------


def truncated_quotient(a: Array, b: Array) -> Array:
    # Exact after taking the remainder off, so that floor division truncates; numpy gives 0 for a division by
    # zero.
    return np.floor_divide(a - np.fmod(a, b), b)


def raised_quotient(a: Array, b: Array) -> Array:
    q = np.floor_divide(a, b)
    return q + ((q * b != a) & (b != 0)).astype(q.dtype)


def arithmetic_shift_right(op: Operation) -> Function:
    element = op.results[0].type
    highest = max(width_of(element) - 1, 1)

    def shift(a: Array, b: Array) -> Array:
        a, amount = signed(a), unsigned(b)
        return wrapped(np.right_shift(a, np.minimum(amount, highest).astype(a.dtype)), element)

    return shift


def power(a: Array, n: Array) -> Array:
    """Compute a power by repeated squaring with wrap-around.

    A negative exponent yields 0, except for the bases 1 and -1.
    """
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


# ----- bits -------------------------------------------------------------------------------------------------


def count(of_bits: Callable[[Array, int], Array]) -> Maker:
    """Wrap a function that counts bits of a kind.

    The function takes a value read as unsigned and its width.
    """

    def of(op: Operation) -> Function:
        dtype, width = dtype_of(op.results[0].type), width_of(op.results[0].type)
        return lambda x: of_bits(unsigned(x), width).astype(dtype)

    return of


def leading_zeros(x: Array, width: int) -> Array:
    shift = 1
    while shift < width:
        x = x | (x >> shift)
        shift *= 2
    return width - np.bitwise_count(x)


def trailing_zeros(x: Array, width: int) -> Array:
    return np.minimum(np.bitwise_count(~x & (x - 1)), width)


# ----- several results --------------------------------------------------------------------------------------


def extended(function: Callable[[int, int], int], read: Function) -> Maker:
    """Low and high part of an exact result, through Python integers."""

    def of(op: Operation) -> Function:
        low, high = (r.type for r in op.results)
        width = width_of(low)

        def part(value: int, shift: int, element: Attribute) -> int | bool:
            bits = width_of(element)
            value = (value >> shift) & ((1 << bits) - 1)
            if bits == 1:
                return bool(value)
            return value - (1 << bits) if value >> (bits - 1) else value

        def parts(a: Array, b: Array) -> tuple[Array, Array]:
            exact = np.frompyfunc(lambda x, y: function(int(x), int(y)), 2, 1)(read(a), read(b))
            found = []
            for shift, element in ((0, low), (width, high)):
                cut = np.frompyfunc(lambda v, s=shift, e=element: part(v, s, e), 1, 1)(exact)
                found.append(np.asarray(cut).astype(dtype_of(element)))
            return found[0], found[1]

        return parts

    return of


# ----- casts ------------------------------------------------------------------------------------------------


def to_integer(read: Function) -> Maker:
    """The low bits of an integer as another type of integer."""
    return lambda op: lambda x: wrapped(read(x), op.results[0].type)


def to_float(read: Function) -> Maker:
    """An integer as a float."""

    def of(op: Operation) -> Function:
        dtype = dtype_of(op.results[0].type)
        # Through f64, which ml_dtypes can convert from and which holds every integer that f16 can tell apart.
        if dtype.itemsize == 2:
            return lambda x: read(x).astype(np.float64).astype(dtype)
        return lambda x: read(x).astype(dtype)

    return of
