"""Hyperbolic tangent as `x · P(x²) / Q(x²)`.

x is limited to ±9.02, where the tangent rounds to ±1.

`P` and `Q` have degree 4: they form the rational function with P(0) = Q(0) = 1 whose largest relative error on [0,
9.02] is least, 2.2e-8. The quotient may round to a number larger than 1, and is limited, too. Computed from an
exponential, the largest error would be 1.3 units in the last place instead of 6, and the time up to twice as long.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.passes.loops.math_expand.arithmetic import Arithmetic

LIMIT = 9.02
NUMERATOR = (1.0, 0.1338268501, 0.003497454991, 2.063577852e-05, 1.338423179e-08)
DENOMINATOR = (1.0, 0.4671600626, 0.02588435073, 0.0003288512961, 7.790224559e-07)
"""Coefficients of 1, x², x⁴ …"""


def hyperbolic_tangent(to: Arithmetic, x: SSAValue) -> SSAValue:
    """tanh x."""
    x = _limited(to, x, LIMIT)
    square = to.multiply(x, x)
    above = to.multiply(x, to.polynomial(NUMERATOR, square))
    return _limited(to, to.divide(above, to.polynomial(DENOMINATOR, square)), 1.0)


def _limited(to: Arithmetic, x: SSAValue, limit: float) -> SSAValue:
    return to.at_most(to.at_least(x, -limit), limit)
