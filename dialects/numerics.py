"""Arithmetic of numpy by element types' own rules, and workspace memory.

The code is shared by the `evaluate` of several operations, and by the readers and writers of constants.

**Packed elements** of fewer than eight bits are stored one after another, several in a byte, as models store them (`packed`,
`unpacked`). `SMALL_FLOATS` has the bit layouts of 4, 6 and 8-bit floats, for conversions.

**Indices** that are data (`positions`): negative indices count from the end; indices out of range are errors.

**Maxima and minima** are those of IEEE 754-2019: the result is NaN if there is one among the operands, and -0 < 0. For zeros of
both signs, the results of numpy's own functions depend on the length of an array and on the processor.

**Arithmetic** shared by several families of operations is total and exact by the types' own rules.

**Workspace** is the memory that an operation needs in addition to its operands and results, for evaluation and for decomposition.
It is bounded before it is allocated.

Windows overlap, padding may extend far beyond the data, a table has as many rows as an attribute specifies: an operation on
a few elements with a small result can request more memory than there is. The evaluating code sets the limit (`workspace`);
code that allocates such an array checks the limit first, by `claim` or by creating the array with a function of this
module (`full`, `arange`, `along`). A tensor without elements may have extents beyond all memory: an array with one extent of an
operand, or with the window of a kernel, is no smaller if there is no data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import prod

import ml_dtypes
import numpy as np
from xdsl.ir import Attribute

from loomir.dialects import element_types as et
from loomir.errors import Error

DEFAULT = 1 << 30
"""Default limit in bytes, for evaluation while a program is compiled."""

_limit: ContextVar[int] = ContextVar("workspace", default=DEFAULT)


@contextmanager
def workspace(limit: int) -> Iterator[None]:
    """Allow this many bytes for one array, in this thread."""
    before = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(before)


def claim(shape: Sequence[int], dtype: np.dtype) -> None:
    """Raise `Error("limit-bytes")` if an array of this shape exceeds the limit."""
    size = prod(shape) * dtype.itemsize
    # An array of nothing must have extents that numpy can multiply all the same.
    if size > _limit.get() or prod(e for e in shape if e) * dtype.itemsize >= 1 << 63:
        raise Error(
            "limit-bytes",
            f"a temporary array of shape {list(shape)} takes {size} bytes, more than the limit of {_limit.get()}",
            hint="raise the bound with --max-bytes (max_bytes= in Python) if that is intended",
        )


def full(shape: Sequence[int], value: float | int | bool | np.ndarray, dtype: np.dtype | type) -> np.ndarray:
    """An array of one value. Error: as `claim`."""
    claim(shape, np.dtype(dtype))
    return np.full(shape, value, dtype)


def arange(n: int, dtype: np.dtype | type = np.int64) -> np.ndarray:
    """The numbers below n. Error: as `claim`."""
    claim((n,), np.dtype(dtype))
    return np.arange(n, dtype=dtype)


def along(n: int, axis: int, rank: int) -> np.ndarray:
    """Return the numbers below n along an axis of a tensor.

    `rank` is the rank of the tensor; all other extents are 1. Error: as `claim`.
    """
    return arange(n).reshape([-1 if k == axis else 1 for k in range(rank)])


SHARED_BITS: Mapping[str, int] = {"u1": 1, "u2": 2, "u4": 4, "i4": 4, "f4e2m1": 4, "nf4": 4}
"""Bit widths of packed element types, by OpenVINO's type names.

The elements lie one after another, the first one in the lowest bits (for u1, in the highest).
"""


def packed_size(count: int, bits: int) -> int:
    """How many bytes `count` elements take."""
    return (count * bits + 7) // 8


def unpacked(data: np.ndarray, count: int, bits: int, *, high_first: bool = False) -> np.ndarray:
    """The codes of `count` elements of `bits` bits, one in a byte.

    The first element is in the lowest bits of the first byte, or in its highest where `high_first`; an element may lie
    across two bytes.
    """
    stream = np.unpackbits(data, count=count * bits, bitorder="big" if high_first else "little")
    codes = np.packbits(stream.reshape(count, bits), axis=1, bitorder="big" if high_first else "little")
    # packbits fills up the bits that are missing: low ones where the highest comes first.
    return codes.reshape(count) >> (8 - bits if high_first else 0)


def packed(codes: np.ndarray, bits: int) -> np.ndarray:
    """Pack codes, one per byte, into bytes.

    The upper bits of each code's byte are ignored. The first code is in the lowest bits of the first byte.
    """
    stream = np.unpackbits(codes.reshape(-1, 1), axis=1, count=bits, bitorder="little")
    return np.packbits(stream.reshape(-1), bitorder="little")


@dataclass(frozen=True)
class SmallFloat:
    """Float with a sign bit, exponent and mantissa bits, and subnormals.

    It has `exponent` bits and `mantissa` bits beside the sign.

    `greatest` is the code of the greatest finite number; `infinity` and `nan` are codes, or None if there is none. With
    `one_zero` there is no negative zero: its code is that of NaN, which has no sign either.
    """

    exponent: int
    mantissa: int
    bias: int
    greatest: int
    infinity: int | None = None
    nan: int | None = None
    one_zero: bool = False

    @property
    def bits(self) -> int:
        return 1 + self.exponent + self.mantissa

    @property
    def sign(self) -> int:
        """The code of the sign bit."""
        return 1 << (self.exponent + self.mantissa)

    @property
    def overflow(self) -> int:
        """Code of a value that is out of range and not saturated."""
        code = self.infinity if self.infinity is not None else self.nan
        return self.greatest if code is None else code


SMALL_FLOATS: dict[Attribute, SmallFloat] = {
    et.f4e2m1: SmallFloat(2, 1, 1, 0x07),
    et.f6e2m3: SmallFloat(2, 3, 1, 0x1F),
    et.f6e3m2: SmallFloat(3, 2, 3, 0x1F),
    et.f8e4m3fn: SmallFloat(4, 3, 7, 0x7E, nan=0x7F),
    et.f8e4m3fnuz: SmallFloat(4, 3, 8, 0x7F, nan=0x80, one_zero=True),
    et.f8e5m2: SmallFloat(5, 2, 15, 0x7B, infinity=0x7C, nan=0x7E),
    et.f8e5m2fnuz: SmallFloat(5, 2, 16, 0x7F, nan=0x80, one_zero=True),
}
"""Layouts of all small floats but `f8E8M0FNU`.

`f8E8M0FNU` is a bare exponent: a power of two, or NaN.
"""

ROUND_MODES = ("up", "down", "nearest")
"""Rounding modes of conversions to a power of two (`f8E8M0FNU`).

`nearest` rounds ties up.
"""


def as_signed(indices: np.ndarray) -> np.ndarray:
    """Convert indices to i64.

    Those beyond its range become larger than any extent, not negative.
    """
    wanted = indices.astype(np.int64)
    return np.where(wanted < 0, np.iinfo(np.int64).max, wanted) if indices.dtype == np.uint64 else wanted


def positions(indices: np.ndarray, extent: int, *, negative: bool = True) -> np.ndarray:
    """Convert indices to positions counted from the front.

    Raises `Error("runtime-index")` for an index outside of [-extent, extent). Without `negative`, indices below 0 are out of
    range too.
    """
    wanted = as_signed(indices)
    inside = (wanted >= (-extent if negative else 0)) & (wanted < extent)
    if not inside.all():
        first = int(wanted[~inside].reshape(-1)[0])
        raise Error("runtime-index", f"index {first} is out of range for extent {extent}")
    return wanted + extent * (wanted < 0)


def maximum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The greater one of two elements, broadcast."""
    r = np.maximum(a, b)
    # Only zeros are equal and have another sum of signs: 0 + -0 is 0.
    return np.where((r == 0) & (a == b), a + b, r) if _has_zeros(r) else r


def minimum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The lesser one of two elements, broadcast."""
    r = np.minimum(a, b)
    return np.where((r == 0) & (a == b), -(-a + -b), r) if _has_zeros(r) else r


def greatest(
    x: np.ndarray, axes: int | Sequence[int], *, keepdims: bool = False, initial: np.ndarray | None = None
) -> np.ndarray:
    """The greatest element along axes."""
    return _reduced(np.maximum, x, axes, keepdims, initial, negative=False)


def least(
    x: np.ndarray, axes: int | Sequence[int], *, keepdims: bool = False, initial: np.ndarray | None = None
) -> np.ndarray:
    """The least element along axes."""
    return _reduced(np.minimum, x, axes, keepdims, initial, negative=True)


def joined_at(choose: np.ufunc, out: np.ndarray, at: np.ndarray, values: np.ndarray) -> None:
    """`choose.at(out, at, values)` of `np.maximum` or `np.minimum`."""
    if not _is_float(out.dtype):
        choose.at(out, at, values)
        return
    negative = choose is np.minimum
    decisive = _zeros(out, negative)
    np.logical_or.at(decisive, at, _zeros(values, negative))
    touched = np.zeros(out.shape, bool)
    touched[at] = True
    choose.at(out, at, values)
    zero = touched & (out == 0)
    out[zero] = np.where(decisive[zero] == negative, -1.0, 1.0).astype(out.dtype) * np.zeros((), out.dtype)


def _reduced(
    choose: np.ufunc,
    x: np.ndarray,
    axes: int | Sequence[int],
    keepdims: bool,
    initial: np.ndarray | None,
    *,
    negative: bool,
) -> np.ndarray:
    where = axes if isinstance(axes, int) else tuple(axes)
    options: dict = {} if initial is None else {"initial": initial}
    r = np.asarray(choose.reduce(x, where, keepdims=keepdims, **options))
    if not _has_zeros(r):
        return r
    decisive = np.logical_or.reduce(_zeros(x, negative), where, keepdims=keepdims)
    # Decisive for a maximum is any 0, for a minimum any -0.
    sign = np.where(decisive == negative, -1.0, 1.0).astype(x.dtype)
    return np.where(r == 0, sign * np.zeros((), x.dtype), r)


def _zeros(x: np.ndarray, negative: bool) -> np.ndarray:
    return (x == 0) & (np.signbit(x) == negative)


def _has_zeros(x: np.ndarray) -> bool:
    return _is_float(x.dtype) and bool((x == 0).any())


def _is_float(dtype: np.dtype) -> bool:
    return dtype.kind not in "biu"


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
