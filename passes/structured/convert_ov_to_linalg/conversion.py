"""Lowering of Convert, with storage types in integer arithmetic.

Scalars of storage types are converted to and from computation types in integer arithmetic.

Below GRAPH each scalar is an `i8`: an integer of 2 or 4 bits is held as itself, a small float as its bits
(`dialects/element_types.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.element_types import (
    f8e8m0,
    f32,
    f64,
    i8,
    i32,
    i64,
    is_float,
    is_storage,
    is_storage_integer,
    is_unsigned,
    ui8,
)
from loomir.dialects.numerics import SMALL_FLOATS, SmallFloat
from loomir.dialects.ov.attributes import to_bool, to_str
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.passes.structured.lib.builder import StructuredBuilder
from loomir.passes.structured.lib.generics import elementwise
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath, width
from loomir.passes.structured.lib.tensor_builder import Shaped


@dataclass(frozen=True)
class _Real:
    """A float that numbers are encoded from."""

    element: Attribute
    integer: Attribute
    mantissa: int
    bias: int


_F32 = _Real(f32, i32, 23, 127)
_F64 = _Real(f64, i64, 52, 1023)


class StorageMath:
    """Emits conversions from and to storage types at a builder's cursor."""

    def __init__(self, low: StructuredBuilder) -> None:
        self.low = low
        self.scalars = ScalarMath(low)

    def convert(
        self, x: SSAValue, source: Attribute, target: Attribute, saturate: bool, round_mode: str
    ) -> SSAValue:
        """See `ov.convert`; at least one of the types is a storage type."""
        if is_storage(source):
            x, source = self._decoded(x, source)
        if not is_storage(target):
            return self.scalars.convert(x, source, target)
        if is_storage_integer(target):
            return self._low_bits(x, source, target)
        real = _F64 if source == f64 else _F32
        x = self.scalars.convert(x, source, real.element)
        if target == f8e8m0:
            return self._exponent(
                x if source != f64 else self.scalars.convert(x, f64, f32), saturate, round_mode
            )
        return self._encoded(x, real, SMALL_FLOATS[target], saturate)

    # -- from storage types

    def _decoded(self, x: SSAValue, source: Attribute) -> tuple[SSAValue, Attribute]:
        """Return the same number in a computation type, and that type."""
        if is_storage_integer(source):
            return x, ui8 if is_unsigned(source) else i8
        code = self.scalars.convert(x, ui8, i32)
        if source == f8e8m0:
            return self._power(code), f32
        return self._small_float(code, SMALL_FLOATS[source]), f32

    def _small_float(self, code: SSAValue, small: SmallFloat) -> SSAValue:
        """Decode a small float to f32.

        The exponent field is placed in that of f32, and the difference of the biases is applied by a multiplication, so that
        subnormals are correct.
        """
        magnitude = self._and(code, small.sign - 1)
        sign = self._shift(arith.ShLIOp, self._and(code, small.sign), 32 - small.bits)
        placed = self._shift(arith.ShLIOp, magnitude, 23 - small.mantissa)
        scaled = self._bitcast(self._emit(arith.OrIOp(placed, sign)), f32)
        number = self.scalars.mul(scaled, self.low.constant(2.0 ** (127 - small.bias), f32), f32)
        if small.infinity is not None:
            infinite = self._emit(math.CopySignOp(self.low.constant(float("inf"), f32), number))
            number = self._if("eq", magnitude, small.infinity, infinite, number)
            return self._if("gt", magnitude, small.infinity, self._nan(), number)
        if small.nan is not None:
            compared = code if small.one_zero else magnitude
            return self._if("eq", compared, small.nan, self._nan(), number)
        return number

    def _power(self, code: SSAValue) -> SSAValue:
        """2 to the power `code - 127`, which for 0 is a subnormal number."""
        bits = self._if("eq", code, 0, self._int(1 << 22), self._shift(arith.ShLIOp, code, 23))
        return self._if("eq", code, 255, self._nan(), self._bitcast(bits, f32))

    # -- to storage types

    def _low_bits(self, x: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
        """Return the integer in the low bits of x.

        Floats are truncated to i32 first.
        """
        if is_float(source):
            x, source = self.scalars.convert(x, source, i32), i32
        x = self.scalars.convert(x, source, i8)
        rest = self.low.constant(8 - width(target), i8)
        shift = arith.ShRUIOp if is_unsigned(target) else arith.ShRSIOp
        return self._emit(shift(self._emit(arith.ShLIOp(x, rest)), rest))

    def _encoded(self, x: SSAValue, real: _Real, small: SmallFloat, saturate: bool) -> SSAValue:
        """Return the nearest small float, with ties to even.

        A normal number is rounded in its bits. A subnormal one is rounded by adding a number whose last place is the least
        small float.
        """
        low, scalars, integer = self.low, self.scalars, real.integer
        dropped = real.mantissa - small.mantissa
        bits = self._bitcast(x, integer)
        whole = self._and(bits, (1 << (width(integer) - 1)) - 1, integer)
        last = self._and(self._shift(arith.ShRUIOp, whole, dropped, integer), 1, integer)
        half = low.constant((1 << (dropped - 1)) - 1, integer)
        rounded = scalars.add(scalars.add(whole, half, integer), last, integer)
        rebias = low.constant((real.bias - small.bias) << small.mantissa, integer)
        normal = scalars.sub(self._shift(arith.ShRUIOp, rounded, dropped, integer), rebias, integer)

        magnitude = self._emit(math.AbsFOp(x))
        magic = low.constant(2.0 ** (1 - small.bias - small.mantissa + real.mantissa), real.element)
        sum_bits = self._bitcast(scalars.add(magnitude, magic, real.element), integer)
        subnormal = scalars.sub(sum_bits, self._bitcast(magic, integer), integer)
        least_normal = low.constant(2.0 ** (1 - small.bias), real.element)
        is_small = scalars.compare("lt", magnitude, least_normal, real.element)
        code = scalars.select(is_small, subnormal, normal)

        limit = small.greatest if saturate else small.overflow
        above = scalars.compare("gt", code, low.constant(small.greatest, integer), integer)
        code = scalars.select(above, self._int(limit), scalars.convert(code, integer, i32))
        places = width(integer) - small.bits
        sign = scalars.convert(self._shift(arith.ShRUIOp, bits, places, integer), integer, i32)
        sign = self._and(sign, small.sign)
        nan = scalars.compare("ne", x, x, real.element)
        if small.one_zero:
            signed = self._emit(arith.OrIOp(code, sign))
            if limit == small.nan:
                signed = scalars.select(above, self._int(limit), signed)
            signed = self._if("eq", code, 0, self._int(0), signed)
            signed = scalars.select(nan, self._int(small.nan or 0), signed)
        elif small.nan is None:
            signed = scalars.select(nan, self._int(0), self._emit(arith.OrIOp(code, sign)))
        else:
            code = scalars.select(nan, self._int(small.nan), code)
            signed = self._emit(arith.OrIOp(code, sign))
        return scalars.convert(signed, i32, i8)

    def _exponent(self, x: SSAValue, saturate: bool, round_mode: str) -> SSAValue:
        """The biased exponent of |x|, rounded."""
        scalars = self.scalars
        bits = self._and(self._bitcast(x, i32), 0x7FFFFFFF)
        upwards = {"up": 0x7FFFFF, "nearest": 0x400000, "down": 0}[round_mode]
        least_above = {"up": 0x400001, "nearest": 0x600000, "down": 0x800000}[round_mode]
        normal = self._shift(arith.ShRUIOp, scalars.add(bits, self._int(upwards), i32), 23)
        code = self._if("lt", bits, least_above, self._int(0), self._int(1))
        code = self._if("lt", bits, 0x800000, code, normal)
        if saturate:
            code = self._emit(arith.MinSIOp(code, self._int(254)))
        else:
            code = self._if("lt", bits, 0x400000, self._int(255), code)
        # NaN's bits may have wrapped around when rounded.
        code = self._if("gt", bits, 0x7F800000, self._int(255), code)
        return scalars.convert(code, i32, i8)

    # -- shorthands

    def _emit(self, op: Operation) -> SSAValue:
        return self.low.insert(op).results[0]

    def _int(self, value: int) -> SSAValue:
        return self.low.constant(value, i32)

    def _nan(self) -> SSAValue:
        return self.low.constant(float("nan"), f32)

    def _and(self, x: SSAValue, mask: int, element: Attribute = i32) -> SSAValue:
        return self._emit(arith.AndIOp(x, self.low.constant(mask, element)))

    def _shift(
        self, op: Callable[[SSAValue, SSAValue], Operation], x: SSAValue, by: int, element: Attribute = i32
    ) -> SSAValue:
        return self._emit(op(x, self.low.constant(by, element)))

    def _bitcast(self, x: SSAValue, to: Attribute) -> SSAValue:
        return self._emit(arith.BitcastOp(x, to))

    def _if(self, predicate: str, a: SSAValue, b: int, then: SSAValue, otherwise: SSAValue) -> SSAValue:
        """`a predicate b ? then : otherwise` of an i32."""
        return self.scalars.select(self.scalars.compare(predicate, a, self._int(b), i32), then, otherwise)


@lowers(ConvertOp)
def convert(op: ConvertOp, low: Lowering) -> Shaped:
    x, target = low.operand(op.data), op.destination_type
    if x.element == target:
        return x
    if is_storage(x.element) or is_storage(target):
        storage = StorageMath(low)
        saturate, round_mode = to_bool(op.saturate), to_str(op.round_mode)

        def body(v: SSAValue) -> SSAValue:
            return storage.convert(v, x.element, target, saturate, round_mode)
    else:
        scalars = ScalarMath(low)

        def body(v: SSAValue) -> SSAValue:
            return scalars.convert(v, x.element, target)

    return elementwise(low, op.output, [x], body)
