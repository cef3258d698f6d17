"""Conversions between element types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from loomir.dialects.element_types import i1, is_float, is_integer
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.intervals import fact_from, interval_of, tracked, truth
from loomir.dialects.ov.shape_rules import is_boolean, is_number
from loomir.errors import Error


@irdl_op_definition
class ConvertOp(OvOperation):
    """Each element as a value of type `destination_type`. OpenVINO Convert-1, ONNX Cast-25.

    - to boolean: whether it is not zero (NaN is not);
    - from boolean: 0 or 1;
    - integer to integer: the low bits;
    - float to integer: towards zero; beyond the range of the type its nearest limit, NaN gives 0 (the
      specifications leave both open);
    - to float: the nearest value, ties to even.

    Error: `element-type`.
    """

    name = "ov.convert"
    data = operand_def()
    destination_type = prop_def(TypeAttribute)
    output = result_def()
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, target = facts[0], self.destination_type
        for element in (data.element, target):
            _check(element)
        if is_float(target) or is_float(data.element):
            return [Fact(target, data.shape)]
        interval = interval_of(data)
        if interval is None or not tracked(target):
            return [Fact(target, data.shape)]
        if target == i1 and is_integer(data.element):
            lo, hi = interval
            zero, nonzero = (lo == 0) & (hi == 0), (lo > 0) | (hi < 0)
            interval = truth(nonzero, ~np.asarray(zero, bool))
        return [fact_from(target, data.shape, interval)]


@irdl_op_definition
class ConvertLikeOp(OvOperation):
    """Each element as a value of the element type of `like`. OpenVINO ConvertLike-8, ONNX CastLike-25.

    Composite: `ov.convert`. Error: `element-type`.
    """

    COMPOSITE: ClassVar[bool] = True

    name = "ov.convert_like"
    data = operand_def()
    like = operand_def()
    output = result_def()
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, target = facts[0], facts[1].element
        for element in (data.element, target):
            _check(element)
        return [Fact(target, data.shape)]


def _check(element: Attribute) -> None:
    if not (is_number(element) or is_boolean(element)):
        raise Error("element-type", f"{element} cannot be converted, expected numbers or booleans")
