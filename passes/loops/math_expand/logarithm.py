"""Logarithm as `e · ln 2 + log(1 + f)`.

x = 2ᵉ · (1 + f), with 1 + f from √½ to √2.

- Subnormal numbers are multiplied by 2²³ first.
- e and f result from the bits: after subtraction of the bits of √½, the exponent is e.
- log(1 + f) = f − f² / 2 + f³ · P(f) with P of degree 7, whose fitting error is 5.9e-9 of it.
- ln 2 has two parts, of which the first has 16 bits: its product with e is exact; the second is added to the small terms.

Infinity and NaN are unchanged, zeros yield −∞, and negative numbers yield NaN.
"""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from loomir.passes.loops.math_expand.arithmetic import Arithmetic
from loomir.passes.loops.math_expand.exponential import LN2

COEFFICIENTS = (
    0.3333333134651184,
    -0.250008225440979,
    0.20001250505447388,
    -0.1662331521511078,
    0.14201273024082184,
    -0.13160189986228943,
    0.12764766812324524,
    -0.07638195157051086,
)

_LEAST_NORMAL = 2.0**-126
_EXPONENT = 23
"""Bit position of the exponent of an f32.

Subnormal numbers are raised by as many powers of two.
"""
_ROOT_OF_HALF = 0x3F3504F3
"""Its bits."""


def logarithm(to: Arithmetic, x: SSAValue) -> SSAValue:
    """The natural one."""
    raised = to.select(x, "olt", _LEAST_NORMAL, to.multiply(x, 2.0**_EXPONENT), x)
    offset = to.select(x, "olt", _LEAST_NORMAL, -float(_EXPONENT), 0.0)
    bits = to.bits(raised)
    exponent = to.shift_right(to.subtract_integers(bits, _ROOT_OF_HALF), _EXPONENT)
    f = to.subtract(to.float_of_bits(to.subtract_integers(bits, to.shift_left(exponent, _EXPONENT))), 1.0)
    e = to.add(to.float_of(exponent), offset)
    second = to.multiply_add(to.polynomial(COEFFICIENTS, f), f, -0.5)
    small = to.add(to.multiply(e, LN2[1]), to.multiply(to.multiply(f, f), second))
    value = to.multiply_add(e, LN2[0], to.add(f, small))
    value = to.select(x, "olt", math.inf, value, x)
    value = to.select(x, "oge", 0.0, value, math.nan)
    return to.select(x, "oeq", 0.0, -math.inf, value)
