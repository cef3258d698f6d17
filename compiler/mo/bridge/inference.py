"""Inference of a node of an operation set: what loomir's operation of its layer says for these shapes and values."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, SSAValue

from loomir.compiler.mo.bridge.layers import layer_attributes
from loomir.compiler.mo.front.common.partial_infer.utils import dynamic_dimension, shape_array
from loomir.compiler.mo.graph.graph import Node
from loomir.dialects.blob import constant_attr
from loomir.dialects.element_types import element_of, f32
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layers.builder import PlainLayer
from loomir.dialects.ov.layers.making import results_of
from loomir.dialects.ov.layers.text import text_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference


def infer_node(node: Node) -> None:
    """Give the outputs of a node of the middle or back phase their shapes, and values where they are known.

    Errors: those of the layer's row and operation, with the node; `unknown-operator` for a type that has no row.
    """
    try:
        _infer(node)
    except Error as error:
        raise error.at(layer=str(node.soft_get("name", node.id)), op=str(node.soft_get("type"))) from None


def _infer(node: Node) -> None:
    block = Block()
    operands = [
        _operand(node, port, block)
        for port in sorted(node.in_ports())
        if not node.in_port(port).disconnected()
    ]
    data = {name: text_of(name, value) for name, value in layer_attributes(node).items()}
    layer = PlainLayer(node.type, node.soft_get("version", None) or "opset1", data)
    values = results_of(layer, operands, max(len(node.out_ports()), 1), block.add_op)
    inference = Inference()
    for argument in block.args:
        inference.facts[argument] = Fact.of_type(argument.type)
    inference.run_block(block)
    for port, value in enumerate(values):
        if node.has_port("out", port) and not node.out_port(port).disconnected():
            _give(node.out_port(port), inference.fact(value))
    block.erase(safe_erase=False)


def _operand(node: Node, port: int, block: Block) -> SSAValue:
    held = node.in_port(port).data
    value = held.get_value()
    if isinstance(value, np.ndarray) and not np.ma.is_masked(value):
        op = ConstantOp.create(
            result_types=[(known := constant_attr(np.ascontiguousarray(value))).type],
            properties={"value": known},
        )
        block.add_op(op)
        return op.results[0]
    return block.insert_arg(_type(held.get_shape(), held.get_attr("data_type")), len(block.args))


def _type(shape: Any, data_type: Any) -> Attribute:
    element = f32 if data_type is None else element_of(np.dtype(data_type))
    if shape is None:
        return UnrankedTensorType(element)
    masked = np.ma.getmaskarray(shape)
    extents = [Dim() if unknown else Dim(int(e), int(e)) for e, unknown in zip(np.ma.getdata(shape), masked)]
    made = Fact(element, tuple(extents)).type
    assert isinstance(made, TensorType)
    return made


def _give(port: Any, fact: Fact) -> None:
    if fact.value is not None:
        port.data.set_value(np.array(fact.value))
    elif fact.shape is not None:
        port.data.set_shape(
            shape_array([dynamic_dimension if d.static is None else d.static for d in fact.shape])
        )
