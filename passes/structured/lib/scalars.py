"""Scalar arithmetic by GRAPH element type, as `arith` and `math` operations.

The operations compute what `evaluate` specifies. Values have the signless type; `element` is GRAPH's type and decides
between signed and unsigned. Everything is total: cases that MLIR leaves undefined (division by zero, a float out of an
integer's range) are guarded here.
"""

from __future__ import annotations

import math as _math

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.element_types import bf16, dtype_of, f16, f32, f64, i1, is_float, is_unsigned, signless
from loomir.dialects.scalars.row import constant_number
from loomir.dialects.upstream.construction import binary
from loomir.passes.structured.lib.builder import StructuredBuilder

NARROW = (f16, bf16)
"""Float types in which nothing is summed: sums are kept in f32."""


def signless_integer(element: Attribute) -> IntegerType:
    """The type that holds an integer or a boolean below GRAPH."""
    type_ = signless(element)
    assert isinstance(type_, IntegerType), element
    return type_


def width(element: Attribute) -> int:
    """Bits of an integer type."""
    return signless_integer(element).width.data


def wide(element: Attribute) -> Attribute:
    """The type that sums of this element type are kept in."""
    return f32 if element in NARROW else element


class ScalarMath:
    """Emits scalar operations at a builder's cursor."""

    def __init__(self, low: StructuredBuilder) -> None:
        self.low = low

    def _emit(self, op: Operation) -> SSAValue:
        return self.low.insert(op).results[0]

    # -- arithmetic

    def add(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        return self._emit(binary(arith.AddfOp if is_float(element) else arith.AddiOp, a, b))

    def sub(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        return self._emit(binary(arith.SubfOp if is_float(element) else arith.SubiOp, a, b))

    def mul(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        return self._emit(binary(arith.MulfOp if is_float(element) else arith.MuliOp, a, b))

    def maximum(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        if is_float(element):
            return self._emit(binary(arith.MaximumfOp, a, b))
        return self._emit(
            binary(arith.MaxUIOp, a, b) if is_unsigned(element) else binary(arith.MaxSIOp, a, b)
        )

    def minimum(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        if is_float(element):
            return self._emit(binary(arith.MinimumfOp, a, b))
        return self._emit(
            binary(arith.MinUIOp, a, b) if is_unsigned(element) else binary(arith.MinSIOp, a, b)
        )

    def divide(self, a: SSAValue, b: SSAValue, element: Attribute, *, floored: bool) -> SSAValue:
        """Return the quotient.

        Integer quotients are rounded down or towards zero. Division of an integer by zero returns 0; division of the least
        integer by -1 wraps.
        """
        if is_float(element):
            return self._emit(arith.DivfOp(a, b))
        division = arith.DivUIOp if is_unsigned(element) else arith.FloorDivSIOp if floored else arith.DivSIOp
        if _harmless(b, element):
            return self._emit(division(a, b))
        # By 0 and by -1 the quotient is a * b, and the division is by 1 then.
        special = self._special_divisor(b, element)
        quotient = self._emit(division(a, self._safe(b, special, element)))
        return self.select(special, self.mul(a, b, element), quotient)

    def remainder(self, a: SSAValue, b: SSAValue, element: Attribute, *, floored: bool) -> SSAValue:
        """Return the remainder.

        It has the sign of `a`, or of `b` if floored. The remainder of a division by an integer zero is 0.
        """
        if is_float(element):
            r = self._float_remainder(a, b, element)
            return self._floored_float(r, b, element) if floored else r
        operation = arith.RemUIOp if is_unsigned(element) else arith.RemSIOp
        if not _harmless(b, element):
            b_safe = self._safe(b, self._special_divisor(b, element), element)
        else:
            b_safe = b
        r = self._emit(operation(a, b_safe))
        if is_unsigned(element) or not floored:
            return r
        zero = self.low.constant(0, element)
        nonzero = self.compare("ne", r, zero, element)
        differs = self.compare("lt", self._emit(arith.XOrIOp(r, b)), zero, element)
        # A remainder by the safe divisor 1 is 0 and stays so.
        return self.select(self._emit(arith.AndIOp(nonzero, differs)), self.add(r, b, element), r)

    def _special_divisor(self, b: SSAValue, element: Attribute) -> SSAValue:
        """Return the condition that an integer divisor is 0 or signed -1."""
        if is_unsigned(element):
            return self.compare("eq", b, self.low.constant(0, element), element)
        above = self.add(b, self.low.constant(1, element), element)
        return self._emit(arith.CmpiOp(above, self.low.constant(2, element), "ult"))

    def _safe(self, b: SSAValue, special: SSAValue, element: Attribute) -> SSAValue:
        return self.select(special, self.low.constant(1, element), b)

    def _float_remainder(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        """Return C's fmod, computed in double precision.

        The result is exact while |a / b| < 2^53, and a zero (or NaN) beyond. xDSL has no arith.remf.
        """
        x, y = self.convert(a, element, f64), self.convert(b, element, f64)
        low = self.low
        quotient = self._emit(math.TruncOp(self._emit(arith.DivfOp(x, y))))
        magnitude = self._emit(math.AbsFOp(y))
        towards = self._emit(math.CopySignOp(magnitude, x))
        r = self._emit(math.FmaOp(self._emit(arith.NegfOp(y)), quotient, x))
        # The rounded quotient may be one off either way.
        overshot = self.compare("lt", self.mul(r, towards, f64), low.constant(0.0, f64), f64)
        r = self.select(overshot, self.add(r, towards, f64), r)
        short = self.compare("ge", self._emit(math.AbsFOp(r)), magnitude, f64)
        r = self.select(short, self.sub(r, towards, f64), r)
        # A quotient of 0 leaves a as it is, also where b is infinite.
        r = self.select(self.compare("eq", quotient, low.constant(0.0, f64), f64), x, r)
        beyond = self._emit(arith.DivfOp(self.mul(x, low.constant(0.0, f64), f64), magnitude))
        large = self.compare("ge", self._emit(math.AbsFOp(quotient)), low.constant(float(2**53), f64), f64)
        r = self._emit(math.CopySignOp(self.select(large, beyond, r), x))
        return self.convert(r, f64, element)

    def _floored_float(self, r: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        zero = self.low.constant(0.0, element)
        nonzero = self._emit(arith.CmpfOp(r, zero, "une"))
        differs = self._emit(
            arith.XOrIOp(self.compare("lt", r, zero, element), self.compare("lt", b, zero, element))
        )
        moved = self.select(differs, self.add(r, b, element), r)
        return self.select(nonzero, moved, self._emit(math.CopySignOp(zero, b)))

    def power(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        """See `ov.power`."""
        if is_float(element):
            return self._float_power(a, b, element)
        if is_unsigned(element):
            return self._unsigned_power(a, b, element)
        return self._emit(math.IPowIOp(a, b))

    def _float_power(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        exponent = constant_number(b)
        if exponent == 1:
            return a
        if exponent == 2:
            return self.mul(a, a, element)
        if exponent == 3:
            return self.mul(self.mul(a, a, element), a, element)
        return self._emit(math.PowFOp(a, b))

    def _unsigned_power(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        """Repeated squaring: `math.ipowi` reads a large exponent as negative."""
        bits = width(element)
        one, zero = self.low.constant(1, element), self.low.constant(0, element)
        result, base = one, a
        for k in range(bits):
            bit = self._emit(arith.AndIOp(self._emit(arith.ShRUIOp(b, self.low.constant(k, element))), one))
            taken = self.compare("ne", bit, zero, element)
            result = self.select(taken, self.mul(result, base, element), result)
            if k + 1 < bits:
                base = self.mul(base, base, element)
        return result

    # -- choice

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._emit(arith.SelectOp(condition, a, b))

    def compare(self, predicate: str, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        """Emit a comparison: eq, ne, lt, le, gt or ge.

        The result is false if either operand is NaN, except for ne.
        """
        if is_float(element):
            return self._emit(arith.CmpfOp(a, b, "une" if predicate == "ne" else f"o{predicate}"))
        if predicate not in ("eq", "ne"):
            # false < true: booleans compare unsigned.
            predicate = ("u" if is_unsigned(element) or element == i1 else "s") + predicate
        return self._emit(arith.CmpiOp(a, b, predicate))

    # -- conversion

    def convert(self, x: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
        """See `ov.convert`."""
        if source == target:
            return x
        if target == i1:
            zero = self.low.constant(0, source)
            return self.compare("ne", x, zero, source)
        if is_float(source):
            if is_float(target):
                return self._float_to_float(x, source, target)
            return self._float_to_integer(x, source, target)
        if is_float(target):
            unsigned = is_unsigned(source) or source == i1
            if isinstance(number := constant_number(x), int):
                # The attribute of an unsigned constant is the signed number with its bits: that of true is -1.
                number = number % (1 << width(source)) if unsigned else number
                with np.errstate(over="ignore"):
                    rounded = np.asarray(number, dtype_of(source)).astype(dtype_of(target))
                return self.low.constant(float(rounded), target)
            return self._emit((arith.UIToFPOp if unsigned else arith.SIToFPOp)(x, target))
        to = signless_integer(target)
        if width(to) == width(source):
            return x
        if width(to) < width(source):
            return self._emit(arith.TruncIOp(x, to))
        extend = arith.ExtUIOp if is_unsigned(source) or source == i1 else arith.ExtSIOp
        return self._emit(extend(x, to))

    def _float_to_float(self, x: SSAValue, source: AnyFloat, target: AnyFloat) -> SSAValue:
        if width_of_float(source) == width_of_float(target):
            x, source = self._emit(arith.ExtFOp(x, f32)), f32
        if width_of_float(source) < width_of_float(target):
            return self._emit(arith.ExtFOp(x, target))
        return self._emit(arith.TruncFOp(x, target))

    def _float_to_integer(self, x: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
        """Towards zero, limited to the target's range; NaN gives 0."""
        low = self.low
        info = np.iinfo(dtype_of(target))
        least, greatest = _limits_in(source, int(info.min), int(info.max))
        clamped = self.select(self.compare("gt", x, c := low.constant(least, source), source), x, c)
        clamped = self.select(
            self.compare("lt", clamped, c := low.constant(greatest, source), source), clamped, c
        )
        cast = arith.FPToUIOp if is_unsigned(target) else arith.FPToSIOp
        result = self._emit(cast(clamped, signless_integer(target)))
        if greatest != float(info.max):
            # The limit itself is no float of the source type: the nearest one below it was converted.
            beyond = self.compare("gt", x, low.constant(greatest, source), source)
            result = self.select(beyond, low.constant(int(info.max), target), result)
        if least != float(info.min):
            below = self.compare("lt", x, low.constant(least, source), source)
            result = self.select(below, low.constant(int(info.min), target), result)
        if least == 0:
            # NaN has become the lower limit already.
            return result
        return self.select(self.compare("ne", x, x, source), low.constant(0, target), result)


def width_of_float(element: Attribute) -> int:
    """Bits of a float type."""
    return {f16: 16, bf16: 16, f32: 32, f64: 64}[element]


def _limits_in(source: Attribute, least: int, greatest: int) -> tuple[float, float]:
    """Return a range's least and greatest integers representable in a float type.

    Lower limits that are powers of two are exact.
    """
    if source == f16:
        largest = 65504.0
        low, high = max(float(least), -largest), min(float(greatest), largest)
    else:
        low, high = float(least), float(greatest)
    precision = {f16: 11, bf16: 8, f32: 24, f64: 53}[source]
    if high == float(greatest):
        bits = greatest.bit_length()
        high = float((greatest >> max(0, bits - precision)) << max(0, bits - precision))
    return low, high


def _harmless(b: SSAValue, element: Attribute) -> bool:
    """Return True for a constant divisor by which no division fails."""
    number = constant_number(b)
    if number is None or number == 0:
        return False
    return is_unsigned(element) or number != -1


def neutral_maximum(element: Attribute) -> float | int:
    """Return the initial value of a maximum: -inf or the least integer."""
    return -_math.inf if is_float(element) else int(np.iinfo(dtype_of(element)).min)


def neutral_minimum(element: Attribute) -> float | int:
    """Return the initial value of a minimum: inf or the greatest integer."""
    return _math.inf if is_float(element) else int(np.iinfo(dtype_of(element)).max)
