"""Softmax and its logarithm; batch and instance normalisation."""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.operators.reshape import flatten
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.conversion import ConvertOp
from loomir.dialects.ov.elementwise_binary import AddOp, DivideOp, MultiplyOp, SquaredDifferenceOp, SubtractOp
from loomir.dialects.ov.elementwise_unary import SqrtOp
from loomir.dialects.ov.normalisation import LogSoftmaxOp, SoftmaxOp
from loomir.dialects.ov.reduction import ReduceMeanOp
from loomir.dialects.ov.reshape import ReshapeOp
from loomir.errors import Error


def _softmax(operator: str, op_class: type[OvOperation]) -> None:
    @translates(operator, 13)
    def along_axis(node: Node) -> Results:
        return node.op(op_class, node.input(0), axis=node.int("axis", -1))

    @translates(operator, 1, 11)
    def of_matrix(node: Node) -> Results:
        """Before version 13: of the rows of the tensor flattened to a matrix at the axis."""
        data, axis = node.input(0), node.int("axis", 1)
        shape = node.shape(data)
        if shape is not None and shape and node.axis(axis, len(shape)) == len(shape) - 1:
            return node.op(op_class, data, axis=-1)
        rows = node.op(op_class, flatten(node, data, axis), axis=1)
        return node.op(ReshapeOp, rows, node.shape_of(data))


_softmax("Softmax", SoftmaxOp)
_softmax("LogSoftmax", LogSoftmaxOp)


@translates("BatchNormalization", 1, 6, 7, 9, 14, 15)
def batch_normalization(node: Node) -> Results:
    """(x - mean) / sqrt(variance + epsilon) · scale + bias per channel, the statistics being given."""
    # Before version 7 an attribute says so, before 14 the outputs do, since then another attribute.
    training = node.version < 7 and not node.int("is_test", 0)
    training |= bool(node.int("training_mode", 0)) or any(node.wants(i) for i in range(1, 5))
    if training:
        raise Error("unsupported-attribute", "BatchNormalization in training mode is not supported")
    if not node.int("spatial", 1):
        raise Error("unsupported-attribute", "BatchNormalization with spatial = 0 is not supported")
    x = node.input(0)
    scale, bias, mean, variance = (_per_channel(node, node.input(i), x) for i in range(1, 5))
    return _normalise(node, x, mean, variance, scale, bias)


@translates("InstanceNormalization", 1, 6, 22)
def instance_normalization(node: Node) -> Results:
    """The same with the mean and the variance of each channel of each instance."""
    x = node.input(0)
    axes = node.vector(range(2, node.rank(x)))
    mean = node.op(ReduceMeanOp, x, axes, keep_dims=True)
    variance = node.op(ReduceMeanOp, node.op(SquaredDifferenceOp, x, mean), axes, keep_dims=True)
    return _normalise(node, x, mean, variance, *(_per_channel(node, node.input(i), x) for i in (1, 2)))


def _per_channel(node: Node, value: SSAValue, x: SSAValue) -> SSAValue:
    """[C] as [C, 1, …, 1] of x's element type, to be broadcast against [N, C, …]."""
    if node.element(value) != node.element(x):
        value = node.op(ConvertOp, value, destination_type=node.element(x))
    return node.op(ReshapeOp, value, node.vector([-1] + [1] * (node.rank(x) - 2)))


def _normalise(
    node: Node, x: SSAValue, mean: SSAValue, variance: SSAValue, scale: SSAValue, bias: SSAValue
) -> SSAValue:
    epsilon = node.number(node.float("epsilon", 1e-5), x)
    deviation = node.op(SqrtOp, node.op(AddOp, variance, epsilon))
    factor = node.op(DivideOp, scale, deviation, m_pythondiv=False)
    return node.op(AddOp, node.op(MultiplyOp, node.op(SubtractOp, x, mean), factor), bias)
