"""Forms of values in integer arithmetic, and knowledge about a whole program."""

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
"""Float types whose arithmetic represents that of real numbers.

Computations in 16 bits are left unchanged.
"""

LARGEST = (1 << 31) - 1
"""The largest sum: 32 bits hold it."""

NEAR = Fraction(1, 256)
"""Maximum distance of a number from the integer that represents it.

The unit is a step of a quantised tensor.
"""


@dataclass(frozen=True)
class Pending:
    """Tensor divided by its scale and rounded, before its integer conversion.

    Its value is `round(scale · (value − zero)) + offset`, limited to `least` and `most`.
    """

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
    """Function of one quantised 8-bit tensor, as a list of values.

    `values` holds the value of the function for each integer from the least on. Nothing computes the function yet.
    """

    of: Scaled
    values: np.ndarray


Form: TypeAlias = Scaled | Pending | Looked


class Forms:
    """Forms of a program's values, and the state of the conversion.

    It also records which values are functions of a quantised tensor (possibly besides a form), the rounding of
    requantisations, the report on each requantisation, and the operations already reported to stay floats.
    """

    def __init__(self, rounding: Rounding) -> None:
        self.rounding = rounding
        self.of_values: dict[SSAValue, Form] = {}
        self.functions: dict[SSAValue, Function] = {}
        self.requantised: dict[Operation, Told] = {}
        self.left: set[Operation] = set()

    def get(self, value: SSAValue) -> Scaled | Pending | None:
        """Return a value's form if other forms can derive from it."""
        form = self.of_values.get(value)
        return form if isinstance(form, Scaled | Pending) else None

    def scaled(self, value: SSAValue) -> Scaled | None:
        """The form of a value that is integers times a scale."""
        form = self.with_offset(value)
        return None if form is None or form.is_far else form

    def with_offset(self, value: SSAValue) -> Scaled | None:
        """Return the scaled form for callers that examine its `terms` first.

        The integers may represent nothing in this case.
        """
        form = self.of_values.get(value)
        return form if isinstance(form, Scaled) else None


def fits(low: Numbers, high: Numbers) -> bool:
    """Return True if 32 bits hold all numbers from `low` to `high`."""
    return bool(low.min() >= -LARGEST and high.max() <= LARGEST)


def attributes_of(op: Operation) -> dict[str, Any]:
    """An operation's attributes, for one like it."""
    return dict(op.properties)


def keeps_shape(op: Operation, tensor: SSAValue) -> bool:
    """Return True if the operation does not enlarge the tensor."""
    return op.results[0].type == tensor.type
