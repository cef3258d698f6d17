"""Elementwise tests of floats for NaN, infinite and finite values.

They are composites of comparisons.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from loomir.dialects.element_types import i1, is_float
from loomir.dialects.ov.attributes import TRUE
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.shape_rules import check_element
from loomir.dialects.ov.sources import Sources
from loomir.dialects.tensors import TENSOR


class FloatingTestOp(OvOperation, ABC):
    """Elementwise test of a float tensor, with boolean results.

    Error: `element-type`.
    """

    COMPOSITE: ClassVar[bool] = True

    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)
    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        check_element(facts[0], "data", is_float, "a float")
        return [Fact(i1, facts[0].shape)]


@irdl_op_definition
class IsNaNOp(FloatingTestOp):
    """Elementwise test for NaN. OpenVINO IsNaN-10, ONNX IsNaN-20."""

    name = "ov.is_nan"
    SOURCES: ClassVar = Sources(openvino=("IsNaN", 10))


@irdl_op_definition
class IsInfOp(FloatingTestOp):
    """Elementwise test for infinities of selected signs.

    OpenVINO IsInf-10, ONNX IsInf-20.
    """

    name = "ov.is_inf"
    SOURCES: ClassVar = Sources(openvino=("IsInf", 10))
    detect_negative = prop_def(BoolAttr, default_value=TRUE)
    detect_positive = prop_def(BoolAttr, default_value=TRUE)


@irdl_op_definition
class IsFiniteOp(FloatingTestOp):
    """Elementwise test for neither infinite nor NaN. OpenVINO IsFinite-10."""

    name = "ov.is_finite"
    SOURCES: ClassVar = Sources(openvino=("IsFinite", 10))
