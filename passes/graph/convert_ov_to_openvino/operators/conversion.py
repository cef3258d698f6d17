"""Conversions that saturate numbers that are out of range.

OpenVINO leaves the result undefined; its plugins return low bits, infinities or NaN.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Attribute, OpResult, SSAValue

from loomir.dialects.element_types import dtype_of, i8, i16, is_float, ui8, ui16
from loomir.dialects.ov.attributes import to_bool, to_float
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.bitwise import BitCastOp
from loomir.dialects.ov.operators.comparison import LessOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertLikeOp, ConvertOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.small_floats import SMALL_FLOATS
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses

_NARROW = (i8, ui8, i16, ui16)
"""Integer types whose limits are exact in f32.

Conversions from other types take their low bits.
"""


@expresses(ConvertOp)
def convert(op: ConvertOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Remove a conversion to the same type, or limit its operand.

    (OpenVINO's conversion to the same type turns infinities into finite numbers.)
    """
    element, target = build.fact(op.data).element, op.destination_type
    if element == target:
        return [op.data]
    attributes = {"destination_type": target, "round_mode": op.round_mode}
    if target in SMALL_FLOATS and to_bool(op.saturate):
        if not is_float(element):
            raise Error("not-in-openvino", f"{element} that are limited to {target} cannot be said there")
        limited = _finite(build, op.data, _greatest(target))
        return [build.make(ConvertOp, limited, attributes={**attributes, "saturate": False})]
    if target in _NARROW and is_float(element):
        limits = np.iinfo(dtype_of(target))
        low, high = _inside(limits.min, element), _inside(limits.max, element)
        if not _is_limited(op.data, low, high):
            return [build.make(ConvertOp, _limited(build, op.data, low, high), attributes=attributes)]
    return None


@expresses(ConvertLikeOp)
def convert_like(op: ConvertLikeOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Replace ConvertLike by Convert if one layer is not enough.

    A constant is replaced by another constant, because a layer would lose its infinities.
    """
    data, target = build.fact(op.data), build.fact(op.like).element
    attributes = {"destination_type": target, "saturate": op.saturate, "round_mode": op.round_mode}
    if data.value is not None:
        return [build.constant(ConvertOp.make(op.data, attributes=attributes).evaluate(data.value))]
    narrows = target in SMALL_FLOATS or (target in _NARROW and is_float(data.element))
    if data.element != target and not narrows:
        return None
    return [build.make(ConvertOp, op.data, attributes=attributes)]


@expresses(BitCastOp)
def bit_cast(op: BitCastOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Convert between integers of one width, and booleans.

    Error: `not-in-openvino` for the bits of floats.
    """
    element, target = build.fact(op.data).element, op.destination_type
    if element != target and (is_float(element) or is_float(target)):
        raise Error("not-in-openvino", f"no operation set of OpenVINO reads bits of {element} as {target}")
    return [build.make(ConvertOp, op.data, attributes={"destination_type": target})]


def _greatest(element: Attribute) -> float:
    """The greatest finite number of a small float."""
    return float(
        np.array(SMALL_FLOATS[element].greatest, np.uint8).view(dtype_of(element)).astype(np.float32)
    )


def _inside(limit: int, element: Attribute) -> float:
    """Return an integer type's limit, or the closest float inside it."""
    number = np.array(limit).astype(dtype_of(element))
    if abs(float(number)) > abs(limit):
        number = np.nextafter(number, np.zeros_like(number))
    return float(number)


def _limited(build: GraphBuilder, value: SSAValue, low: float, high: float) -> SSAValue:
    return build.make(ClampOp, value, attributes={"min": low, "max": high})


def _finite(build: GraphBuilder, value: SSAValue, greatest: float) -> SSAValue:
    """Clamp a number to the range from -greatest to greatest.

    NaN stays. (OpenVINO's Clamp turns it into the lower limit, and in OpenVINO's Greater it is greater than all numbers.)
    """
    high, low = build.like(greatest, value), build.like(-greatest, value)
    value = build.make(SelectOp, build.make(LessOp, high, value), high, value)
    return build.make(SelectOp, build.make(LessOp, value, low), low, value)


def _is_limited(value: SSAValue, low: float, high: float) -> bool:
    clamp = value.op if isinstance(value, OpResult) else None
    return isinstance(clamp, ClampOp) and low <= to_float(clamp.min) and to_float(clamp.max) <= high
