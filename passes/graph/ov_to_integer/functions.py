"""Elementwise functions of one quantised 8-bit tensor, as tables.

8 bits have 256 values, and the result of each is known at compile time:

    q = quantise(sigmoid(dequantise(x)) · 2 − 1)        q = table[x]

The pass follows any chain of elementwise operations, including operands that are the same number for all elements and
other functions of the same tensor, such as x · sigmoid(x). The quantisation of the last function becomes a table
lookup; other uses remain floating-point computations. The table holds the values that the operations compute: nothing
changes.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, i8, ui8
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.evaluation import evaluate, has_evaluator
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.errors import Error
from loomir.passes.analysis.known_arrays import known_array
from loomir.passes.graph.ov_to_integer.forms import FLOATS, Forms, Function

_COUNT = 256
"""Integers of 8 bits."""


def function_of(forms: Forms, op: OvOperation) -> Function | None:
    """An elementwise operation of functions of one tensor."""
    if not op.ELEMENTWISE or not has_evaluator(type(op)) or len(op.results) != 1:
        return None
    given: list[np.ndarray] = []
    source: Function | None = None
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
    return Function(source.of, values)


def _same_source(a: Function, b: Function) -> bool:
    return a.of.value is b.of.value and a.values.shape == b.values.shape


def reads_a_function(forms: Forms, op: OvOperation) -> bool:
    """Return True if an operation reads a function of a quantised tensor."""
    return any(_as_function(forms, operand) is not None for operand in op.operands)


def _as_function(forms: Forms, value: SSAValue) -> Function | None:
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
    return Function(x, values.astype(dtype_of(element)))


def looked_up(build: GraphBuilder, function: Function, integers: np.ndarray) -> SSAValue:
    """Emit the lookup of a function's integers in an 8-bit-indexed table."""
    x, first = function.of, int(function.of.low.min())
    table = np.zeros(_COUNT, integers.dtype)
    # Negative integers are, as their bits, the upper half of the unsigned ones.
    table[np.arange(first, first + integers.size) % _COUNT] = integers
    index = (
        x.value if x.element == ui8 else build.make(ConvertOp, x.value, attributes={"destination_type": ui8})
    )
    return build.make(GatherOp, build.constant(table), index, build.integers([0]))
