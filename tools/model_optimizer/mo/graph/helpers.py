"""Functions on graphs and nodes that extensions import from `graph.graph`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from loomir.tools.model_optimizer.mo.graph.node import Node
from loomir.tools.model_optimizer.mo.graph.tensor_names import INFO
from loomir.tools.model_optimizer.mo.late import member

log = logging.getLogger(__name__)


def dict_to_ordered_dict(d: dict[Any, Any], func: Callable[[Any], Any] = lambda t: t) -> dict[Any, Any]:
    """`d` in the order of what `func` makes of the keys."""
    return {key: d[key] for key in sorted(d, key=func)}


def fill_graph_with_nodes(
    graph: Any,
    src_nodes: Iterable[Any],
    get_id: Callable[[Any], Any],
    get_attrs: Callable[[Any], dict[str, Any]],
) -> None:
    """Add a node for each of `src_nodes`.

    The functions return its identifier and attributes.
    """
    for source in src_nodes:
        graph.add_node(get_id(source), **get_attrs(source))


def add_opoutput(
    graph: Any,
    node_name: Any,
    port: int,
    cut: bool = True,
    keep_output_port: bool = False,
    user_defined_name: str | None = None,
) -> Any:
    """Add a Result to output `port` of node `node_name`; return its identifier.

    With `cut` the Result replaces the existing consumers of the output.

    `user_defined_name`, in the front phase, is one more name of the tensor, unless another tensor has it.
    """
    node = Node(graph, node_name)
    attributes = {"name": f"{node_name}/sink_port_{port}", "keep_output_port": keep_output_port}
    result_class = member("ops.result", "Result")
    if cut and node.out_edges():
        result = result_class(graph).create_node_on_port(node, port, attributes)
    else:
        result = result_class(graph).create_node([(node, port)], attributes)
        result.in_edge()["data_attrs"] = [INFO]
    if user_defined_name is not None and graph.stage in ("front", None):
        edge = result.in_edge()
        if user_defined_name not in [pair[1] for pair in edge.get(INFO) or ()]:
            if graph.has_tensor_name(user_defined_name):
                log.warning(
                    "'%s' is another tensor's name, and '%s' does not get it", user_defined_name, node_name
                )
            else:
                edge[INFO] = [*(edge.get(INFO) or ()), [user_defined_name, user_defined_name]]
    return result.id


def merge_edge_props(attrs: dict[str, Any], additional_attrs: dict[str, Any]) -> dict[str, Any]:
    """Merge the second edge attributes into the first, and return the first.

    All attributes but 'in' and 'out' are merged; lists are joined.
    """
    for name, value in additional_attrs.items():
        if name in ("in", "out"):
            continue
        if isinstance(value, list):
            joined = [*attrs.get(name, []), *value]
            attrs[name] = [item for position, item in enumerate(joined) if item not in joined[:position]]
        else:
            attrs[name] = value
    return attrs


def rename_node(node: Node, name: str) -> None:
    """Rename the node, unless some node already has the new name."""
    if not node.graph.get_nodes_with_attributes(name=name):
        node["name"] = name


def rename_nodes(nodes: Iterable[tuple[Node, str]]) -> None:
    """`rename_node` for each pair, in this order."""
    for node, name in nodes:
        rename_node(node, name)


def _edges_between(node1: Node, node2: Node) -> Iterable[dict[str, Any]]:
    return (node1.graph.get_edge_data(node1.id, node2.id) or {}).values()


def get_edge_attribute_between_nodes(node1: Node, node2: Node, attr_name: str) -> Any:
    """Return an attribute of the edge between the nodes, or None.

    The edge goes from `node1` to `node2`.
    """
    return next((edge[attr_name] for edge in _edges_between(node1, node2) if attr_name in edge), None)


def set_edge_attribute_between_nodes(node1: Node, node2: Node, attr_name: str, new_value: Any) -> None:
    """Sets an attribute of the edges from one node to the other."""
    for edge in _edges_between(node1, node2):
        edge[attr_name] = new_value


# What older extensions call in place of the methods of the same names.


def get_node_id_by_name(graph: Any, name: str) -> Any:
    return graph.get_node_id_by_name(name)


def print_graph_stat(graph: Any) -> None:
    graph.print_graph_stat()


def get_inputs_with_ports(graph: Any, match: Any, pattern_edges: Any, input_names_in_pattern: Any) -> Any:
    return graph.get_inputs_with_ports(match, pattern_edges, input_names_in_pattern)


def dump_graph_for_graphviz(graph: Any, *arguments: Any, **options: Any) -> str:
    return graph.dump_graph_for_graphviz(*arguments, **options)


def create_sub_graph_copy(graph: Any, nodes_to_extract: Sequence[Any]) -> Any:
    return graph.create_sub_graph_copy(nodes_to_extract)


def get_graph_ops(graph: Any) -> list[Node]:
    return graph.get_op_nodes()


def check_empty_graph(graph: Any, description: str) -> None:
    graph.check_empty_graph(description)


def create_edge(
    src_node: Node,
    dst_node: Node,
    out_port: int = 0,
    in_port: int = 0,
    edge_attrs: dict[str, Any] | None = None,
) -> None:
    src_node.graph.create_edge(src_node, dst_node, out_port, in_port, edge_attrs)


def erase_node(node: Node) -> None:
    node.graph.erase_node(node)


def get_sorted_inputs(node: Node, control_flow: bool = False) -> list[Any]:
    return node.get_sorted_inputs(control_flow)


def get_sorted_outputs(node: Node, control_flow: bool = False) -> list[Any]:
    return node.get_sorted_outputs(control_flow)


def insert_node_after(node: Node, new_node: Node, node_out_port: int = 0) -> None:
    node.insert_node_after(new_node, node_out_port)


def replace_node(old_node: Node, new_node: Node, new_node_out_port: int | None = None) -> None:
    old_node.replace_node(new_node, new_node_out_port)


def copy_node(src_node: Node, new_attrs: dict[str, Any] | None = None, dst_graph: Any = None) -> Node:
    return src_node.copy_node(new_attrs, dst_graph)


def get_inputs(
    graph: Any, node: Any, edge_attr: dict[str, Any] | None = None, control_flow: bool = False
) -> Any:
    return Node(graph, node).get_inputs(edge_attr, control_flow)


def get_outputs(
    graph: Any, node: Any, edge_attr: dict[str, Any] | None = None, control_flow: bool = False
) -> Any:
    return Node(graph, node).get_outputs(edge_attr, control_flow)
