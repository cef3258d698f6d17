"""Inference for nodes of the later phases.

It applies loomir's inference of the node's operation to the node's shapes and values.

A node that a transformation created is a layer, and the layer's row selects the operation. A node that existed before
keeps its operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, SSAValue

from loomir.dialects.blob import constant_attr
from loomir.dialects.element_types import dtype_of, element_of, f32
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layers.builder import PlainLayer
from loomir.dialects.ov.layers.making import results_of
from loomir.dialects.ov.layers.text import text_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference
from loomir.tools.model_optimizer.mo.bridge.layers import layer_attributes
from loomir.tools.model_optimizer.mo.bridge.origin import Origin, layer_of, origin_of
from loomir.tools.model_optimizer.mo.bridge.refitting import refit
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import dynamic_dimension, shape_array
from loomir.tools.model_optimizer.mo.graph.graph import Node


def infer_node(node: Node) -> None:
    """Infer the output shapes and known values of a node.

    The node belongs to the middle or back phase.

    Errors: those of the layer's row and operation, with the node; `unknown-operator` for a type that has no row.
    """
    _infer(node, _layer)


def infer_as_it_was(node: Node) -> None:
    """Infer a preexisting node by its operation and the node's current attributes.

    A node that became another layer, or has other inputs, is inferred as in `infer_node`. Errors: those of the operation;
    those of `infer_node`.
    """
    origin = origin_of(node)
    assert origin is not None
    if origin.changed(node):
        infer_node(node)
    else:
        _infer(node, partial(_operation, origin=origin))


def _infer(node: Node, made: Callable[[Node, Block, list[SSAValue]], Sequence[SSAValue]]) -> None:
    """Infer the values that `made` creates for the node and its operands.

    Errors: with the node.
    """
    try:
        block = Block()
        operands = [
            _operand(node, port, block)
            for port in sorted(node.in_ports())
            if not node.in_port(port).disconnected()
        ]
        _infer_block(node, block, made(node, block, operands))
    except Error as error:
        raise error.at(layer=str(node.soft_get("name", node.id)), op=str(node.soft_get("type"))) from None


def _layer(node: Node, block: Block, operands: list[SSAValue]) -> Sequence[SSAValue]:
    data = {name: text_of(name, value) for name, value in layer_attributes(node).items()}
    type_, version = layer_of(node)
    layer = PlainLayer(type_, version or "opset1", data)
    return results_of(layer, operands, max(len(node.out_ports()), 1), block.add_op)


def _operation(node: Node, block: Block, operands: list[SSAValue], origin: Origin) -> Sequence[SSAValue]:
    """Clone the node's original operation for these operands.

    (Changes of transformations in its graphs are not included yet; everything is inferred once all transformations have
    run.)
    """
    own = len(origin.op.operands) - len(origin.told)
    op = origin.op.clone(dict(zip(origin.captures, operands[own:])))
    op.operands = [*operands[:own], *(_constant(array, block) for array in origin.told_now(node))]
    refit(op, *origin.changed_attributes(node))
    block.add_op(op)
    return op.results


def _infer_block(node: Node, block: Block, values: Sequence[SSAValue]) -> None:
    inference = Inference()
    for argument in block.args:
        inference.facts[argument] = Fact.of_type(argument.type)
    inference.run_block(block)
    for port, value in enumerate(values):
        # (What nothing takes yet has a data node all the same.)
        if node.has_port("out", port) and node.neighbour("out", port, False) is not None:
            _give(node.out_port(port), inference.fact(value))
    block.erase(safe_erase=False)


def _operand(node: Node, port: int, block: Block) -> SSAValue:
    held = node.in_port(port).data
    value = held.get_value()
    if isinstance(value, np.ndarray) and not np.ma.is_masked(value):
        return _constant(value, block)
    return block.insert_arg(_type(held.get_shape(), held.get_attr("data_type")), len(block.args))


def _constant(value: np.ndarray, block: Block) -> SSAValue:
    known = constant_attr(np.array(value, order="C"))
    op = ConstantOp.create(result_types=[known.type], properties={"value": known})
    block.add_op(op)
    return op.results[0]


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
    port.node.out_node(port.idx)["data_type"] = dtype_of(fact.element).type
    if fact.value is not None:
        port.data.set_value(np.array(fact.value))
    elif fact.shape is not None:
        port.data.set_shape(
            shape_array([dynamic_dimension if d.static is None else d.static for d in fact.shape])
        )
