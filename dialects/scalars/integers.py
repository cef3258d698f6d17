"""Integer operations: elementwise semantics in numpy, and their rows.

The functions apply to arrays and scalars (see `loomir.dialects.scalars`). `QUADS` is the row of sums of products of quads
(`loomir.dialects.quads`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation

from loomir.dialects.element_types import dtype_of
from loomir.dialects.quads import SIZE, DotOp
from loomir.dialects.scalars import intervals
from loomir.dialects.scalars.intervals import Interval
from loomir.dialects.scalars.row import (
    Array,
    CInteger,
    Function,
    IntervalOf,
    Python,
    Scalar,
    is_boolean,
    width_of,
)

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


# ----- intervals --------------------------------------------------------------------------------------------


def wide(rule: Callable[..., Interval | None]) -> Callable[[Operation, IntervalOf], Interval | None]:
    """Restrict an interval rule to integers wider than one bit.

    A boolean is held as 0 or 1, but read as 0 or -1 where it is signed.
    """

    def interval(op: Operation, of: IntervalOf) -> Interval | None:
        if any(is_boolean(v.type) for v in op.operands):
            return None
        return rule(*map(of, op.operands))

    return interval


# ----- where a result is defined ----------------------------------------------------------------------------


def _divides_unsigned(op: Operation, of: IntervalOf) -> bool:
    low, high = of(op.operands[1])
    return low > 0 or high < 0


def _divides(op: Operation, of: IntervalOf) -> bool:
    """Return True if a signed division is defined.

    Dividing the least integer by -1 is as undefined as a division by 0. The least index depends on the target.
    """
    a, b = op.operands
    (least, _), (low, high) = of(a), of(b)
    if is_boolean(b.type):
        return False
    overflows = isinstance(a.type, IndexType) or least == -(1 << (width_of(a.type) - 1))
    return low > 0 or high < -1 or (high < 0 and not overflows)


def _shifts(op: Operation, of: IntervalOf) -> bool:
    return intervals.contains((0, width_of(op.operands[0].type) - 1), of(op.operands[1]))


# ----- neutral elements -------------------------------------------------------------------------------------


def _zero(element: Attribute) -> int:
    return 0


def _one(element: Attribute) -> int:
    return 1


def _all_bits(element: Attribute) -> int:
    return -1


def _least(element: Attribute) -> int | None:
    return None if isinstance(element, IndexType) else -(1 << (width_of(element) - 1))


def _greatest(element: Attribute) -> int | None:
    return None if isinstance(element, IndexType) else (1 << (width_of(element) - 1)) - 1


# ----- the rows ---------------------------------------------------------------------------------------------

INTEGERS: dict[type[Operation], Scalar] = {
    arith.AddiOp: Scalar(
        numpy=integer(np.add),
        c=CInteger("add", "+", fits=True, boolean="!="),
        python=Python("{0} + {1}"),
        interval=wide(intervals.add),
        neutral=_zero,
        commutative=True,
    ),
    arith.SubiOp: Scalar(
        numpy=integer(np.subtract),
        c=CInteger("sub", "-", fits=True, boolean="!="),
        python=Python("{0} - {1}"),
        interval=wide(intervals.subtract),
        neutral=_zero,
    ),
    arith.MuliOp: Scalar(
        numpy=integer(np.multiply),
        c=CInteger("mul", "*", fits=True, boolean="&&"),
        python=Python("{0} * {1}"),
        interval=wide(intervals.multiply),
        neutral=_one,
        commutative=True,
    ),
    arith.DivSIOp: Scalar(
        numpy=integer(truncated_quotient),
        c=CInteger("div", "/"),
        interval=wide(intervals.quotient(intervals.truncated_quotient)),
        defined=_divides,
        neutral=_one,
    ),
    arith.DivUIOp: Scalar(
        numpy=integer(np.floor_divide, unsigned),
        c=CInteger("divu", "/", non_negative=True),
        interval=wide(intervals.non_negative(intervals.quotient(intervals.floored_quotient))),
        defined=_divides_unsigned,
        neutral=_one,
    ),
    arith.FloorDivSIOp: Scalar(
        numpy=integer(np.floor_divide),
        c=CInteger("floordiv", "/", non_negative=True),
        interval=wide(intervals.quotient(intervals.floored_quotient)),
        defined=_divides,
        neutral=_one,
    ),
    arith.CeilDivSIOp: Scalar(
        numpy=integer(raised_quotient),
        c=CInteger("ceildiv"),
        interval=wide(intervals.quotient(intervals.raised_quotient)),
        defined=_divides,
        neutral=_one,
    ),
    arith.CeilDivUIOp: Scalar(
        numpy=integer(raised_quotient, unsigned),
        c=CInteger("ceildivu"),
        interval=wide(intervals.non_negative(intervals.quotient(intervals.raised_quotient))),
        defined=_divides_unsigned,
        neutral=_one,
    ),
    arith.RemSIOp: Scalar(
        numpy=integer(np.fmod),
        c=CInteger("rem", "%"),
        interval=wide(intervals.remainder),
        defined=_divides,
    ),
    arith.RemUIOp: Scalar(
        numpy=integer(np.remainder, unsigned),
        c=CInteger("remu", "%", non_negative=True),
        interval=wide(intervals.non_negative(intervals.remainder)),
        defined=_divides_unsigned,
    ),
    arith.MinSIOp: Scalar(
        numpy=integer(np.minimum),
        c=CInteger("min", boolean="||"),
        python=Python("{0} if {0} < {1} else {1}"),
        interval=wide(intervals.minimum),
        neutral=_greatest,
        commutative=True,
    ),
    arith.MaxSIOp: Scalar(
        numpy=integer(np.maximum),
        c=CInteger("max", boolean="&&"),
        python=Python("{0} if {0} > {1} else {1}"),
        interval=wide(intervals.maximum),
        neutral=_least,
        commutative=True,
    ),
    arith.MinUIOp: Scalar(
        numpy=integer(np.minimum, unsigned),
        c=CInteger("minu", boolean="&&"),
        interval=wide(intervals.non_negative(intervals.minimum)),
        neutral=_all_bits,
        commutative=True,
    ),
    arith.MaxUIOp: Scalar(
        numpy=integer(np.maximum, unsigned),
        c=CInteger("maxu", boolean="||"),
        interval=wide(intervals.non_negative(intervals.maximum)),
        neutral=_zero,
        commutative=True,
    ),
    arith.AndIOp: Scalar(
        numpy=lambda op: np.bitwise_and,
        c=CInteger("", "&", boolean="&&"),
        python=Python("{0} & {1}", boolean="{0} & {1}"),
        interval=wide(intervals.conjunction),
        neutral=_all_bits,
        commutative=True,
    ),
    arith.OrIOp: Scalar(
        numpy=lambda op: np.bitwise_or,
        c=CInteger("", "|", boolean="||"),
        python=Python("{0} | {1}", boolean="{0} | {1}"),
        interval=wide(intervals.bitwise(operator.or_)),
        neutral=_zero,
        commutative=True,
    ),
    arith.XOrIOp: Scalar(
        numpy=lambda op: np.bitwise_xor,
        c=CInteger("", "^", boolean="!="),
        python=Python("{0} ^ {1}", boolean="{0} ^ {1}"),
        interval=wide(intervals.bitwise(operator.xor)),
        neutral=_zero,
        commutative=True,
    ),
    arith.ShLIOp: Scalar(
        numpy=integer(np.left_shift, unsigned),
        c=CInteger("shl", "<<", fits=True, non_negative=True),
        interval=wide(intervals.shift_left),
        defined=_shifts,
        neutral=_zero,
    ),
    arith.ShRUIOp: Scalar(
        numpy=integer(np.right_shift, unsigned),
        c=CInteger("shru", ">>", fits=True, non_negative=True),
        interval=wide(intervals.shift_right),
        defined=_shifts,
        neutral=_zero,
    ),
    arith.ShRSIOp: Scalar(
        numpy=arithmetic_shift_right,
        c=CInteger("shrs", ">>", fits=True, non_negative=True),
        interval=wide(intervals.shift_right),
        defined=_shifts,
        neutral=_zero,
    ),
    arith.AddUIExtendedOp: Scalar(extended(operator.add, unsigned), CInteger("add", high="carry")),
    arith.MulUIExtendedOp: Scalar(extended(operator.mul, unsigned), CInteger("mul", high="mulhu")),
    arith.MulSIExtendedOp: Scalar(extended(operator.mul, signed), CInteger("mul", high="mulhs")),
    math.AbsIOp: Scalar(lambda op: np.abs, CInteger("abs")),
    math.CountLeadingZerosOp: Scalar(count(leading_zeros), CInteger("ctlz")),
    math.CountTrailingZerosOp: Scalar(count(trailing_zeros), CInteger("cttz")),
    math.CtPopOp: Scalar(count(lambda x, width: np.bitwise_count(x)), CInteger("ctpop")),
    # A power of 0 to a negative exponent is undefined, in C at the latest.
    math.IPowIOp: Scalar(lambda op: power, CInteger("ipow"), defined=lambda op, of: False),
}


def bytes_of(quads: Array, *, unsigned: bool) -> list[Array]:
    """Return the four bytes of each quad as 64-bit integers, lowest first."""
    bits = np.asarray(quads).astype(np.int64)
    found = [bits >> 8 * i & 255 for i in range(SIZE)]
    return found if unsigned else [(byte ^ 128) - 128 for byte in found]


def _dot(op: DotOp) -> Function:
    zero, unsigned = op.zero.value.data, op.unsigned is not None

    def function(accumulator: Array, lhs: Array, rhs: Array) -> Array:
        pairs = zip(bytes_of(lhs, unsigned=unsigned), bytes_of(rhs, unsigned=False), strict=True)
        return (np.asarray(accumulator) + sum((a - zero) * b for a, b in pairs)).astype(np.int32)

    return function


def added_by(op: DotOp) -> Interval:
    """Between which numbers lies what is added to the accumulator."""
    zero, least = op.zero.value.data, 0 if op.unsigned is not None else -128
    low, high = intervals.multiply((least - zero, least + 255 - zero), (-128, 127))
    return SIZE * low, SIZE * high


def _interval(op: DotOp, of: IntervalOf) -> Interval | None:
    return intervals.add(of(op.accumulator), added_by(op))


QUADS: dict[type[Operation], Scalar] = {DotOp: Scalar(numpy=_dot, interval=_interval)}
