"""Conversion of a block to a graph.

Each operation, argument and result becomes a node. Regions become graphs in the attributes of their node.

An outer value that a body reads is a Parameter of the body's graph, and an input of the node after the node's own
inputs. To replace this value, change the edge.
"""

from __future__ import annotations

from typing import Any

from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.captures import captured
from loomir.tools.model_optimizer.mo.bridge.forms import Form
from loomir.tools.model_optimizer.mo.bridge.inference import infer_as_it_was
from loomir.tools.model_optimizer.mo.bridge.origin import ARGUMENT, CAPTURE, ORDER, ORIGIN, RESULT, Origin
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import shape_array
from loomir.tools.model_optimizer.mo.graph.graph import DATA_ATTRIBUTES, Graph, Node
from loomir.tools.model_optimizer.mo.ops.attributes import add_attrs_props


def graph_of(block: Block, form: Form, about: dict[str, Any]) -> Graph:
    """Return the graph of a block that reads no outer values.

    `about` is the content of `graph.graph`.
    """
    return _Building(form, about, {}).run(block, [])


class _Building:
    def __init__(self, form: Form, about: dict[str, Any], known: dict[Operation, list[SSAValue]]) -> None:
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
        origin = Origin(op, self._form.layer_of(op), self._form.told(op))
        attributes = self._form.attributes(op)
        name = self._form.name(op)
        wanted = name if has_name else f"{name}/{attributes['op']}"
        node = self._node(wanted, {**attributes, ORIGIN: origin, ORDER: order})
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
