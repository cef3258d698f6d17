"""Rounding of TensorFlow Lite's reference kernels.

TensorFlow Lite Micro uses these kernels. They round in two steps, with halves upwards or away from zero, by 31-bit multipliers
(tensorflow/lite/kernels/internal: quantization_util.cc, common.cc, reference/reduce.h; gemmlowp's fixedpoint.h):

    ratio ≈ q · 2^(shift − 31)        2^30 ≤ q < 2^31, from a double

    h = (a · 2^max(shift, 0) · q + 2^30) >> 31                                  halves up
    r = (h + 2^(n − 1) − (h < 0)) >> n        n = max(−shift, 0) > 0            halves away from zero

gemmlowp adds 1 − 2^30 to negative products, and C's division truncates towards zero. The result is h, since the least
integer not below (p + 1 − 2^30) / 2^31 is the greatest integer not above (p + 2^30) / 2^31.

    r(a, scale_a · scale_b / scale)        sums of products and of numbers, averages, quantised tensors in other steps

An elementwise sum uses steps of 2^−20 (for 16 bits, 2^−15) of twice the larger scale, and rounds three times
(tensorflow/lite/kernels: add.cc, internal/reference/add.h):

    r(r(a · 2^20, scale_a / 2 max) + r(b · 2^20, scale_b / 2 max), 2 max / (2^20 · scale))

A bias is rounded to steps, as in TensorFlow Lite, if these are fine enough. All this applies as long as 32 bits hold a
· 2^max(shift, 0), which TensorFlow Lite expects; anything else is rounded as exact arithmetic rounds. No result differs
from the exactly rounded one by more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import frexp
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, BitwiseRightShiftOp, MultiplyOp
from loomir.passes.analysis.integer_weights import Product
from loomir.passes.graph.ov_to_integer.exact_rounding import ExactRounding
from loomir.passes.graph.ov_to_integer.scaled import (
    MOST_ERROR,
    MOST_RATIO,
    Biased,
    Numbers,
    OutputLimits,
    Rounded,
    Rounding,
    Scaled,
    TensorSum,
    fractions,
    single,
    stored_constant,
    wide,
    wide_constant,
)

BITS = 31
"""Of a multiplier, and of the numbers that are multiplied."""


@dataclass(frozen=True)
class Multiplier:
    """q · 2^(shift − 31)."""

    q: int
    shift: int

    @staticmethod
    def of(real: float) -> Multiplier:
        """Return the multiplier nearest to a positive number.

        Return 0 for a number below half of 2^−31.
        """
        mantissa, shift = frexp(real)
        # (A double's mantissa is a multiple of 2^−53.)
        q = (int(mantissa * (1 << 53)) + (1 << 21)) >> 22
        if q == 1 << BITS:
            q, shift = q // 2, shift + 1
        return Multiplier(q, shift) if shift >= -BITS else Multiplier(0, 0)

    def of_average(self, count: int) -> Multiplier:
        """Divided by how many numbers there are, cut off."""
        shift = min(count.bit_length() - 1, 32, BITS + self.shift)
        return Multiplier((self.q << shift) // count, self.shift - shift)

    @property
    def left(self) -> int:
        """By how many bits numbers are shifted to the left first."""
        return max(self.shift, 0)

    @property
    def right(self) -> int:
        """Number of bits of the final right shift of products."""
        return max(-self.shift, 0)

    def fits(self, greatest: int) -> bool:
        """Return True if 32 bits hold all left-shifted numbers up to `greatest`."""
        return greatest << self.left < 1 << BITS

    def times(self, a: int) -> int:
        """The rounded product."""
        high = (a * (self.q << self.left) + (1 << 30)) >> BITS
        return (high + ((1 << self.right) >> 1) - (high < 0 < self.right)) >> self.right


def times(
    build: GraphBuilder,
    value: SSAValue,
    multipliers: Sequence[Multiplier],
    shape: tuple[int, ...],
    greatest: int,
    bits: int = 0,
) -> SSAValue:
    """Multiply 32-bit numbers by multipliers of the given shape.

    The numbers are first shifted left by `bits`; they are then at most `greatest`.
    """
    if len(set(multipliers)) == 1:
        multipliers, shape = multipliers[:1], (1,)
    factors = np.array([each.q << (each.left + bits) for each in multipliers], np.int64).reshape(shape)
    large = factors.size > 1 and int(factors.max()) >= 1 << 31
    factor = build.constant(factors) if large else wide_constant(build, factors)
    product = build.make(
        AddOp, build.make(MultiplyOp, wide(build, value), factor), build.scalar(1 << 30, i64)
    )
    high = build.make(BitwiseRightShiftOp, product, build.scalar(BITS, i64))
    rights = np.array([each.right for each in multipliers], np.int64).reshape(shape)
    if not rights.any():
        return build.make(ConvertOp, high, attributes={"destination_type": i32})
    # What is not shifted is doubled, and shifted by one. (32 bits are cheaper, where they hold that.)
    most = max(each.q * greatest << each.left >> BITS for each in multipliers)
    element = i32 if rights.all() or most < 1 << (BITS - 2) else i64
    if element == i32:
        high = build.make(ConvertOp, high, attributes={"destination_type": i32})
    if not rights.all():
        high = build.make(MultiplyOp, high, _narrow(build, np.where(rights == 0, 2, 1), element))
    rights = np.maximum(rights, 1)
    rights = rights.reshape(-1)[:1] if (rights == rights.reshape(-1)[0]).all() else rights
    below = build.make(BitwiseRightShiftOp, high, build.scalar(8 * dtype_of(element).itemsize - 1, element))
    # (h + 2^(n − 1)) >> n  =  ((h >> (n − 1)) + 1) >> 1, which needs no addend for each channel.
    value = build.make(AddOp, high, below)
    if rights.max() > 1:
        value = build.make(BitwiseRightShiftOp, value, _narrow(build, rights - 1, element))
    one = build.scalar(1, element)
    value = build.make(BitwiseRightShiftOp, build.make(AddOp, value, one), one)
    return value if element == i32 else build.make(ConvertOp, value, attributes={"destination_type": i32})


def _narrow(build: GraphBuilder, numbers: np.ndarray, element: Attribute) -> SSAValue:
    """Small numbers as a constant that is stored in 8 bits."""
    return stored_constant(build, numbers, np.dtype(np.int8), element)


_LEAST = Fraction(1, 1 << 126)
"""The least number that single precision has with all its bits."""


@dataclass(frozen=True)
class _Sum:
    """Multipliers of a sum and its operands, and the operands' left shift.

    The operands are shifted left by `bits` first.
    """

    a: Multiplier
    b: Multiplier
    total: Multiplier
    bits: int

    def of_numbers(self, a: int, b: int) -> int:
        """The rounded sum of two numbers."""
        return self.total.times(self.a.times(a << self.bits) + self.b.times(b << self.bits))


@dataclass(frozen=True)
class Unproved:
    """How something was requantised: of exact arithmetic nothing was proved."""

    AS_FLOATS: ClassVar[bool] = False

    channels: int

    @property
    def text(self) -> str:
        """Text of the remark on this requantisation."""
        return (
            f"requantised as TensorFlow Lite does: {self.channels} channels, not proved to be rounded exactly"
        )

    @property
    def figures(self) -> dict[str, int]:
        """The numbers in the text, by name."""
        return {"channels": self.channels}


@dataclass(frozen=True)
class TfliteRounding:
    """Rounding of TensorFlow Lite where it has such an operation, else `fallback`."""

    fallback: Rounding = field(default_factory=ExactRounding)

    def scale_of_steps(self, step: Numbers) -> Numbers:
        """In single precision, which a file of TensorFlow Lite has scales in."""
        return _in_single_precision(step)

    def scale_of_product(self, op: Product, scale: Numbers) -> Numbers:
        """Return the product's scale with TensorFlow Lite's precision.

        A single scale of a matrix product is multiplied in single precision; other scales are exact (two of 24 bits in 53).
        """
        is_one = isinstance(op, MatMulOp) and bool((scale == scale.reshape(-1)[0]).all())
        return _in_single_precision(scale) if is_one else scale

    def takes(self, x: Scaled, ratio: Numbers, least: Numbers | int, most: Numbers | int) -> bool:
        """No proof is needed."""
        is_sum = np.size(least) == 1 and _sum_of(x, ratio) is not None
        return is_sum or _found(x, ratio) is not None or self.fallback.takes(x, ratio, least, most)

    def rounded(self, build: GraphBuilder, x: Scaled, ratio: Numbers, limits: OutputLimits) -> Rounded:
        """In two steps; a sum of two tensors in six."""
        if (
            isinstance(x.terms, TensorSum)
            and limits.offset.size == 1
            and (by := _sum_of(x, ratio)) is not None
        ):
            return _rounded_sum(build, x.terms, by, limits)
        found = _found(x, ratio)
        if found is None:
            return self.fallback.rounded(build, x, ratio, limits)
        x = _in_steps(x)
        value = times(build, x.centred(build), found, ratio.shape, _greatest(x))
        # (More of a number is never less of the result.)
        spans = _spans(x, found, ratio)
        least, most = min(by.times(low) for by, low, _ in spans), max(by.times(high) for by, _, high in spans)
        ends = single(limits.least), single(limits.most)
        return Rounded(value, single(least), single(most), *ends, Unproved(len(found)))


def _rounded_sum(build: GraphBuilder, terms: TensorSum, by: _Sum, limits: OutputLimits) -> Rounded:
    least, parts = limits.least, (terms.a, terms.b)
    if terms.positive:
        least = min(max(least, int(limits.offset.reshape(-1)[0])), limits.most)
    values, greatest = list[SSAValue](), 0
    for part, each in zip(parts, (by.a, by.b), strict=True):
        most = _greatest(part) << by.bits
        values.append(times(build, part.centred(build), [each], (1,), most, by.bits))
        greatest += each.times(most)
    value = times(build, build.make(AddOp, *values), [by.total], (1,), greatest)
    low, high = (by.of_numbers(*(int(part.span[end].reshape(-1)[0]) for part in parts)) for end in (0, 1))
    return Rounded(value, single(low), single(high), single(least), single(limits.most), Unproved(1))


def _found(x: Scaled, ratio: Numbers) -> list[Multiplier] | None:
    """Return the multipliers of a value that is rounded here, or None.

    None means that the value is rounded otherwise, with an offset that has not been rounded to steps.
    """
    x = _in_steps(x)
    if x.is_far or x.error * ratio.max() > MOST_ERROR or (ratio == 1).all():
        return None
    return _multipliers(x, ratio)


def _in_steps(x: Scaled) -> Scaled:
    """With a bias that was rounded to steps."""
    return x.changed(terms=None) if isinstance(x.terms, Biased) else x


def _in_single_precision(scale: Numbers) -> Numbers:
    """Return the nearest single-precision numbers.

    Return the numbers unchanged if single precision cannot represent one of them with all its bits.
    """
    if scale.min() < _LEAST or scale.max() > 1 / _LEAST:
        return scale
    return fractions(scale.astype(np.float64).astype(np.float32))


def _greatest(x: Scaled) -> int:
    low, high = x.span
    return max(abs(int(low.min())), abs(int(high.max())))


def _multipliers(x: Scaled, ratio: Numbers) -> list[Multiplier] | None:
    """Return one multiplier for each ratio, or None.

    None means that TensorFlow Lite does not requantise such numbers by one multiplier.
    """
    if x.terms is not None or not (x.is_exact or x.parts) or ratio.max() > MOST_RATIO:
        return None
    count = x.parts or 1
    found = [Multiplier.of(float(number * count)) for number in ratio.reshape(-1)]
    if count > 1:
        found = [each.of_average(count) for each in found]
    fit = all(by.fits(max(abs(low), abs(high))) for by, low, high in _spans(x, found, ratio))
    return found if fit else None


def _spans(x: Scaled, found: Sequence[Multiplier], ratio: Numbers) -> list[tuple[Multiplier, int, int]]:
    """Return each channel's multiplier with the bounds of the channel's numbers."""
    each = np.empty(len(found), object)
    each[:] = found
    by, low, high = (part.reshape(-1) for part in np.broadcast_arrays(each.reshape(ratio.shape), *x.span))
    return [(by, int(low), int(high)) for by, low, high in zip(by, low, high, strict=True)]


def _sum_of(x: Scaled, ratio: Numbers) -> _Sum | None:
    """Return the multipliers of a sum of two quantised tensors, or None.

    Return None for anything else, and where multipliers are not less than 1.
    """
    if not isinstance(x.terms, TensorSum) or ratio.size > 1:
        return None
    parts = x.terms.a, x.terms.b
    to_steps = Fraction(ratio.reshape(-1)[0]) / x.scale.reshape(-1)[0]
    a, b = (part.scale.reshape(-1)[0] * to_steps for part in parts)
    bits = 15 if any(dtype_of(part.element).itemsize > 1 for part in parts) else 20
    if max(a, b) > MOST_RATIO:
        return None
    twice = 2 * max(a, b)
    by_a, by_b, by_total = (
        Multiplier.of(float(each)) for each in (a / twice, b / twice, twice / (1 << bits))
    )
    found = _Sum(by_a, by_b, by_total, bits)
    if found.total.shift > 0 or any(_greatest(part) << bits >= 1 << BITS for part in parts):
        return None
    return found
