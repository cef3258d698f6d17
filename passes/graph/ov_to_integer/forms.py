"""What is known of a value on its way through integers, and of a whole program."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import f32, f64
from loomir.passes.graph.ov_to_integer.requantising import Rounding, Told
from loomir.passes.graph.ov_to_integer.scaled import Numbers, Scaled

FLOATS = (f32, f64)
"""The types whose arithmetic stands for that of real numbers. What computes with 16 bits is left alone."""

LARGEST = (1 << 31) - 1
"""The largest sum: 32 bits hold it."""

NEAR = Fraction(1, 256)
"""How far a number may be from an integer that stands for it, in steps of a quantised tensor."""


@dataclass(frozen=True)
class Pending:
    """What was divided by its scale and rounded, on its way to an integer type: round(scale · (value − zero)) + offset, limited."""

    of: Scaled
    offset: int = 0
    least: float = float("-inf")
    most: float = float("inf")


@dataclass(frozen=True)
class Looked:
    """Floats that a table of a quantised tensor gives."""

    value: SSAValue


@dataclass(frozen=True)
class Function:
    """A function of one quantised tensor of 8 bits: what it is for each integer from the least on. Nothing computes it yet."""

    of: Scaled
    values: np.ndarray


Form: TypeAlias = Scaled | Pending | Looked


class Forms:
    """The forms of a program's values, which of them are functions of a quantised tensor (beside a form, perhaps), how they are rounded
    where they are requantised, what is told of each time that they were, and which operations were said to stay floats.
    """

    def __init__(self, rounding: Rounding) -> None:
        self.rounding = rounding
        self.of_values: dict[SSAValue, Form] = {}
        self.functions: dict[SSAValue, Function] = {}
        self.requantised: dict[Operation, Told] = {}
        self.left: set[Operation] = set()

    def get(self, value: SSAValue) -> Scaled | Pending | None:
        """The form of a value, where it has one that others are made of."""
        form = self.of_values.get(value)
        return form if isinstance(form, Scaled | Pending) else None

    def scaled(self, value: SSAValue) -> Scaled | None:
        """The form of a value that is integers times a scale."""
        form = self.with_offset(value)
        return None if form is None or form.is_far else form

    def with_offset(self, value: SSAValue) -> Scaled | None:
        """The same for who looks at its `terms` first: the integers may stand for nothing then."""
        form = self.of_values.get(value)
        return form if isinstance(form, Scaled) else None


def fits(low: Numbers, high: Numbers) -> bool:
    """Whether 32 bits hold all numbers between these."""
    return bool(low.min() >= -LARGEST and high.max() <= LARGEST)


def attributes_of(op: Operation) -> dict[str, Any]:
    """An operation's attributes, for one like it."""
    return dict(op.properties)


def keeps_shape(op: Operation, tensor: SSAValue) -> bool:
    """Whether nothing makes the tensor larger."""
    return op.results[0].type == tensor.type
