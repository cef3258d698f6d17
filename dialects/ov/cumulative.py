"""Sums and products of all elements up to each one: CumSum, CumProd."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def

from loomir.dialects.ov.attributes import FALSE
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.parameters import axis_from
from loomir.dialects.ov.shape_rules import check_element, is_number
from loomir.dialects.speculation import FailsOnContents


class CumulativeOp(OvOperation, ABC):
    """What they have in common: the shape of data, an axis of one number."""

    data = operand_def()
    axis = operand_def()
    exclusive = prop_def(BoolAttr, default_value=FALSE)
    reverse = prop_def(BoolAttr, default_value=FALSE)
    output = result_def()
    traits = traits_def(FailsOnContents("axis"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, axis = facts
        check_element(data, "data", is_number, "a number")
        _ = axis_from(axis, data.rank)
        return [Fact(data.element, data.shape)]


@irdl_op_definition
class CumSumOp(CumulativeOp):
    """The sum of the elements of an axis up to each one: OpenVINO CumSum-3; ONNX CumSum.

    With `exclusive` without the element itself (the first is 0), with `reverse` from the end to the front. Sums of f16
    and bf16 are kept in f32, integers wrap around. Errors: `axis-range`, `operand-rank`, `element-type`.
    """

    name = "ov.cum_sum"


@irdl_op_definition
class CumProdOp(CumulativeOp):
    """The product of the elements of an axis up to each one: ONNX CumProd.

    With `exclusive` without the element itself (the first is 1), with `reverse` from the end to the front. Products of
    f16 and bf16 are kept in f32, integers wrap around. Errors: `axis-range`, `operand-rank`, `element-type`.
    """

    name = "ov.cum_prod"
