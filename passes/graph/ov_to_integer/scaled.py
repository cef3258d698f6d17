"""Scaled integer tensors, and their requantisation with any rounding.

x = scale · (q − zero)

`q` is a tensor of integers in the program; scale and zero point are known when the program is compiled: one for all, or one for each index
of some axes. Scales are exact: the rational numbers that float32 stands for, and what products and quotients of these are.

Requantisation converts integers from one scale to another. This is the common part of all roundings:

    limited(round(ratio · (value − zero)) + offset)

`exact_rounding.py` rounds as exact arithmetic does, and proves it; `tflite_rounding.py` rounds as TensorFlow Lite's
kernels do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Protocol

import numpy as np
from xdsl.dialects.builtin import UnitAttr, i32, i64
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.scalars.row import type_range
from loomir.passes.analysis.integer_weights import STORED, Product

Numbers = np.ndarray
"""Array of exact numbers (`Fraction` or `int`) that broadcasts to the tensor.

A single number for all elements has the shape (1,).
"""


def fractions(array: np.ndarray) -> Numbers:
    """Floats as the rational numbers that they stand for."""
    return _each(lambda number: Fraction(float(number)), array)


def rounded(numbers: Numbers) -> Numbers:
    """The nearest integers; of two that are equally near the even one."""
    return _each(lambda number: round(Fraction(number)), numbers)


def integers(array: np.ndarray | int) -> Numbers:
    """Integers that do not overflow."""
    return _each(int, np.asarray(array))


def single(number: Fraction | int) -> Numbers:
    """One number for all elements."""
    return np.array([number], object)


def constant_of(build: GraphBuilder, numbers: Numbers, dtype: np.dtype | type) -> SSAValue:
    """The numbers as a constant; one for all as a scalar."""
    array = numbers.astype(dtype)
    return build.constant(array.reshape(()) if array.size == 1 else array)


def _each(function: Callable[[Any], object], array: np.ndarray) -> Numbers:
    flat = np.asarray(array).reshape(-1)
    result = np.empty(flat.size, object)
    result[:] = [function(number) for number in flat]
    return result if flat.size == 1 else result.reshape(array.shape)


FAR = Fraction(1 << 64)
"""Error of integers that represent nothing.

They lack an offset that 32 bits do not hold.
"""


@dataclass(frozen=True)
class Scaled:
    """scale · (value − zero), where `value` lies between `low` and `high`.

    `computed`: by the pass, not only found in the program, which has the floats that it stands for already. `error`: by how many steps at
    most the value is away from what is computed, where offsets or scales were rounded to steps; only what is rounded to much larger ones
    may be made of it. `terms`: of what it is the sum, exactly; or what it is with an offset that was not rounded. `parts`: of a sum of
    quantised integers of 8 bits, or of products of such, with a bias perhaps, by how many it is divided (1 for a sum that is none of an
    average); None for anything else.
    """

    value: SSAValue
    scale: Numbers
    zero: Numbers
    low: Numbers
    high: Numbers
    computed: bool = True
    error: Fraction = Fraction(0)
    terms: TensorSum | Biased | None = None
    parts: int | None = None

    def changed(self, **fields: Any) -> Scaled:
        """With other fields, and no longer the sum that it was."""
        return replace(self, **{"terms": None, **fields})

    @property
    def is_far(self) -> bool:
        """True if only the `terms`, not the integers, represent the tensor."""
        return self.error >= FAR

    @property
    def element(self) -> Attribute:
        """The type of the integers."""
        return fact_of(self.value).element

    @property
    def is_uniform(self) -> bool:
        """True if all elements have the same scale and zero point."""
        return self.scale.size == 1 and self.zero.size == 1

    @property
    def is_exact(self) -> bool:
        """True for 8- or 16-bit integers, which are those of quantised tensors.

        Other integers are sums, whose steps are fine.
        """
        return dtype_of(self.element).itemsize <= 2

    @property
    def is_of_8_bits(self) -> bool:
        """True if the integers belong to a tensor quantised to 8 bits."""
        return dtype_of(self.element).itemsize == 1

    def centred(self, build: GraphBuilder) -> SSAValue:
        """value − zero, in 32 bits."""
        if not self.zero.any():
            return self.value if self.element == i32 else _converted(build, self.value, i32)
        if self.element == i32:
            # A bias: what the sum may begin with.
            return build.make(AddOp, self.value, constant_of(build, -self.zero, np.int32))
        value = _converted(build, self.value, i32)
        return build.make(SubtractOp, value, constant_of(build, self.zero, np.int32))

    @property
    def span(self) -> tuple[Numbers, Numbers]:
        """The least and the greatest of value − zero."""
        return self.low - self.zero, self.high - self.zero

    def as_integer(self, build: GraphBuilder, element: Attribute) -> SSAValue:
        """The tensor, of scale 1, in integers of this type."""
        assert (self.scale == 1).all()
        return _converted(build, self.centred(build), element)

    def as_float(self, build: GraphBuilder, element: Attribute) -> SSAValue:
        """The tensor in floats."""
        low, high = self.span
        narrow = max(abs(int(low.min())), abs(int(high.max()))) < 1 << 24
        value = self.value
        if narrow and self.zero.any():
            value = self.centred(build)
        value = _converted(build, value, element)
        if not narrow and self.zero.any():
            value = build.make(SubtractOp, value, constant_of(build, self.zero, dtype_of(element)))
        if (self.scale != 1).any():
            value = build.make(MultiplyOp, value, constant_of(build, self.scale, dtype_of(element)))
        return value


def _converted(build: GraphBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    return build.make(ConvertOp, value, attributes={"destination_type": element})


@dataclass(frozen=True)
class TensorSum:
    """Two added quantised tensors, and whether negative sums became 0."""

    a: Scaled
    b: Scaled
    positive: bool = False

    def times(self, factor: Fraction) -> TensorSum:
        """Both with another scale."""
        a, b = (part.changed(scale=part.scale * factor) for part in (self.a, self.b))
        return replace(self, a=a, b=b)

    def limited(self, least: Fraction | None, most: Fraction | None) -> TensorSum | None:
        """Return the sum limited to `least` and `most`, or None.

        Return None unless the limits are those of a ReLU.
        """
        return replace(self, positive=True) if least == 0 and most is None else None


@dataclass(frozen=True)
class Biased:
    """Tensor with an offset that no steps represent.

    It is scale · (value − zero + rest), limited to `least` and `most` (None: no limit).

    The zero point of `of` contains the steps nearest to the offset. `rest` is the remainder: at most half a step, or the
    whole offset where 32 bits do not hold the steps.
    """

    of: Scaled
    rest: Numbers
    least: Fraction | None = None
    most: Fraction | None = None

    def times(self, factor: Fraction) -> Biased:
        """With another scale."""
        least, most = (None if end is None else end * factor for end in (self.least, self.most))
        return replace(self, of=self.of.changed(scale=self.of.scale * factor), least=least, most=most)

    def limited(self, least: Fraction | None, most: Fraction | None) -> Biased:
        """With what is below `least` and above `most` limited to these."""

        def within(number: Fraction | None, *, otherwise: Fraction | None) -> Fraction | None:
            if number is None:
                return otherwise
            number = number if least is None else max(number, least)
            return number if most is None else min(number, most)

        return replace(
            self, least=within(self.least, otherwise=least), most=within(self.most, otherwise=most)
        )


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
class OutputLimits:
    """Offset added to a rounded number, and bounds of the result.

    The offset is one number for all channels, or one for each channel.
    """

    offset: Numbers
    least: int
    most: int


class RequantisationRemark(Protocol):
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
    told: RequantisationRemark | None


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

    def rounded(self, build: GraphBuilder, x: Scaled, ratio: Numbers, limits: OutputLimits) -> Rounded:
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
    build: GraphBuilder,
    x: Scaled,
    ratio: Numbers,
    limits: OutputLimits,
    target: Attribute,
    rounding: Rounding,
) -> tuple[SSAValue, RequantisationRemark | None]:
    """Emit `round(ratio · (value − zero)) + offset`, limited, as integers of type `target`.

    The second result describes the requantisation; it is None if nothing is rounded.
    """
    lowest, highest = type_range(target)
    offset, least, most = limits.offset, max(limits.least, lowest), min(limits.most, highest)
    same = (ratio == 1).all() and (x.zero == offset).all() and x.element == target
    if same and not isinstance(x.terms, Biased) and x.low.min() >= least and x.high.max() <= most:
        return x.value, None
    found = rounding.rounded(build, x, ratio, OutputLimits(offset, least, most))
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
