"""Conversion between quantised floats and the integers that represent them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, SSAValue, Use

from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp, RoundOp
from loomir.dialects.scalars.constants import type_range
from loomir.dialects.tensors import set_type
from loomir.passes.analysis.quantisation_steps import Steps


def quantised(build: GraphBuilder, value: SSAValue, steps: Steps) -> SSAValue:
    """Floats as integers: round(value / scale) + zero point, limited."""
    element = fact_of(value).element
    value = build.make(DivideOp, value, build.scalar(float(steps.scale), element))
    value = build.make(RoundOp, value)
    if steps.zero:
        value = build.make(AddOp, value, build.scalar(steps.zero, element))
    low, high = type_range(steps.element)
    value = build.make(ClampOp, value, attributes={"min": float(low), "max": float(high)})
    return build.make(ConvertOp, value, attributes={"destination_type": steps.element})


def make_integers(build: GraphBuilder, value: SSAValue, steps: Steps, uses: Sequence[Use]) -> None:
    """Change a float value to integers, and dequantise it for `uses`."""
    element = fact_of(value).element
    set_type(value, _with_element(value.type, steps.element))
    real = build.make(ConvertOp, value, attributes={"destination_type": element})
    if steps.zero:
        real = build.make(SubtractOp, real, build.scalar(steps.zero, element))
    real = build.make(MultiplyOp, real, build.scalar(float(steps.scale), element))
    for use in uses:
        use.operation.operands[use.index] = real


def _with_element(type_: Attribute, element: Attribute) -> TensorType | UnrankedTensorType:
    if isinstance(type_, UnrankedTensorType):
        return UnrankedTensorType(element)
    assert isinstance(type_, TensorType)
    return TensorType(element, type_.shape, type_.encoding)
