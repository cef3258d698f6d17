"""Bit layouts of 4, 6 and 8-bit floats, for conversions."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute

from loomir.dialects import element_types as et


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
