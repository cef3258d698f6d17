"""Middle phase: dead nodes, folded constants, neighbours of operations.

The clean-up removes what leads to no output, and folds what only computes constants.
"""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Callable, Collection
from typing import Any

import networkx as nx

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.constants import Const
from loomir.tools.model_optimizer.mo.graph.attributes import INFO
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.graph.port import Port
from loomir.tools.model_optimizer.mo.graph.traversal import bfs_search
from loomir.tools.model_optimizer.mo.op import RTInfo
from loomir.tools.model_optimizer.mo.shapes import compatible_shapes, is_fully_defined


def _only(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else None


def get_value_id(node: Node) -> int | None:
    """The input with a value, if there is exactly one."""
    return _only([port for port, data in node.in_nodes().items() if data.has_valid("value")])


def get_tensor_id(node: Node) -> int | None:
    """The input without a value, if there is exactly one."""
    return _only([port for port, data in node.in_nodes().items() if not data.has_valid("value")])


def get_value_in_port(node: Node) -> Port | None:
    """The input port with a value, if there is exactly one."""
    return _only([port for port in node.in_ports().values() if port.data.get_value() is not None])


def get_tensor_in_port(node: Node) -> Port | None:
    """The input port without a value, if there is exactly one."""
    return _only([port for port in node.in_ports().values() if port.data.get_value() is None])


def common_bfs(
    start_node: Node,
    allowed_ops: Collection[str],
    op_name: Collection[str],
    is_backward: bool = True,
    allowed_all: bool = False,
    attr_to_check: str = "type",
    follow_multi_consumer_data_nodes: bool = False,
) -> list[Node]:
    """Return the nearest operations whose attribute is among `op_name`.

    The search passes through operations among `allowed_ops` and tensors without values.

    A backward search does not pass through a data node with several consumers unless requested. If a path reaches another
    operation, or two paths reach one node, the result is empty.
    """
    found: dict[Any, Node] = {}
    used: set[Any] = set()
    waiting = deque([start_node])
    while waiting:
        node = waiting.popleft()
        if node.id in used:
            return []
        used.add(node.id)
        neighbours = node.in_nodes() if is_backward else node.out_nodes()
        for other in neighbours.values() if isinstance(neighbours, dict) else neighbours:
            if other.has_valid(attr_to_check):
                if other[attr_to_check] in op_name:
                    found[other.id] = other
                elif allowed_all or other.soft_get("op") in allowed_ops:
                    waiting.append(other)
                else:
                    return []
            elif other.kind == "data" and not other.has_valid("value"):
                shared = is_backward and not follow_multi_consumer_data_nodes and len(other.out_nodes()) != 1
                if not shared:
                    waiting.append(other)
    return list(found.values())


def forward_bfs(
    start_node: Node, allowed_ops: Collection[str], op_name: Collection[str], allowed_all: bool = False
) -> list[Node]:
    return common_bfs(start_node, allowed_ops, op_name, is_backward=False, allowed_all=allowed_all)


def backward_bfs(
    start_node: Node, allowed_ops: Collection[str], op_name: Collection[str], allowed_all: bool = False
) -> list[Node]:
    return common_bfs(start_node, allowed_ops, op_name, allowed_all=allowed_all)


def get_next_operation(node: Node) -> list[Node]:
    """The operations that take what the operation gives, each once."""
    return list(dict.fromkeys(after for data in node.out_nodes().values() for after in data.out_nodes()))


log = logging.getLogger(__name__)


def get_nodes_with_attributes(graph: Graph, **attrs: Any) -> list[Any]:
    return graph.get_nodes_with_attributes(**attrs)


def reverse_dfs(
    graph: Graph, node_name: Any, update_func: Callable[[Graph, Any], Any], visited: set[Any] | None = None
) -> None:
    """Call `update_func` with a node and all unvisited preceding nodes.

    The nodes are added to `visited`.
    """
    visited = set() if visited is None else visited
    visited.add(node_name)
    waiting = deque([node_name])
    while waiting:
        current = waiting.popleft()
        update_func(graph, current)
        for before, _ in graph.in_edges(current):
            if before not in visited:
                visited.add(before)
                waiting.append(before)


def mark_output_reachable_nodes(graph: Graph) -> None:
    """`is_output_reachable`: whether a Result comes of it."""
    graph.set_node_attributes("is_output_reachable", False)
    visited: set[Any] = set()

    def mark(_: Graph, node: Any) -> None:
        graph.node[node]["is_output_reachable"] = True

    for node in graph.get_nodes_with_attributes(op="Result"):
        if node not in visited:
            reverse_dfs(graph, node, mark, visited)


def mark_undead_nodes(graph: Graph, undead_types: Collection[str]) -> None:
    """Set `is_undead` of the nodes that must stay.

    They are nodes of such a type, nodes with known values that are computed from these, and the model's inputs and outputs.
    """
    graph.set_node_attributes("is_undead", False)
    kept = {*undead_types, "Result"}
    starts = [n.id for n in graph.get_op_nodes() if n.soft_get("type", n.soft_get("op")) in kept]
    for node in starts:
        graph.node[node]["is_undead"] = True
    for node in bfs_search(graph, starts) if starts else ():
        if graph.node[node]["is_undead"]:
            for _, after in graph.out_edges(node):
                attributes = graph.node[after]
                if attributes.get("kind") == "op" or attributes.get("value") is not None:
                    attributes["is_undead"] = True
    for node in graph.get_nodes_with_attributes(is_input=True):
        graph.node[node]["is_undead"] = True


def mark_const_producer_nodes(graph: Graph) -> None:
    """Set `is_const_producer` of nodes that only produce known values.

    Nodes with control flow are excluded.
    """
    graph.set_node_attributes("is_const_producer", True)
    for node in graph.pseudo_topological_sort():
        for before, _, edge in graph.in_edges(node.id, data=True):
            if edge.get("control_flow_edge"):
                graph.node[before]["is_const_producer"] = False
                node["is_const_producer"] = False
        if not is_fully_defined(node.soft_get("value", None)):
            for before, _ in graph.in_edges(node.id):
                graph.node[before]["is_const_producer"] = False


def eliminate_dead_nodes(graph: Graph) -> None:
    """Remove nodes that reach no Result, and computations of constants.

    A computation of constants stays if it is marked to stay. The marks must have been set before.
    """
    removed: list[Any] = []
    for node, attributes in list(graph.nodes(data=True)):
        if attributes.get("type") == "Const":
            _keep_what_constants_say(Node(graph, node))
        folded = attributes["is_const_producer"] and (
            not attributes["is_undead"] or attributes.get("force_dead_node", False)
        )
        if folded or not attributes["is_output_reachable"]:
            removed.append(node)
    log.debug("dead: %s", removed)
    graph.remove_nodes_from(removed)


def _keep_what_constants_say(node: Node) -> None:
    """Copy attributes of a constant to its data nodes.

    They are preserved there when the constant is removed and a new one is created.
    """
    for name in ("nchw_layout", "force_shape", "force_type"):
        if node.has_valid(name) and (name != "nchw_layout" or node[name]):
            for data in node.out_nodes().values():
                data[name] = node[name]


def add_constant_operations(graph: Graph) -> None:
    """Add constants for used data nodes with a value and no producer."""
    for data in graph.get_data_nodes(has_value=True):
        if data.in_nodes() or not data.out_nodes():
            continue
        attributes = {
            "value": data.value,
            "name": re.sub(r"/Output_\d+/Data_.*", "", str(data.soft_get("name", data.id))),
            "force_shape": data.soft_get("force_shape", None),
            "override_output_shape": data.has_valid("force_shape"),
            "force_type": data.soft_get("force_type", None),
            "correct_data_type": data.soft_get("correct_data_type", False),
            "rt_info": data.soft_get("rt_info", RTInfo()),
        }
        constant = Const(graph, attributes).create_node()
        graph.add_edge(constant.id, data.id, out=0)


def shape_inference(graph: Graph) -> None:
    """Infer the operations that are marked with `need_shape_inference`.

    Errors: `mo-infer-shape` if a shape changes to another one.
    """
    for node in graph.pseudo_topological_sort():
        if not node.has_and_set("need_shape_inference"):
            continue
        before = _shapes(node)
        node.infer(node)
        if node.has_and_set("override_output_shape"):
            del node["override_output_shape"]
        else:
            for port, now in _shapes(node).items():
                was = before.get(port)
                # Unknown dimensions may have become known.
                if was is not None and now is not None and not compatible_shapes(was, now):
                    what = f"output {port} had shape {was} and is inferred as {now}"
                    raise Error("mo-infer-shape", what, layer=str(node.soft_get("name", node.id)))
        node["need_shape_inference"] = False


def _shapes(node: Node) -> dict[Any, Any]:
    return {idx: port.data.get_shape() for idx, port in node.out_ports().items() if not port.disconnected()}


def clean_up(graph: Graph, undead_node_types: Collection[str]) -> None:
    """Run the steps of `Graph.clean_up`.

    Operations of `undead_node_types` are not folded.
    """
    mark_output_reachable_nodes(graph)
    shape_inference(graph)
    mark_undead_nodes(graph, undead_node_types)
    mark_const_producer_nodes(graph)
    eliminate_dead_nodes(graph)
    add_constant_operations(graph)


def graph_clean_up(graph: Graph, undead_node_types: list[str] | None = None) -> None:
    graph.clean_up(undead_node_types)


graph_clean_up_tf = graph_clean_up_onnx = graph_clean_up


def merge_data_nodes(graph: Graph, survived: Node, removed: Node) -> None:
    """Move edges and attributes of data node `removed` to `survived`.

    The names of both remain; `removed` stays without edges.
    """
    for source, _, key, edge in list(graph.in_edges(removed.id, keys=True, data=True)):
        graph.remove_edge(source, removed.id, key=key)
        graph.add_edge(source, survived.id, **edge)
    for _, target, key, edge in list(graph.out_edges(removed.id, keys=True, data=True)):
        graph.remove_edge(removed.id, target, key=key)
        graph.add_edge(survived.id, target, **edge)
    for name, value in removed.attrs().items():
        if name == INFO:
            survived[INFO] = [*survived.soft_get(INFO, []), *value]
        elif name != "name":
            survived[name] = value


def remove_op_node_with_data_node(
    graph: Graph, node_to_remove: Node, input_data_node: Node | None = None
) -> None:
    """Remove an operation and connect its consumers to `input_data_node`.

    The default of `input_data_node` is the operation's input 0. Errors: `mo-graph-data`.
    """
    data = node_to_remove.in_node() if input_data_node is None else input_data_node
    outputs = list(node_to_remove.out_nodes().values())
    if len(outputs) != 1 or outputs[0].soft_get("kind") != "data":
        raise Error("mo-graph-data", f"'{node_to_remove.id}' has to have one data node to be removed with it")
    graph.remove_edge(data.id, node_to_remove.id)
    graph.remove_edge(node_to_remove.id, outputs[0].id)
    merge_data_nodes(graph, outputs[0], data)
    graph.remove_nodes_from([node_to_remove.id, data.id])


def remove_op_nodes(graph: Graph, attrs: dict[str, Any]) -> None:
    """`remove_op_node_with_data_node` for all operations with those attributes."""
    for node in graph.get_op_nodes(**attrs):
        remove_op_node_with_data_node(graph, node)


def remove_edges_for_nodes(graph: Graph, node_attrs: dict[str, Any], edge_attrs: dict[str, Any]) -> None:
    """Removes edges with those attributes into nodes with those."""
    for node in graph.get_nodes_with_attributes(**node_attrs):
        for source, _, key, edge in list(graph.in_edges(node, keys=True, data=True)):
            if all(name in edge and edge[name] == value for name, value in edge_attrs.items()):
                graph.remove_edge(source, node, key=key)


def mark_input_nodes(graph: Graph, node_name: Any, key: str, value: Any) -> None:
    nx.set_node_attributes(graph, dict.fromkeys(graph.pred[node_name], value), key)


def mark_output_nodes(graph: Graph, node_name: Any, key: str, value: Any) -> None:
    nx.set_node_attributes(graph, dict.fromkeys(graph.succ[node_name], value), key)
