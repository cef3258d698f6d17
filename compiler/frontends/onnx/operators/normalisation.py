"""Softmax and its logarithm."""

from __future__ import annotations

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.operators.reshape import flatten
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.normalisation import LogSoftmaxOp, SoftmaxOp
from loomir.dialects.ov.reshape import ReshapeOp


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
