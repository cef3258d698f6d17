"""Exact scales and offsets that are known at compile time.

Double-precision computations represent exact arithmetic: the product of the three scales of a QLinearConv is a rational
number, not the double that it rounds to. Single precision is rounded as the program rounds it: it is a scale that the
network was created with.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import f64, is_float
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, MultiplyOp
from loomir.passes.analysis.known_arrays import known_array
from loomir.passes.graph.ov_to_integer.scaled import Numbers, fractions

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
