"""Tensors of numbers that are integers times a scale.

    x = scale · (q − zero)

`q` is a tensor of integers in the program; scale and zero point are known when the program is compiled: one for all, or one for each index
of some axes. Scales are exact: the rational numbers that float32 stands for, and what products and quotients of these are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp

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
    terms: Terms | Biased | None = None
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
class Terms:
    """Two added quantised tensors, and whether negative sums became 0."""

    a: Scaled
    b: Scaled
    positive: bool = False

    def times(self, factor: Fraction) -> Terms:
        """Both with another scale."""
        a, b = (part.changed(scale=part.scale * factor) for part in (self.a, self.b))
        return replace(self, a=a, b=b)

    def limited(self, least: Fraction | None, most: Fraction | None) -> Terms | None:
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
