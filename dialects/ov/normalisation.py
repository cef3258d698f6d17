"""Softmax and its logarithm: composites."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from loomir.dialects.element_types import is_float
from loomir.dialects.ov.attributes import integer, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.shape_rules import normalise_axis, require_element


class AlongAxisOp(OvOperation, ABC):
    """A float tensor normalised along `axis` (negative counts from the end). Errors: `element-type`,
    `axis-range`.
    """

    COMPOSITE: ClassVar[bool] = True

    data = operand_def()
    output = result_def()
    traits = traits_def(Pure())

    def axis_value(self) -> int:
        """The attribute `axis` as given."""
        raise NotImplementedError

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        require_element(data, is_float, "a float", "data")
        if data.rank is not None:
            normalise_axis(self.axis_value(), data.rank)
        return [Fact(data.element, data.shape)]


@irdl_op_definition
class SoftmaxOp(AlongAxisOp):
    """`exp(x - max) / sum(exp(x - max))` along `axis` (default 1). OpenVINO SoftMax-8, ONNX Softmax-13."""

    name = "ov.softmax"
    axis = prop_def(IntegerAttr, default_value=integer(1))

    def axis_value(self) -> int:
        return to_int(self.axis)


@irdl_op_definition
class LogSoftmaxOp(AlongAxisOp):
    """`(x - max) - log(sum(exp(x - max)))` along `axis` (default -1). OpenVINO LogSoftmax-5, ONNX
    LogSoftmax-13.
    """

    name = "ov.log_softmax"
    axis = prop_def(IntegerAttr, default_value=integer(-1))

    def axis_value(self) -> int:
        return to_int(self.axis)
