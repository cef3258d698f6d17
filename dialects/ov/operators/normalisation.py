"""Softmax, attention, and normalisations of mean, variance or norm.

They are composites of floats. Normalised tensors have a mean of 0, or a variance or a norm of 1.

The statistics of f16 and bf16, and values computed with them, are kept in f32 and rounded once.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)

from loomir.dialects.element_types import TENSOR, i1, is_float
from loomir.dialects.ov.attributes import TRUE, choice, integer, to_bool, to_float, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact, Shape, fact_of
from loomir.dialects.ov.inference import contents
from loomir.dialects.ov.interfaces import (
    ANY,
    AnyOrder,
    ChannelsFirst,
    Layout,
    NamedExtents,
    NamedOperand,
    Sources,
    broadcast_to,
)
from loomir.dialects.ov.shape_rules import (
    broadcast_shapes,
    check_element,
    check_integer,
    normalise_axes,
    normalise_axis,
    same_element,
    show_shapes,
)
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
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
        parameters = [NamedOperand(index, names[index], ["C"]) for index in range(1, len(facts))]
        return NamedExtents("normalisation-shapes", [NamedOperand(0, "data", data), *parameters])


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


@irdl_op_definition
class ScaledDotProductAttentionOp(OvOperation):
    """Scaled dot-product attention, `softmax(query · keyᵀ · scale + mask) · value`. OpenVINO ScaledDotProductAttention-13.

    Mask and scale are optional.

    query is `[…, L, E]`, key `[…, S, E]`, value `[…, S, Ev]`; the dimensions before are broadcast. `scale`, a tensor of
    one element, is `1 / sqrt(E)` where it is not given. With `causal`, position i sees the positions up to i of
    key only, and the mask does not count; else a mask broadcast to `[…, L, S]` is added, or where it is boolean, only
    what it is true for is seen. A scalar mask says that there is none. A position that sees nothing gives NaN.

    Errors: `element-type`, `element-types-differ`, `attention-shapes`, `broadcast-shapes`.
    """

    COMPOSITE: ClassVar[bool] = True

    name = "ov.scaled_dot_product_attention"
    query = operand_def(TENSOR)
    key = operand_def(TENSOR)
    value = operand_def(TENSOR)
    options = var_operand_def(TENSOR)
    causal = prop_def(BoolAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    @property
    def attention_mask(self) -> SSAValue | None:
        """The mask, where one is given that counts."""
        mask = self.options[0] if self.options and not to_bool(self.causal) else None
        return None if mask is None or fact_of(mask).rank == 0 else mask

    @property
    def scale(self) -> SSAValue | None:
        """The factor, where it is given."""
        return self.options[1] if len(self.options) > 1 else None

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        query, key, value, *options = facts
        if len(options) > 2:
            raise Error("attention-shapes", f"{len(options)} options, expected a mask and a scale at most")
        check_element(query, "query", is_float, "a float")
        same_element([query, key, value, *options[1:]], ("query", "key", "value", "scale"))
        if options and options[0].element not in (i1, query.element):
            raise Error(
                "element-types-differ",
                f"the mask has elements of type {options[0].element}, query {query.element}",
            )
        if len(options) > 1 and any(d.static not in (None, 1) for d in options[1].shape or ()):
            raise Error(
                "attention-shapes",
                f"the scale has shape {show_shapes([options[1].shape])}, expected one element",
            )
        if query.shape is None or key.shape is None or value.shape is None:
            return [Fact(query.element, None)]
        shapes = [query.shape, key.shape, value.shape]
        if any(len(s) < 2 for s in shapes):
            raise Error("attention-shapes", f"query, key and value have shapes {show_shapes(shapes)}")
        self.agreed_extents(facts)
        batch: Shape | None = broadcast_shapes([s[:-2] for s in shapes])
        if options and not to_bool(self.causal):
            # The mask may have fewer dimensions than the scores, or more.
            scores = broadcast_shapes([query.shape[:-2], key.shape[:-2]])
            assert scores is not None
            masked = broadcast_shapes([(*scores, query.shape[-2], key.shape[-2]), options[0].shape])
            batch = None if masked is None else broadcast_shapes([masked[:-2], value.shape[:-2]])
        if batch is None:
            return [Fact(query.element, None)]
        return [Fact(query.element, (*batch, query.shape[-2], value.shape[-1]))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        """Return the named extents of the last two dimensions.

        The dimensions before them are broadcast. The mask is broadcast to the scores' rows and columns.
        """
        last = [("query", "LE"), ("key", "SE"), ("value", ["S", ANY])]
        if len(facts) > 3 and not to_bool(self.causal):
            last.append(("the mask", ["L?", "S?"]))
        operands: list[NamedOperand] = []
        for index, ((what, names), fact) in enumerate(zip(last, facts)):
            if fact.rank is not None:
                operands.append(
                    NamedOperand(index, what, [*[ANY] * (fact.rank - 2), *names[max(0, 2 - fact.rank) :]])
                )
        return NamedExtents("attention-shapes", operands)
