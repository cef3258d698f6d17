"""Integers of one scale as integers of another one, in any rounding: what all of them have in common.

    limited(round(ratio · (value − zero)) + offset)

`exact_rounding.py` rounds as exact arithmetic does, and proves it; `tflite_rounding.py` as TensorFlow Lite's kernels do.
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
"""The largest ratio: a multiplier of 31 bits has 11 behind the point then."""

MOST_RESULT = 1 << 30
"""The largest result before it is limited: 32 bits hold it with an offset."""

MOST_ERROR = Fraction(1, 4)
"""Of a step: by how much what is rounded may be away from what floats would round."""


@dataclass(frozen=True)
class Limits:
    """What is added to a rounded number, one for all or one for each channel, and between which numbers the result is kept."""

    offset: Numbers
    least: int
    most: int


class Told(Protocol):
    """How something was requantised, as a remark says it."""

    AS_FLOATS: ClassVar[bool]
    """Whether floats are rounded so, but for their own errors."""

    @property
    def text(self) -> str: ...

    @property
    def figures(self) -> dict[str, int]:
        """The numbers in the text, by name."""
        ...


@dataclass(frozen=True)
class Rounded:
    """Rounded integers of 32 bits, none below `low` or above `high`; with the offset they are still to be limited to `least` and `most`.
    Each is one for all, or one for each channel.
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
        """The scale of a product's sums, of which `scale` is the exact one."""
        ...

    def takes(self, x: Scaled, ratio: Numbers, least: Numbers | int, most: Numbers | int) -> bool:
        """Whether ratios are not so large that integers of 32 bits do not hold the results, and steps so fine that what was rounded to
        them changes the results, of which those below `least` and above `most` are limited, by no more than one.
        """
        ...

    def rounded(self, build: GraphBuilder, x: Scaled, ratio: Numbers, limits: Limits) -> Rounded:
        """round(ratio · (value − zero)), where the limits, less the offset, are those of the result."""
        ...


def ratio_of(x: Scaled, ratio: Numbers) -> Numbers:
    """The ratio, or 1 where it is so near to it that each integer is rounded to itself: of a scale and what floats made of it."""
    low, high = x.span
    largest = max(abs(int(low.min())), abs(int(high.max())))
    near = x.is_exact and np.abs(ratio - 1).max() * largest < Fraction(1, 2)
    return ratio * 0 + 1 if near else ratio


def requantised(
    build: GraphBuilder, x: Scaled, ratio: Numbers, limits: Limits, target: Attribute, rounding: Rounding
) -> tuple[SSAValue, Told | None]:
    """round(ratio · (value − zero)) + offset, limited, as integers of the type `target`; None where nothing is rounded."""
    lowest, highest = type_range(target)
    offset, least, most = limits.offset, max(limits.least, lowest), min(limits.most, highest)
    same = (ratio == 1).all() and (x.zero == offset).all() and x.element == target
    if same and not isinstance(x.terms, Biased) and x.low.min() >= least and x.high.max() <= most:
        return x.value, None
    found = rounding.rounded(build, x, ratio, Limits(offset, least, most))
    return _limited(build, found, offset, target), found.told


def _limited(build: GraphBuilder, found: Rounded, offset: Numbers, target: Attribute) -> SSAValue:
    """What was rounded, with an offset, between limits, as integers of a type."""
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
    """Numbers of 32 bits as a constant of 64 bits; several are stored in 32."""
    return stored_constant(build, numbers, np.dtype(np.int32), i64)


def stored_constant(
    build: GraphBuilder, numbers: np.ndarray, stored: np.dtype, element: Attribute
) -> SSAValue:
    """Numbers as a constant of the type `element`; several are stored in another one, which holds them and takes less room."""
    if numbers.size == 1:
        return constant_of(build, numbers, dtype_of(element))
    value = build.make(
        ConvertOp, build.constant(numbers.astype(stored)), attributes={"destination_type": element}
    )
    build.emitted[-1].attributes[STORED] = UnitAttr()
    return value
