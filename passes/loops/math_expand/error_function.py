"""Error function, from a polynomial and from a power of a polynomial.

- |x| < 1: x + x · P(x²) with P of degree 6, whose fitting error is 1.4e-9.
- From 1 on: ±(1 − q⁸) with q = (1 − erf |x|)^⅛ as a polynomial of degree 7. The root falls slowly, so that a polynomial fits
  it on all of [1, 3.95] (with an error of 3.8e-9 of erf); the power is three products, and its rounding counts the less the
  nearer erf is to 1. Beyond 3.95, to which |x| is limited, erf rounds to 1.

Neither an exponential nor a division is needed.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.passes.loops.math_expand.arithmetic import Arithmetic

BORDER, LIMIT = 1.0, 3.95
NEAR = (
    0.12837916612625122,
    -0.3761262595653534,
    0.11283578723669052,
    -0.026853347197175026,
    0.005187162198126316,
    -0.0007997853099368513,
    7.806903158780187e-05,
)
FAR = (
    1.0003554821014404,
    -0.14285793900489807,
    -0.06568089127540588,
    -0.006900915876030922,
    0.010164478793740273,
    -0.0014692606637254357,
    -4.6977314923424274e-05,
    1.6211584807024337e-05,
)


def error_function(to: Arithmetic, x: SSAValue) -> SSAValue:
    """erf x."""
    near = to.multiply_add(to.polynomial(NEAR, to.multiply(x, x)), x, x)
    magnitude = to.magnitude(x)
    power = to.polynomial(FAR, to.at_most(magnitude, LIMIT))
    for _ in range(3):
        power = to.multiply(power, power)
    far = to.with_sign(to.subtract(1.0, power), x)
    return to.select(magnitude, "olt", BORDER, near, far)
