"""Conversion of a block to a graph, and inference for its nodes.

Each operation, argument and result becomes a node. Regions become graphs in the attributes of their node.

An outer value that a body reads is a Parameter of the body's graph, and an input of the node after the node's own
inputs. To replace this value, change the edge.

In the later phases loomir's inference of a node's operation is applied to the node's shapes and values. A node that a
transformation created is a layer, and the layer's row selects the operation. A node that existed before keeps its
operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.dialects.attributes import constant_attr
from loomir.dialects.element_types import dtype_of, element_of, f32
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layers.attributes import PlainLayer, text_of
from loomir.dialects.ov.layers.conversion import results_of_layer
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.region_flow import captured
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference
from loomir.tools.model_optimizer.mo.bridge.node_attributes import (
    ARGUMENT,
    CAPTURE,
    ORDER,
    RESULT,
    SOURCE_OPERATION,
    SourceOperation,
    layer_attributes,
    layer_of,
    source_operation,
)
from loomir.tools.model_optimizer.mo.bridge.operations import refit
from loomir.tools.model_optimizer.mo.bridge.stage_adaptors import StageAdaptor
from loomir.tools.model_optimizer.mo.graph.graph import DATA_ATTRIBUTES, Graph, Node
from loomir.tools.model_optimizer.mo.op_attributes import add_attrs_props
from loomir.tools.model_optimizer.mo.shapes import dynamic_dimension, shape_array


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
    origin = source_operation(node)
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
    return results_of_layer(layer, operands, max(len(node.out_ports()), 1), block.add_op)


def _operation(
    node: Node, block: Block, operands: list[SSAValue], origin: SourceOperation
) -> Sequence[SSAValue]:
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


def graph_of(block: Block, form: StageAdaptor, about: dict[str, Any]) -> Graph:
    """Return the graph of a block that reads no outer values.

    `about` is the content of `graph.graph`.
    """
    return _Building(form, about, {}).run(block, [])


class _Building:
    def __init__(
        self, form: StageAdaptor, about: dict[str, Any], known: dict[Operation, list[SSAValue]]
    ) -> None:
        self._form = form
        self._about = about
        self._known = known
        self._graph = Graph()
        self._graph.graph.update(about)
        self._places: dict[SSAValue, tuple[Node, int]] = {}

    def run(self, block: Block, captures: list[SSAValue]) -> Graph:
        graph, form = self._graph, self._form
        for index, argument in enumerate(block.args):
            self._parameter(argument, ARGUMENT, index)
        for index, value in enumerate(captures):
            self._parameter(value, CAPTURE, index)
        graph.inputs_order = [str(node) for node in graph.nodes()]
        last = block.last_op
        assert last is not None
        # What a node or layer of the file became has its name several times: the last is what gives its result.
        named = {form.name(op): op for op in block.ops}
        for order, op in enumerate(block.ops):
            if op is not last and not form.is_absent(op) and not form.is_told(op):
                self._operation(op, order, named[form.name(op)] is op)
        for index, value in enumerate(last.operands):
            self._result(value, index, form.result_name(last, index))
        if form.with_data:
            self._add_data()
        graph.stage = None
        return graph

    def _node(self, wanted: str, attributes: dict[str, Any]) -> Node:
        identifier = self._graph.unique_id(wanted or "node")
        self._graph.add_node(identifier, kind="op", **{**add_attrs_props(attributes), "name": identifier})
        return Node(self._graph, identifier)

    def _parameter(self, value: SSAValue, key: str, index: int) -> None:
        attributes = {**self._form.parameter(value), key: index}
        node = self._node(self._form.value_name(value), attributes)
        node.add_output_port(0, skip_if_exist=True)
        self._places[value] = node, 0

    def _result(self, value: SSAValue, index: int, name: str) -> None:
        node = self._node(f"{name}/sink_port_{index}", {"op": "Result", "type": "Result", RESULT: index})
        node.add_input_port(0, skip_if_exist=True)
        self._connect(value, node, 0)

    def _operation(self, op: Operation, order: int, has_name: bool) -> None:
        origin = SourceOperation(op, self._form.layer_of(op), self._form.told(op))
        attributes = self._form.attributes(op)
        name = self._form.name(op)
        wanted = name if has_name else f"{name}/{attributes['op']}"
        node = self._node(wanted, {**attributes, SOURCE_OPERATION: origin, ORDER: order})
        origin.name = str(node.name)
        if self._form.with_data:
            node["infer"] = infer_as_it_was
        if op.regions:
            origin.captures = captured(op, self._known)
            for name, region in self._form.bodies(op):
                inner = _Building(self._form, self._about, self._known)
                origin.bodies[name] = inner.run(region.block, origin.captures)
                node[name] = origin.bodies[name]
            node["sub_graphs"] = list(origin.bodies)
        inputs = op.operands[: len(op.operands) - len(origin.told)]
        for port, value in enumerate((*inputs, *origin.captures)):
            node.add_input_port(port, skip_if_exist=True)
            if not self._form.is_absent(value.owner):
                self._connect(value, node, port)
        for port, value in enumerate(op.results):
            node.add_output_port(port, skip_if_exist=True)
            self._places[value] = node, port

    def _connect(self, value: SSAValue, target: Node, port: int) -> None:
        source, out = self._places[value]
        name = self._form.value_name(value)
        self._graph.add_edge(
            source.id,
            target.id,
            **{
                "out": out,
                "in": port,
                "name": name,
                "fw_tensor_debug_info": [(str(source.id), name)],
                "in_attrs": ["in", "name", "permutation"],
                "out_attrs": ["out", "name", "permutation"],
                "data_attrs": ["fw_tensor_debug_info"],
            },
        )

    def _add_data(self) -> None:
        """Add a data node at each output.

        The node holds what is known of the value.
        """
        graph = self._graph
        edges = list(graph.edges(keys=True, data=True))
        graph.remove_edges_from([(a, b, key) for a, b, key, _ in edges])
        data: dict[tuple[Any, int], str] = {}
        for value, (node, port) in self._places.items():
            identifier = graph.unique_id(f"{node.id}/Output_{port}/Data_")
            shape, known, element = self._form.known(value)
            held = {
                **DATA_ATTRIBUTES,
                "name": identifier,
                "shape": None if shape is None else shape_array(shape),
                "value": known,
                "data_type": element,
            }
            graph.add_node(identifier, **add_attrs_props(held))
            graph.add_edge(node.id, identifier, out=port)
            data[node.id, port] = identifier
        for source, target, _, edge in edges:
            holder = data[source, edge["out"]]
            graph.nodes[holder]["fw_tensor_debug_info"] = edge["fw_tensor_debug_info"]
            graph.add_edge(
                holder, target, **{"in": edge["in"], "name": edge["name"], "in_attrs": edge["in_attrs"]}
            )
