"""What the operations of `arith` compute, elementwise on numpy arrays and scalars.

`FUNCTIONS` maps an operation class to a function that takes one such operation and returns the numpy function
of its operands. Operands and results are arrays (or numpy scalars) with exactly `dtype_of(type)`: signless
integers are held signed, `i1` as `bool`, `index` as `int64`. Where MLIR leaves a result undefined we choose
one, so that engines agree:

| case | result |
|---|---|
| integer division or remainder by zero | 0 |
| `INT_MIN / -1` | wraps to `INT_MIN`, remainder 0 |
| shift by the width or more | 0; `shrsi`: the sign |
| `fptosi`, `fptoui` out of range | the nearest representable value; NaN gives 0 |

Callers switch numpy's warnings off (`np.errstate(all="ignore")`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import BFloat16Type, Float16Type, IndexType, IntegerType
from xdsl.ir import Attribute, Operation

from loomir.dialects.element_types import dtype_of

Array = Any
"""A numpy array or scalar."""
Function = Callable[..., Any]
"""A numpy function of the operands; a tuple where the operation has several results."""


# ----- how integers are read --------------------------------------------------------------------------------


def width_of(element: Attribute) -> int:
    """Bits of an integer type; `index` has 64."""
    if isinstance(element, IndexType):
        return 64
    assert isinstance(element, IntegerType)
    return element.width.data


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
    if width_of(element) == 1:
        return (x & 1).astype(np.bool_)
    return x.astype(dtype_of(element))


def _integer(on_signed: Function, read: Function = signed) -> Callable[[Operation], Function]:
    """An operation on integers of one width: plain on native widths, through `int8` on `i1`."""

    def of(op: Operation) -> Function:
        element = op.results[0].type
        if width_of(element) != 1 and read is signed:
            return on_signed
        return lambda *xs: wrapped(on_signed(*map(read, xs)), element)

    return of


def _bitwise(function: Function) -> Callable[[Operation], Function]:
    return lambda op: function


# ----- division, shifts -------------------------------------------------------------------------------------


def _divsi(a: Array, b: Array) -> Array:
    # Exact after taking the remainder off, so that floor division truncates; numpy gives 0 for a division by
    # zero.
    return np.floor_divide(a - np.fmod(a, b), b)


def _floordivsi(a: Array, b: Array) -> Array:
    return np.floor_divide(a, b)


def _ceildiv(a: Array, b: Array) -> Array:
    q = np.floor_divide(a, b)
    return q + ((q * b != a) & (b != 0)).astype(q.dtype)


def _shli(a: Array, b: Array) -> Array:
    return np.left_shift(a, b)


def _shrui(a: Array, b: Array) -> Array:
    return np.right_shift(a, b)


def _shrsi_of(op: Operation) -> Function:
    element = op.results[0].type
    highest = max(width_of(element) - 1, 1)

    def shrsi(a: Array, b: Array) -> Array:
        a, amount = signed(a), unsigned(b)
        return wrapped(np.right_shift(a, np.minimum(amount, highest).astype(a.dtype)), element)

    return shrsi


# ----- several results --------------------------------------------------------------------------------------


def _extended_of(function: Callable[[int, int], int], read: Function) -> Callable[[Operation], Function]:
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

        def extended(a: Array, b: Array) -> tuple[Array, Array]:
            exact = np.frompyfunc(lambda x, y: function(int(x), int(y)), 2, 1)(read(a), read(b))
            parts = []
            for shift, element in ((0, low), (width, high)):
                cut = np.frompyfunc(lambda v, s=shift, e=element: part(v, s, e), 1, 1)(exact)
                parts.append(np.asarray(cut).astype(dtype_of(element)))
            return parts[0], parts[1]

        return extended

    return of


# ----- comparison -------------------------------------------------------------------------------------------

_CMPI: tuple[tuple[Function, Function], ...] = (
    (np.equal, signed),
    (np.not_equal, signed),
    (np.less, signed),
    (np.less_equal, signed),
    (np.greater, signed),
    (np.greater_equal, signed),
    (np.less, unsigned),
    (np.less_equal, unsigned),
    (np.greater, unsigned),
    (np.greater_equal, unsigned),
)


def _cmpi_of(op: Operation) -> Function:
    assert isinstance(op, arith.CmpiOp)
    compare, read = _CMPI[op.predicate.value.data]
    if read is signed and width_of(op.lhs.type) != 1:
        return compare
    return lambda a, b: compare(read(a), read(b))


def _unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


# In the order of MLIR's predicates: false, oeq … ord, ueq … uno, true. numpy's comparisons are ordered but
# for !=.
_CMPF: tuple[Function, ...] = (
    lambda a, b: np.zeros(np.broadcast(a, b).shape, np.bool_),
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    lambda a, b: np.less(a, b) | np.greater(a, b),
    lambda a, b: ~_unordered(a, b),
    lambda a, b: np.equal(a, b) | _unordered(a, b),
    lambda a, b: ~np.less_equal(a, b),
    lambda a, b: ~np.less(a, b),
    lambda a, b: ~np.greater_equal(a, b),
    lambda a, b: ~np.greater(a, b),
    np.not_equal,
    _unordered,
    lambda a, b: np.ones(np.broadcast(a, b).shape, np.bool_),
)


def _cmpf_of(op: Operation) -> Function:
    assert isinstance(op, arith.CmpfOp)
    return _CMPF[op.predicate.value.data]


# ----- floats -----------------------------------------------------------------------------------------------


def narrow(element: Attribute) -> bool:
    """Whether a float type is stored in 16 bits and computed in f32."""
    return isinstance(element, Float16Type | BFloat16Type)


def floating(function: Function) -> Callable[[Operation], Function]:
    """An operation on floats of one type: f16 and bf16 are computed in f32 and rounded once."""

    def of(op: Operation) -> Function:
        element = op.results[0].type
        if not narrow(element):
            return function
        dtype = dtype_of(element)
        return lambda *xs: np.asarray(function(*(np.asarray(x).astype(np.float32) for x in xs))).astype(dtype)

    return of


def _ordered_zeros(choose: Function, is_maximum: bool) -> Function:
    """`choose` with -0 < +0, as IEEE 754-2019 has it: which zero numpy gives depends on the length of the
    array.
    """

    def function(a: Array, b: Array) -> Array:
        r = choose(a, b)
        return np.where((a == b) & (r == 0), np.add(a, b) if is_maximum else -np.add(-a, -b), r)

    return function


def float_to_integer(x: Array, element: Attribute, is_signed: bool) -> Array:
    """Round towards zero; saturate; NaN gives 0."""
    width = width_of(element)
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    wide = np.trunc(np.asarray(x).astype(np.float64))
    inside = (wide >= low) & (wide < float(high + 1))
    integer = np.where(inside, wide, 0).astype(np.int64 if is_signed else np.uint64)
    integer = np.where(wide >= float(high + 1), np.asarray(high).astype(integer.dtype), integer)
    integer = np.where(wide < low, np.asarray(low).astype(integer.dtype), integer)
    return wrapped(integer, element)


def _fpto_of(is_signed: bool) -> Callable[[Operation], Function]:
    return lambda op: lambda x: float_to_integer(x, op.results[0].type, is_signed)


def _tofp_of(read: Function) -> Callable[[Operation], Function]:
    def of(op: Operation) -> Function:
        dtype = dtype_of(op.results[0].type)
        # Through f64, which ml_dtypes can convert from and which holds every integer that f16 can tell apart.
        if dtype.itemsize == 2:
            return lambda x: read(x).astype(np.float64).astype(dtype)
        return lambda x: read(x).astype(dtype)

    return of


# ----- casts ------------------------------------------------------------------------------------------------


def _cast_integer_of(read: Function) -> Callable[[Operation], Function]:
    return lambda op: lambda x: wrapped(read(x), op.results[0].type)


def _cast_float_of(op: Operation) -> Function:
    dtype = dtype_of(op.results[0].type)
    return lambda x: np.asarray(x).astype(dtype)


def _bitcast_of(op: Operation) -> Function:
    dtype = dtype_of(op.results[0].type)
    return lambda x: x if np.asarray(x).dtype == dtype else np.asarray(x).view(dtype)


def _select(c: Array, a: Array, b: Array) -> Array:
    return np.where(c, a, b)


FUNCTIONS: dict[type[Operation], Callable[[Any], Function]] = {
    arith.AddiOp: _integer(np.add),
    arith.SubiOp: _integer(np.subtract),
    arith.MuliOp: _integer(np.multiply),
    arith.DivSIOp: _integer(_divsi),
    arith.DivUIOp: _integer(np.floor_divide, unsigned),
    arith.FloorDivSIOp: _integer(_floordivsi),
    arith.CeilDivSIOp: _integer(_ceildiv),
    arith.CeilDivUIOp: _integer(_ceildiv, unsigned),
    arith.RemSIOp: _integer(np.fmod),
    arith.RemUIOp: _integer(np.remainder, unsigned),
    arith.MinSIOp: _integer(np.minimum),
    arith.MaxSIOp: _integer(np.maximum),
    arith.MinUIOp: _integer(np.minimum, unsigned),
    arith.MaxUIOp: _integer(np.maximum, unsigned),
    arith.AndIOp: _bitwise(np.bitwise_and),
    arith.OrIOp: _bitwise(np.bitwise_or),
    arith.XOrIOp: _bitwise(np.bitwise_xor),
    arith.ShLIOp: _integer(_shli, unsigned),
    arith.ShRUIOp: _integer(_shrui, unsigned),
    arith.ShRSIOp: _shrsi_of,
    arith.AddUIExtendedOp: _extended_of(operator.add, unsigned),
    arith.MulUIExtendedOp: _extended_of(operator.mul, unsigned),
    arith.MulSIExtendedOp: _extended_of(operator.mul, signed),
    arith.CmpiOp: _cmpi_of,
    arith.CmpfOp: _cmpf_of,
    arith.SelectOp: lambda op: _select,
    arith.AddfOp: floating(np.add),
    arith.SubfOp: floating(np.subtract),
    arith.MulfOp: floating(np.multiply),
    arith.DivfOp: floating(np.divide),
    arith.NegfOp: floating(np.negative),
    arith.MaximumfOp: floating(_ordered_zeros(np.maximum, True)),
    arith.MinimumfOp: floating(_ordered_zeros(np.minimum, False)),
    arith.MaxnumfOp: floating(_ordered_zeros(np.fmax, True)),
    arith.MinnumfOp: floating(_ordered_zeros(np.fmin, False)),
    arith.BitcastOp: _bitcast_of,
    arith.IndexCastOp: _cast_integer_of(signed),
    arith.ExtSIOp: _cast_integer_of(signed),
    arith.ExtUIOp: _cast_integer_of(unsigned),
    arith.TruncIOp: _cast_integer_of(unsigned),
    arith.SIToFPOp: _tofp_of(signed),
    arith.UIToFPOp: _tofp_of(unsigned),
    arith.FPToSIOp: _fpto_of(True),
    arith.FPToUIOp: _fpto_of(False),
    arith.ExtFOp: _cast_float_of,
    arith.TruncFOp: _cast_float_of,
}
"""Operation class → the numpy function of one operation (`arith.constant` is not among them)."""
