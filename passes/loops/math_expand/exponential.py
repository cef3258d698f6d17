"""Exponential function as `2ⁿ · eʳ`.

n = round(x / ln 2) and r = x − n · ln 2, which is at most ln 2 / 2.

- `n` results from an addition of 1.5 · 2²³, from where floats are integers: the sum's last bits are n, and the sum minus that
  number is n as a float.
- ln 2 is subtracted in two parts, of which the first has 16 bits: its product with n is exact, and so is the first difference.
- eʳ = 1 + r + r² · P(r) with P of degree 4, whose fitting error is 3.4e-9 of eʳ.
- 2ⁿ is no f32 for all n that a result needs, but 2^(n div 2) and 2^(n − n div 2) are, and are created from bits. The second
  product rounds where the result is subnormal, and overflows where the result does.

From 89 on, every result is infinite; below −104, every result is 0; x is limited to the range between.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.passes.loops.math_expand.arithmetic import Arithmetic

LEAST, MOST = -104.0, 89.0
LOG2_E = 1.44269504089
LN2 = (0.693145751953125, 1.428606820309417e-06)
"""The first 16 bits, and what is left."""
COEFFICIENTS = (
    0.4999999403953552,
    0.16666516661643982,
    0.041668280959129333,
    0.008369248360395432,
    0.0013820742024108768,
)

_EXPONENT = 23
"""Where the exponent of an f32 begins."""
_BIAS = 127
_INTEGERS = 1.5 * 2**23 + 2 * _BIAS
"""Addend that yields the integer and twice the exponent bias.

Twice the bias is among the bits that are halved, so that each half has the bias.
"""


def exponential(to: Arithmetic, x: SSAValue) -> SSAValue:
    """e to the power of x."""
    x = to.at_most(to.at_least(x, LEAST), MOST)
    sum_ = to.multiply_add(x, LOG2_E, _INTEGERS)
    n = to.subtract(sum_, _INTEGERS)
    r = x
    for part in LN2:
        r = to.multiply_add(n, -part, r)
    power = to.multiply_add(to.multiply(r, r), to.polynomial(COEFFICIENTS, r), r)
    bits = to.bits(sum_)
    half = to.shift_right(bits, 1)
    first, second = (
        to.float_of_bits(to.shift_left(exponent, _EXPONENT))
        for exponent in (half, to.subtract_integers(bits, half))
    )
    # (1 + power) · first: a power of two changes no digit.
    return to.multiply(to.multiply_add(power, first, first), second)
