"""TensorFlow Lite's reference kernels in Python's integers, step by step as they are written down (tensorflow/lite/kernels/internal:
quantization_util.cc, common.cc, reference/add.h, reference/integer_ops; gemmlowp's fixedpoint.h), number by number.

Nothing here is simplified, nor shared with what is tested.
"""

from __future__ import annotations

import math

INT32 = range(-(1 << 31), 1 << 31)


def quantize_multiplier(real: float) -> tuple[int, int]:
    """QuantizeMultiplier: the integer and the shift."""
    if real == 0:
        return 0, 0
    mantissa, shift = math.frexp(real)
    scaled = mantissa * float(1 << 31)
    # std::round: halves away from 0.
    integer = math.floor(scaled) + (scaled - math.floor(scaled) >= 0.5)
    if integer == 1 << 31:
        integer //= 2
        shift += 1
    return (0, 0) if shift < -31 else (integer, shift)


def high_mul(a: int, b: int) -> int:
    """SaturatingRoundingDoublingHighMul."""
    assert a in INT32
    assert b in INT32
    if a == b == INT32[0]:
        return INT32[-1]
    product = a * b
    nudged = product + ((1 << 30) if product >= 0 else 1 - (1 << 30))
    quotient = abs(nudged) // (1 << 31)
    return quotient if nudged >= 0 else -quotient


def rounding_divide(x: int, exponent: int) -> int:
    """RoundingDivideByPOT."""
    assert 0 <= exponent <= 31
    mask = (1 << exponent) - 1
    threshold = (mask >> 1) + (1 if x < 0 else 0)
    return (x >> exponent) + (1 if (x & mask) > threshold else 0)


def multiply(x: int, integer: int, shift: int) -> int:
    """MultiplyByQuantizedMultiplier of 32 bits, with two roundings."""
    left, right = (shift, 0) if shift > 0 else (0, -shift)
    return rounding_divide(high_mul(x * (1 << left), integer), right)


def limited(x: int, least: int = -128, most: int = 127) -> int:
    """Clamp a value as the activation does."""
    return min(max(x, least), most)


def requantised(total: int, real: float, zero: int) -> int:
    """A sum of products, or of a number less its zero point (Conv2D, FullyConnected, Mul, Quantize)."""
    return limited(multiply(total, *quantize_multiplier(real)) + zero)


def added(a: int, b: int, scales: tuple[float, float, float], zero: int, bits: int = 20) -> int:
    """Add: two numbers less their zero points; the scales of both and of the result."""
    scale_a, scale_b, scale = scales
    twice = 2 * max(scale_a, scale_b)
    scaled = [
        multiply(number * (1 << bits), *quantize_multiplier(each / twice))
        for number, each in ((a, scale_a), (b, scale_b))
    ]
    return multiply(sum(scaled), *quantize_multiplier(twice / ((1 << bits) * scale))) + zero


def mean(total: int, count: int, real: float, zero: int) -> int:
    """Mean: the sum of so many numbers less their zero point; the quotient of the scales."""
    integer, shift = quantize_multiplier(real)
    more = min(count.bit_length() - 1, 32, 31 + shift)
    return limited(multiply(total, (integer << more) // count, shift - more) + zero)
