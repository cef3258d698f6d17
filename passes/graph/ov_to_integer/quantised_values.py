"""Forms of quantised values, exact constants, and functions as tables.

A value has a form in integer arithmetic: integers times a scale, a tensor that is still to be rounded, or a table lookup. `QuantisedForms`
also has what is known about a whole program.

Scales and offsets that are known at compile time are exact. Double-precision computations represent exact arithmetic: the product of
the three scales of a QLinearConv is a rational number, not the double that it rounds to. Single precision is rounded as the program
rounds it: it is a scale that the network was created with.

Functions of a quantised 8-bit tensor are tables: 8 bits have 256 values, and the result of each is known at compile time. Of an
elementwise function:

    q = quantise(sigmoid(dequantise(x)) · 2 − 1)        q = table[x]

The pass follows any chain of elementwise operations, including operands that are the same number for all elements and
other functions of the same tensor, such as x · sigmoid(x). The quantisation of the last function becomes a table
lookup; other uses remain floating-point computations. The table holds the values that the operations compute: nothing
changes.

    softmax(scale · (q − zero)):    e = table[max(q) − q];    e / sum(e)        table[k] = exp(−k · scale), rounded once

The result of Softmax is floating-point. Its exponentials are nearer to the exact ones than those of floats that were rounded before.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import dtype_of, f32, f64, i8, is_float, ui8
from loomir.dialects.ov.base import OvOperation, evaluate, has_evaluator
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.normalisation import SoftmaxOp
from loomir.dialects.ov.operators.reduction import ReduceMaxOp, ReduceSumOp
from loomir.errors import Error
from loomir.passes.analysis.integer_weights import known_array
from loomir.passes.graph.ov_to_integer.scaled import (
    Numbers,
    RequantisationRemark,
    Rounding,
    Scaled,
    fractions,
)

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
class TableLookup:
    """Floats that a table of a quantised tensor gives."""

    value: SSAValue


@dataclass(frozen=True)
class TabulatedFunction:
    """Function of one quantised 8-bit tensor, as a list of values.

    `values` holds the value of the function for each integer from the least on. Nothing computes the function yet.
    """

    of: Scaled
    values: np.ndarray


QuantisedForm: TypeAlias = Scaled | Pending | TableLookup


class QuantisedForms:
    """Forms of a program's values, and the state of the conversion.

    It also records which values are functions of a quantised tensor (possibly besides a form), the rounding of
    requantisations, the report on each requantisation, and the operations already reported to stay floats.
    """

    def __init__(self, rounding: Rounding) -> None:
        self.rounding = rounding
        self.of_values: dict[SSAValue, QuantisedForm] = {}
        self.functions: dict[SSAValue, TabulatedFunction] = {}
        self.requantised: dict[Operation, RequantisationRemark] = {}
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


_DEPTH = 6
"""Maximum number of operations that compute a number.

These are conversion, subtraction of a zero point, multiplication by a scale, and data movement.
"""

MOST_NUMBERS = 1 << 14
"""Maximum number of known numbers of one tensor.

This allows one number for each channel, but not one for each element of an image.
"""


def known_numbers(value: SSAValue, depth: int = _DEPTH) -> Numbers | None:
    """Return a value's numbers; None if unknown, too many or not finite."""
    op = value.owner
    if depth and fact_of(value).element == f64:
        if isinstance(op, ConvertOp) and is_float(fact_of(op.data).element):
            return known_numbers(op.data, depth - 1)
        if isinstance(op, MultiplyOp | DivideOp):
            parts = [known_numbers(operand, depth - 1) for operand in op.operands]
            a, b = parts
            if a is None or b is None or (isinstance(op, DivideOp) and not b.all()):
                return None
            return np.asarray(a * b if isinstance(op, MultiplyOp) else a / b, object)
    array = known_array(value, scaled=True, depth=depth)
    if array is None or not 0 < array.size <= MOST_NUMBERS or not np.isfinite(array).all():
        return None
    return fractions(array)


_VALUES_OF_8_BITS = 256
"""Integers of 8 bits."""


def function_of(forms: QuantisedForms, op: OvOperation) -> TabulatedFunction | None:
    """An elementwise operation of functions of one tensor."""
    if not op.ELEMENTWISE or not has_evaluator(type(op)) or len(op.results) != 1:
        return None
    given: list[np.ndarray] = []
    source: TabulatedFunction | None = None
    for operand in op.operands:
        found = _as_function(forms, operand)
        if found is None:
            known = known_array(operand)
            if known is None or known.size != 1:
                return None
            given.append(known.reshape(()))
            continue
        if source is not None and not _same_source(source, found):
            return None
        if fact_of(operand).shape != fact_of(op.results[0]).shape:
            return None
        source = found
        given.append(found.values)
    if source is None:
        return None
    try:
        (values,) = evaluate(op, given)
    except Error:
        return None
    return TabulatedFunction(source.of, values)


def _same_source(a: TabulatedFunction, b: TabulatedFunction) -> bool:
    return a.of.value is b.of.value and a.values.shape == b.values.shape


def reads_a_function(forms: QuantisedForms, op: OvOperation) -> bool:
    """Return True if an operation reads a function of a quantised tensor."""
    return any(_as_function(forms, operand) is not None for operand in op.operands)


def _as_function(forms: QuantisedForms, value: SSAValue) -> TabulatedFunction | None:
    """A quantised tensor of 8 bits is one itself, of floats."""
    found, x = forms.functions.get(value), forms.scaled(value)
    if found is not None or x is None:
        return found
    element = fact_of(value).element
    if element not in FLOATS or x.element not in (i8, ui8) or not x.is_uniform or x.error:
        return None
    low, high = int(x.low.min()), int(x.high.max())
    scale, zero = x.scale.reshape(-1)[0], int(x.zero.reshape(-1)[0])
    values = np.array([float((q - zero) * scale) for q in range(low, high + 1)])
    return TabulatedFunction(x, values.astype(dtype_of(element)))


def emit_lookup(build: GraphBuilder, function: TabulatedFunction, integers: np.ndarray) -> SSAValue:
    """Emit the lookup of a function's integers in an 8-bit-indexed table."""
    x, first = function.of, int(function.of.low.min())
    table = np.zeros(_VALUES_OF_8_BITS, integers.dtype)
    # Negative integers are, as their bits, the upper half of the unsigned ones.
    table[np.arange(first, first + integers.size) % _VALUES_OF_8_BITS] = integers
    index = (
        x.value if x.element == ui8 else build.make(ConvertOp, x.value, attributes={"destination_type": ui8})
    )
    return build.make(GatherOp, build.constant(table), index, build.integers([0]))


_MOST_ENTRIES = 256
"""Entries of a table."""


def softmax(forms: QuantisedForms, op: SoftmaxOp, build: GraphBuilder) -> QuantisedForm | None:
    """The exponentials of a tensor of one scale come from a table."""
    x = forms.scaled(op.operands[0])
    if x is None or not x.is_uniform or not x.is_exact:
        return None
    count = int(x.high.max()) - int(x.low.min()) + 1
    if count > _MOST_ENTRIES:
        return None
    scale = float(x.scale.reshape(-1)[0])
    dtype = dtype_of(fact_of(op.results[0]).element)
    table = build.constant(np.array([exp(-k * scale) for k in range(count)], dtype))
    axes = build.integers([op.axis_value()])
    q = build.make(ConvertOp, x.value, attributes={"destination_type": i32})
    greatest = build.make(ReduceMaxOp, q, axes, attributes={"keep_dims": True})
    below = build.make(SubtractOp, greatest, q)
    below = build.make(ConvertOp, below, attributes={"destination_type": ui8})
    exponentials = build.make(GatherOp, table, below, build.integers([0]))
    total = build.make(ReduceSumOp, exponentials, axes, attributes={"keep_dims": True})
    return TableLookup(build.make(DivideOp, exponentials, total))
