"""Softmax and normalisation operators.

They are Softmax and its logarithm, Hardmax; batch, instance, group, layer, local response and Lp normalisation.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import bf16, f16, f32, i64
from loomir.dialects.onnx.tensors import element_type
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.comparison import EqualOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MultiplyOp,
    SquaredDifferenceOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import SqrtOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.normalisation import (
    AlongAxisOp,
    BatchNormInferenceOp,
    GroupNormalizationOp,
    LogSoftmaxOp,
    LRNOp,
    MVNOp,
    SoftmaxOp,
)
from loomir.dialects.ov.operators.reduction import (
    ReduceL1Op,
    ReduceL2Op,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.operators.reshape import flatten
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

# -- along an axis


def _along_axis(operator: str, function: Callable[[Node, SSAValue, int], SSAValue]) -> None:
    @translates(operator, 13)
    def along_axis(node: Node) -> Results:
        return function(node, node.input(0), node.int("axis", -1))

    @translates(operator, 1, 11)
    def of_matrix(node: Node) -> Results:
        """Apply the function to rows of the flattened tensor, before version 13.

        The tensor is flattened to a matrix at the axis.
        """
        data, axis = node.input(0), node.int("axis", 1)
        shape = node.shape(data)
        if shape is not None and shape and normalise_axis(axis, len(shape)) == len(shape) - 1:
            return function(node, data, -1)
        rows = function(node, flatten(node, data, axis), 1)
        return node.op(ReshapeOp, rows, node.shape_of(data))


def _softmax(op_class: type[AlongAxisOp]) -> Callable[[Node, SSAValue, int], SSAValue]:
    return lambda node, x, axis: node.op(op_class, x, axis=axis)


def _index(node: Node, value: int) -> SSAValue:
    return node.constant(np.array(value, np.int64))


def _hardmax(node: Node, x: SSAValue, axis: int) -> SSAValue:
    """1 at the first greatest element along the axis, else 0."""
    rank = node.rank(x)
    axis = normalise_axis(axis, rank)
    axes = node.vector([axis])
    greatest = node.op(EqualOp, x, node.op(ReduceMaxOp, x, axes, keep_dims=True))
    zero, one = _index(node, 0), _index(node, 1)
    extent = node.op(GatherOp, node.shape_of(x), _index(node, axis), zero)
    places = node.op(RangeOp, zero, extent, one, output_type=i64)
    places = node.op(ReshapeOp, places, node.vector([-1 if i == axis else 1 for i in range(rank)]))
    candidates = node.op(SelectOp, greatest, places, extent)
    first = node.op(ReduceMinOp, candidates, axes, keep_dims=True)
    return node.op(ConvertOp, node.op(EqualOp, places, first), destination_type=node.element(x))


_along_axis("Softmax", _softmax(SoftmaxOp))
_along_axis("LogSoftmax", _softmax(LogSoftmaxOp))
_along_axis("Hardmax", _hardmax)


@translates("LpNormalization", 1, 22)
def lp_normalization(node: Node) -> Results:
    """Translate LpNormalization: x divided by its norm along the axis.

    The result is 0 where the norm is 0.
    """
    p = node.int("p", 2)
    if p not in (1, 2):
        raise Error("invalid-onnx", f"p is {p}, expected 1 or 2")
    x = node.input(0)
    axes = node.vector([node.int("axis", -1)])
    norm = node.op(ReduceL1Op if p == 1 else ReduceL2Op, x, axes, keep_dims=True)
    # Where the norm is 0, all elements are.
    safe = node.op(SelectOp, node.op(EqualOp, norm, node.number(0, x)), node.number(1, x), norm)
    return node.op(DivideOp, x, safe, m_pythondiv=False)


# -- by mean and variance


def _wide(node: Node, value: SSAValue) -> SSAValue:
    """f16 and bf16 as f32, in which statistics are computed."""
    return _as(node, value, f32) if node.element(value) in (f16, bf16) else value


def _as(node: Node, value: SSAValue, element: Attribute) -> SSAValue:
    return value if node.element(value) == element else node.op(ConvertOp, value, destination_type=element)


@translates("BatchNormalization", 1, 6, 7, 9, 14, 15)
def batch_normalization(node: Node) -> Results:
    """Translate BatchNormalization.

    It computes (x - mean) / sqrt(variance + epsilon) · scale + bias per channel.

    The statistics are inputs, or in training mode those of the batch, from which the running ones are updated.
    """
    # Before version 7 an attribute says so, before 14 the outputs do, since then another attribute.
    training = node.version < 7 and not node.int("is_test", 0)
    training |= bool(node.int("training_mode", 0)) or any(node.is_requested(i) for i in range(1, 5))
    x = node.input(0)
    parameters = [node.input(i) for i in range(1, 5)]
    spatial, rank = bool(node.int("spatial", 1)), node.rank(x)
    same = all(node.element(p) == node.element(x) for p in parameters)
    if not training and same and spatial and rank >= 2:
        return node.op(BatchNormInferenceOp, x, *parameters, epsilon=node.float("epsilon", 1e-5))
    wide = _wide(node, x)
    shape = node.vector([-1] + [1] * (rank - 2))

    def ready(value: SSAValue) -> SSAValue:
        """Convert a parameter to the computation type and a broadcastable shape.

        To broadcast against x the shape is [C, 1, …, 1], or [C, …] for a parameter per element.
        """
        value = _as(node, value, node.element(wide))
        return node.op(ReshapeOp, value, shape) if spatial else value

    scale, bias = ready(parameters[0]), ready(parameters[1])
    if not training:
        value = _normalise(node, wide, ready(parameters[2]), ready(parameters[3]), scale, bias)
        return _as(node, value, node.element(x))
    axes = node.vector([i for i in range(rank) if i != 1] if spatial else [0])
    mean = node.op(ReduceMeanOp, wide, axes, keep_dims=True)
    variance = node.op(ReduceMeanOp, node.op(SquaredDifferenceOp, wide, mean), axes, keep_dims=True)
    value = _as(node, _normalise(node, wide, mean, variance, scale, bias), node.element(x))
    momentum = node.float("momentum", 0.9)

    def statistic(new: SSAValue, given: SSAValue, *, running: bool) -> SSAValue:
        """Convert a batch statistic to the given one's shape and type.

        A running statistic is moved from the given one towards that of the batch.
        """
        element = node.element(given)
        new = node.op(ReshapeOp, new, node.shape_of(given))
        if running:
            old = _as(node, given, node.element(new))
            kept = node.op(MultiplyOp, old, node.number(momentum, new))
            new = node.op(AddOp, kept, node.op(MultiplyOp, new, node.number(1 - momentum, new)))
        return _as(node, new, element)

    pairs = ((mean, parameters[2]), (variance, parameters[3]))
    # Versions before 14 give the running statistics, then those of the batch.
    others = [statistic(*pair, running=running) for running in (True, False) for pair in pairs]
    return [value, *others][: node.outputs]


@translates("InstanceNormalization", 1, 6, 22)
def instance_normalization(node: Node) -> Results:
    """Translate InstanceNormalization.

    It is as BatchNormalization, with the mean and the variance of each channel of each instance.
    """
    x = node.input(0)
    wide, rank = _wide(node, x), node.rank(x)
    axes = node.vector(range(2, rank))
    mean = node.op(ReduceMeanOp, wide, axes, keep_dims=True)
    variance = node.op(ReduceMeanOp, node.op(SquaredDifferenceOp, wide, mean), axes, keep_dims=True)
    shape = node.vector([-1] + [1] * (rank - 2))
    scale, bias = (node.op(ReshapeOp, _as(node, node.input(i), node.element(wide)), shape) for i in (1, 2))
    return _as(node, _normalise(node, wide, mean, variance, scale, bias), node.element(x))


def _normalise(
    node: Node, x: SSAValue, mean: SSAValue, variance: SSAValue, scale: SSAValue, bias: SSAValue
) -> SSAValue:
    epsilon = node.number(node.float("epsilon", 1e-5), x)
    deviation = node.op(SqrtOp, node.op(AddOp, variance, epsilon))
    factor = node.op(DivideOp, scale, deviation, m_pythondiv=False)
    return node.op(AddOp, node.op(MultiplyOp, node.op(SubtractOp, x, mean), factor), bias)


@translates("GroupNormalization", 21)
def group_normalization(node: Node) -> Results:
    """Translate GroupNormalization.

    It is as BatchNormalization, with the statistics of groups of channels. Version 18 has a scale and bias per group.
    """
    x, scale, bias = (node.input(i) for i in range(3))
    return node.op(
        GroupNormalizationOp,
        x,
        scale,
        bias,
        num_groups=node.int("num_groups"),
        epsilon=node.float("epsilon", 1e-5),
    )


@translates("LayerNormalization", 17)
def layer_normalization(node: Node) -> Results:
    """Translate LayerNormalization over the axes from `axis` on.

    The mean and 1 / deviation are outputs, too.
    """
    x, scale, bias = node.input(0), node.input(1), node.optional(2)
    rank, epsilon = node.rank(x), node.float("epsilon", 1e-5)
    axes = node.vector(range(normalise_axis(node.int("axis", -1), rank), rank))
    if node.is_requested(1) or node.is_requested(2):
        wide, stash = _wide(node, x), element_type(node.int("stash_type", 1))
        mean = node.op(ReduceMeanOp, wide, axes, keep_dims=True)
        centred = node.op(SubtractOp, wide, mean)
        variance = node.op(ReduceMeanOp, node.op(SquaredDifferenceOp, wide, mean), axes, keep_dims=True)
        deviation = node.op(SqrtOp, node.op(AddOp, variance, node.number(epsilon, wide)))
        inverse = node.op(DivideOp, node.number(1, wide), deviation, m_pythondiv=False)
        value = _as(node, node.op(MultiplyOp, centred, inverse), node.element(x))
        others = [_as(node, mean, stash), _as(node, inverse, stash)]
    else:
        value, others = node.op(MVNOp, x, axes, eps=epsilon), []
    value = node.op(MultiplyOp, value, scale)
    if bias is not None:
        value = node.op(AddOp, value, bias)
    return [value, *others][: node.outputs]


@translates("MeanVarianceNormalization", 9, 13)
def mean_variance_normalization(node: Node) -> Results:
    """Translate MeanVarianceNormalization: (x - mean) / (deviation + 1e-9).

    ONNX's own definition squares before it subtracts, and is less exact.
    """
    axes = node.vector(node.ints("axes", [0, 2, 3]))
    return node.op(MVNOp, node.input(0), axes, eps=1e-9, eps_mode="outside_sqrt")


@translates("LRN", 1, 13)
def lrn(node: Node) -> Results:
    """By the squares of neighbouring channels."""
    return node.op(
        LRNOp, node.input(0), node.vector([1]), size=node.int("size"), alpha=node.float("alpha", 1e-4),
        beta=node.float("beta", 0.75), bias=node.float("bias", 1.0),
    )  # fmt: skip
