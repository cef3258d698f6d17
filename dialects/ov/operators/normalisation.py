"""Softmax, its logarithm, and normalisations of mean, variance or norm.

They are composites of floats. Normalised tensors have a mean of 0, or a variance or a norm of 1.

The statistics of f16 and bf16, and values computed with them, are kept in f32 and rounded once.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, FloatAttr, IntegerAttr, StringAttr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)

from loomir.dialects.element_types import is_float
from loomir.dialects.ov.attributes import TRUE, choice, integer, to_float, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.layouts import AnyOrder, ChannelsFirst, Layout
from loomir.dialects.ov.named_extents import ANY, Named, NamedExtents, broadcast_to
from loomir.dialects.ov.parameters import contents
from loomir.dialects.ov.shape_rules import (
    check_element,
    check_integer,
    normalise_axes,
    normalise_axis,
    same_element,
)
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


class AlongAxisOp(OvOperation, ABC):
    """Normalisation of a float tensor along `axis`.

    A negative `axis` counts from the end. Errors: `element-type`, `axis-range`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axis="axis")

    COMPOSITE: ClassVar[bool] = True

    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def axis_value(self) -> int:
        """The attribute `axis` as given."""
        raise NotImplementedError

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        check_element(data, "data", is_float, "a float")
        if data.rank is not None:
            normalise_axis(self.axis_value(), data.rank, of_scalar=True)
        return [Fact(data.element, data.shape)]


@irdl_op_definition
class SoftmaxOp(AlongAxisOp):
    """`exp(x - max) / sum(exp(x - max))` along `axis` (default 1). OpenVINO SoftMax-8, ONNX Softmax-13."""

    name = "ov.softmax"
    SOURCES: ClassVar = Sources(openvino=("SoftMax", 1, 8))
    axis = prop_def(IntegerAttr, default_value=integer(1))

    def axis_value(self) -> int:
        return to_int(self.axis)


@irdl_op_definition
class LogSoftmaxOp(AlongAxisOp):
    """Logarithm of softmax along `axis` (default -1). OpenVINO LogSoftmax-5, ONNX LogSoftmax-13.

    It is `(x - max) - log(sum(exp(x - max)))`.
    """

    name = "ov.log_softmax"
    SOURCES: ClassVar = Sources(openvino=("LogSoftmax", 5))
    axis = prop_def(IntegerAttr, default_value=integer(-1))

    def axis_value(self) -> int:
        return to_int(self.axis)


# -- along axes that are an operand


class OverAxesOp(OvOperation, ABC):
    """Normalisation of a float tensor by statistics over `axes`.

    `axes` is an integer scalar or 1-D tensor; its negative elements count from the end. Without axes each element is a
    statistic of its own. Errors: `element-type`, `reduction-axes`, `axis-range`, `axis-twice`.
    """

    COMPOSITE: ClassVar[bool] = True

    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axes"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, axes = facts[:2]
        check_element(data, "data", is_float, "a float")
        check_integer(axes, "axes")
        if axes.rank is not None and axes.rank > 1:
            raise Error("reduction-axes", f"axes has rank {axes.rank}, expected a scalar or a 1-D tensor")
        known = contents(axes)
        if data.rank is not None and known is not None:
            normalise_axes(known.reshape(-1), data.rank)
        return [Fact(data.element, data.shape)]


@irdl_op_definition
class MVNOp(OverAxesOp):
    """Mean variance normalisation. OpenVINO MVN-6, ONNX MeanVarianceNormalization-13.

    `x - mean`; with `normalize_variance` (the default) `(x - mean) / sqrt(variance + eps)`, or if `eps_mode` is
    "outside_sqrt" `(x - mean) / (sqrt(variance) + eps)`.

    Error: also `attribute-value`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1, in_sequence=True)

    name = "ov.mvn"
    data = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    normalize_variance = prop_def(BoolAttr, default_value=TRUE)
    eps = prop_def(FloatAttr)
    eps_mode = prop_def(StringAttr, default_value=StringAttr("inside_sqrt"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        choice(self.eps_mode, "eps_mode", ("inside_sqrt", "outside_sqrt"))
        return super().infer(facts)


@irdl_op_definition
class NormalizeL2Op(OverAxesOp):
    """`x / sqrt(sum(x²) + eps)`, or where `eps_mode` is "max" `x / sqrt(max(sum(x²), eps))`. OpenVINO NormalizeL2-1.

    Error: also `attribute-value`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1, in_sequence=True)

    name = "ov.normalize_l2"
    SOURCES: ClassVar = Sources(openvino=("NormalizeL2", 0))
    data = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    eps = prop_def(FloatAttr)
    eps_mode = prop_def(StringAttr)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        choice(self.eps_mode, "eps_mode", ("add", "max"))
        return super().infer(facts)


@irdl_op_definition
class RMSOp(OverAxesOp):
    """`x / sqrt(mean(x²) + epsilon)`, times `scale` if present.

    `scale` is broadcast to x. OpenVINO RMS-14, ONNX RMSNormalization-23.

    `compute_type` is a hint: f16 and bf16 are always computed in f32. Errors: also `element-types-differ`,
    `broadcast-shapes`.
    """

    name = "ov.rms"
    data = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    scale = opt_operand_def(TENSOR)
    epsilon = prop_def(FloatAttr)
    compute_type = opt_prop_def(StringAttr)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        if len(facts) > 2:
            same_element([facts[0], facts[2]], ("data", "scale"))
            self.agreed_extents(facts)
        return super().infer(facts)

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        return broadcast_to(facts, "data", [(index, "scale") for index in range(2, len(facts))])


@irdl_op_definition
class LRNOp(OverAxesOp):
    """`x / (bias + alpha · mean)^beta`. OpenVINO LRN-1, ONNX LRN-13.

    The mean is that of the squares of the `size` elements around each element along every one of the axes; elements outside
    count as zeros.

    If the size is even, one element more lies behind than before (as in ONNX; OpenVINO's specification covers only odd sizes).
    Errors: also `attribute-value`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1, in_sequence=True)

    name = "ov.lrn"
    SOURCES: ClassVar = Sources(openvino=("LRN", 0))
    data = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    alpha = prop_def(FloatAttr)
    beta = prop_def(FloatAttr)
    bias = prop_def(FloatAttr)
    size = prop_def(IntegerAttr)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        if to_int(self.size) < 1:
            raise Error("attribute-value", f"size is {to_int(self.size)}, expected a positive number")
        return super().infer(facts)


# -- per channel


class PerChannelOp(OvOperation, ABC):
    """Normalisation of `[N, C, …]` with parameters of shape `[C]`.

    Errors: `element-type`, `element-types-differ`, `normalisation-shapes`, `attribute-value`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    COMPOSITE: ClassVar[bool] = True

    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        check_element(data, "data", is_float, "a float")
        same_element(facts)
        if data.rank is not None and data.rank < 2:
            raise Error("normalisation-shapes", f"data has rank {data.rank}, expected 2 or more")
        agreed = self.agreed_extents(facts)
        return [
            Fact(data.element, None if data.shape is None else (data.shape[0], agreed["C"], *data.shape[2:]))
        ]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        data = [ANY, "C", *[ANY] * ((facts[0].rank or 2) - 2)]
        names = [name for name, _ in self.get_irdl_definition().operands]
        parameters = [Named(index, names[index], ["C"]) for index in range(1, len(facts))]
        return NamedExtents("normalisation-shapes", [Named(0, "data", data), *parameters])


@irdl_op_definition
class BatchNormInferenceOp(PerChannelOp):
    """Batch normalisation per channel. OpenVINO BatchNormInference-5, ONNX BatchNormalization-15.

    It is `(x - mean) / sqrt(variance + epsilon) · gamma + beta`.
    """

    name = "ov.batch_norm_inference"
    data = operand_def(TENSOR)
    gamma = operand_def(TENSOR)
    beta = operand_def(TENSOR)
    mean = operand_def(TENSOR)
    variance = operand_def(TENSOR)
    epsilon = prop_def(FloatAttr)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        if not to_float(self.epsilon) >= 0:
            raise Error("attribute-value", f"epsilon is {to_float(self.epsilon)}, expected 0 or more")
        return super().infer(facts)


@irdl_op_definition
class GroupNormalizationOp(PerChannelOp):
    """Normalisation of groups of channels. OpenVINO GroupNormalization-12, ONNX GroupNormalization-21.

    `(x - mean) / sqrt(variance + epsilon) · scale + bias` with the statistics of each of `num_groups` groups of adjacent
    channels of each instance.
    """

    name = "ov.group_normalization"
    SOURCES: ClassVar = Sources(openvino=("GroupNormalization", 12))
    data = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    bias = operand_def(TENSOR)
    num_groups = prop_def(IntegerAttr)
    epsilon = prop_def(FloatAttr)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        groups = to_int(self.num_groups)
        if groups < 1:
            raise Error("attribute-value", f"num_groups is {groups}, expected a positive number")
        results = super().infer(facts)
        shape = results[0].shape
        channels = None if shape is None else shape[1].static
        if channels is not None and channels % groups:
            raise Error("normalisation-shapes", f"{channels} channels cannot be divided into {groups} groups")
        return results
