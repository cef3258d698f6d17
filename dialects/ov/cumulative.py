"""Sums and products of all elements up to each one: CumSum, CumProd."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def

from loomir.dialects.ov.attributes import FALSE
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.parameters import integers, normalise_axis
from loomir.dialects.ov.shape_rules import is_number, require_element
from loomir.dialects.speculation import FailsOnContents
from loomir.errors import Error


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
        require_element(data, is_number, "a number", "data")
        known = integers(axis, "axis")
        if known is not None and len(known) != 1:
            raise Error("operand-rank", f"axis must be one number, not {len(known)}")
        if known is not None and data.rank is not None:
            _ = normalise_axis(known[0], data.rank)
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
