"""Pooling whose windows follow from the extents of the result."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def

from loomir.dialects.element_types import i64, is_float
from loomir.dialects.ov.attributes import check_index_type
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.layouts import ChannelsFirst, Layout
from loomir.dialects.ov.named_extents import NamedExtents, as_long
from loomir.dialects.ov.parameters import dimensions, intervals
from loomir.dialects.ov.shape_rules import check_element, check_rank, show_shape
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnContents
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


class AdaptivePoolingOp(OvOperation, ABC):
    """Pooling of each spatial axis into a given number of windows.

    `data` is `data: [N, C, spatial …]`; the integers `output_shape` are the numbers of windows.

    Window i of n on an axis of extent d reaches from `floor(i * d / n)` to below `ceil((i + 1) * d / n)`. Errors:
    `element-type`, `operand-rank`, `pooling-shapes`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    COMPOSITE: ClassVar[bool] = True

    data = operand_def(TENSOR)
    output_shape = operand_def(TENSOR)
    traits = traits_def(FailsOnContents("output_shape"))

    def pooled_shape(self, facts: Sequence[Fact]) -> Shape | None:
        """The shape of the results."""
        data, target = facts
        check_element(data, "data", is_float, "a float")
        check_rank(target, "output_shape", 1)
        bounds, count = intervals(target, "output_shape", 1), dimensions(target)
        if bounds is not None and any(hi < 0 for _, hi in bounds):
            raise Error("pooling-shapes", f"output_shape is negative: {[hi for _, hi in bounds]}")
        if data.shape is None and count is None:
            return None
        shape = (Dim(),) * ((count or 0) + 2) if data.shape is None else data.shape
        if len(shape) < 3:
            raise Error("pooling-shapes", f"data {show_shape(shape)} has no spatial axes")
        self.agreed_extents(facts)
        if any(d.hi == 0 for d in shape[2:]):
            raise Error("pooling-shapes", f"data {show_shape(shape)} has nothing to pool")
        spatial = [Dim()] * (len(shape) - 2) if bounds is None else [Dim(max(0, a), b) for a, b in bounds]
        return (*shape[:2], *spatial)

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        rank = facts[0].rank
        return None if rank is None else as_long(facts, "pooling-shapes", {1: "output_shape"}, rank - 2)


@irdl_op_definition
class AdaptiveAvgPoolOp(AdaptivePoolingOp):
    """The mean of each window. OpenVINO AdaptiveAvgPool-8."""

    name = "ov.adaptive_avg_pool"
    SOURCES: ClassVar = Sources(openvino=("AdaptiveAvgPool", 8))
    output = result_def(TENSOR)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        return [Fact(facts[0].element, self.pooled_shape(facts))]


@irdl_op_definition
class AdaptiveMaxPoolOp(AdaptivePoolingOp):
    """Maximum of each adaptive window, and its position. OpenVINO AdaptiveMaxPool-8.

    The maximum is NaN if the window has one. The position is that of the first such element in the channel's spatial axes,
    flattened.

    `index_element_type` is i64 (the default) or i32.
    """

    name = "ov.adaptive_max_pool"
    SOURCES: ClassVar = Sources(openvino=("AdaptiveMaxPool", 8))
    index_element_type = prop_def(TypeAttribute, default_value=i64)
    output = result_def(TENSOR)
    indices = result_def(TENSOR)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        check_index_type(self.index_element_type, "index_element_type")
        shape = self.pooled_shape(facts)
        return [Fact(facts[0].element, shape), Fact(self.index_element_type, shape)]
