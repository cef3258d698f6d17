"""Conversion of integers from one scale to another, with any rounding.

This is the common part of all roundings:

    limited(round(ratio · (value − zero)) + offset)

`exact_rounding.py` rounds as exact arithmetic does, and proves it; `tflite_rounding.py` rounds as TensorFlow Lite's
kernels do.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

import numpy as np
from xdsl.dialects.builtin import UnitAttr, i32, i64
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MaximumOp, MinimumOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.scalars.constants import type_range
from loomir.passes.analysis.integer_sums import Product
from loomir.passes.analysis.integer_weights import STORED
from loomir.passes.graph.ov_to_integer.scaled import Biased, Numbers, Scaled, constant_of

MOST_RATIO = 1 << 20
"""Largest ratio.

A 31-bit multiplier then has 11 fractional bits.
"""

MOST_RESULT = 1 << 30
"""Largest result before it is limited.

32 bits hold it together with an offset.
"""

MOST_ERROR = Fraction(1, 4)
"""Maximum error of the values to round, in steps.

The error is the distance from the values that floats would round.
"""


@dataclass(frozen=True)
class Limits:
    """Offset added to a rounded number, and bounds of the result.

    The offset is one number for all channels, or one for each channel.
    """

    offset: Numbers
    least: int
    most: int


class Told(Protocol):
    """How something was requantised, as a remark says it."""

    AS_FLOATS: ClassVar[bool]
    """True if floats are rounded this way, apart from their own errors."""

    @property
    def text(self) -> str: ...

    @property
    def figures(self) -> dict[str, int]:
        """The numbers in the text, by name."""
        ...


@dataclass(frozen=True)
class Rounded:
    """Rounded 32-bit integers between `low` and `high`.

    After addition of the offset, they must still be limited to `least` and `most`. Each bound is one number for all
    channels, or one for each channel.
    """

    value: SSAValue
    low: Numbers
    high: Numbers
    least: Numbers
    most: Numbers
    told: Told | None


class Rounding(Protocol):
    """How integers are rounded where they are requantised."""

    def scale_of_steps(self, step: Numbers) -> Numbers:
        """The scale of a FakeQuantize whose exact steps these are."""
        ...

    def scale_of_product(self, op: Product, scale: Numbers) -> Numbers:
        """Return the scale of a product's sums; `scale` is the exact one."""
        ...

    def takes(self, x: Scaled, ratio: Numbers, least: Numbers | int, most: Numbers | int) -> bool:
        """Return True if this rounding can requantise the tensor.

        Ratios must be small enough that 32-bit integers hold the results. Steps must be so fine that a previous rounding to
        them changes the results by no more than one; results below `least` and above `most` are limited.
        """
        ...

    def rounded(self, build: GraphBuilder, x: Scaled, ratio: Numbers, limits: Limits) -> Rounded:
        """Emit `round(ratio · (value − zero))`.

        The limits of this result are `limits` minus the offset.
        """
        ...


def ratio_of(x: Scaled, ratio: Numbers) -> Numbers:
    """Return the ratio, or 1 if it rounds each integer to itself.

    Such a ratio is that of a scale and its floating-point approximation.
    """
    low, high = x.span
    largest = max(abs(int(low.min())), abs(int(high.max())))
    near = x.is_exact and np.abs(ratio - 1).max() * largest < Fraction(1, 2)
    return ratio * 0 + 1 if near else ratio


def requantised(
    build: GraphBuilder, x: Scaled, ratio: Numbers, limits: Limits, target: Attribute, rounding: Rounding
) -> tuple[SSAValue, Told | None]:
    """Emit `round(ratio · (value − zero)) + offset`, limited, as integers of type `target`.

    The second result describes the requantisation; it is None if nothing is rounded.
    """
    lowest, highest = type_range(target)
    offset, least, most = limits.offset, max(limits.least, lowest), min(limits.most, highest)
    same = (ratio == 1).all() and (x.zero == offset).all() and x.element == target
    if same and not isinstance(x.terms, Biased) and x.low.min() >= least and x.high.max() <= most:
        return x.value, None
    found = rounding.rounded(build, x, ratio, Limits(offset, least, most))
    return _limited(build, found, offset, target), found.told


def _limited(build: GraphBuilder, found: Rounded, offset: Numbers, target: Attribute) -> SSAValue:
    """Add the offset to rounded integers, limit them, and convert their type."""
    value, least, most = found.value, found.least, found.most
    is_below, is_above = (found.low + offset < least).any(), (found.high + offset > most).any()
    if offset.any():
        value = build.make(AddOp, value, constant_of(build, offset, np.int32))
    if least.size == most.size == 1:
        if is_below or is_above:
            ends = {"min": float(least.reshape(-1)[0]), "max": float(most.reshape(-1)[0])}
            value = build.make(ClampOp, value, attributes=ends)
    else:
        if is_below:
            value = build.make(MaximumOp, value, constant_of(build, least, np.int32))
        if is_above:
            value = build.make(MinimumOp, value, constant_of(build, most, np.int32))
    if target != i32:
        value = build.make(ConvertOp, value, attributes={"destination_type": target})
    return value


def wide(build: GraphBuilder, value: SSAValue) -> SSAValue:
    """Integers in 64 bits."""
    return build.make(ConvertOp, value, attributes={"destination_type": i64})


def wide_constant(build: GraphBuilder, numbers: np.ndarray) -> SSAValue:
    """Emit 32-bit numbers as a 64-bit constant.

    Several numbers are stored in 32 bits.
    """
    return stored_constant(build, numbers, np.dtype(np.int32), i64)


def stored_constant(
    build: GraphBuilder, numbers: np.ndarray, stored: np.dtype, element: Attribute
) -> SSAValue:
    """Emit numbers as a constant of type `element`.

    Several numbers are stored in the type `stored`, which holds them and takes less memory.
    """
    if numbers.size == 1:
        return constant_of(build, numbers, dtype_of(element))
    value = build.make(
        ConvertOp, build.constant(numbers.astype(stored)), attributes={"destination_type": element}
    )
    build.emitted[-1].attributes[STORED] = UnitAttr()
    return value
