"""TensorFlow Lite's 31-bit multipliers.

This module defines the multipliers, their effect on a number, and the operations that compute it
(tensorflow/lite/kernels/internal: quantization_util.cc, common.cc, reference/reduce.h; gemmlowp's fixedpoint.h).

    ratio ≈ q · 2^(shift − 31)        2^30 ≤ q < 2^31, from a double

    h = (a · 2^max(shift, 0) · q + 2^30) >> 31                                  halves up
    r = (h + 2^(n − 1) − (h < 0)) >> n        n = max(−shift, 0) > 0            halves away from zero

gemmlowp adds 1 − 2^30 to negative products, and C's division truncates towards zero. The result is h, since the least
integer not below (p + 1 − 2^30) / 2^31 is the greatest integer not above (p + 2^30) / 2^31.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import frexp

import numpy as np
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.bitwise import BitwiseRightShiftOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp
from loomir.passes.graph.ov_to_integer.requantising import stored_constant, wide, wide_constant

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
