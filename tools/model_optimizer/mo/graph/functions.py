"""Functions on graphs: orders, checks, texts, and those of `graph.graph`.

Orders of a graph's nodes, checks of whole graphs and their text, also for Graphviz, are methods of graphs; the functions
on graphs and nodes are those that extensions import from `graph.graph`.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import attribute_not_covered, member
from loomir.tools.model_optimizer.mo.graph.attributes import INFO
from loomir.tools.model_optimizer.mo.graph.node import Node

COLOURS = {"Const": "lightpink", "Parameter": "yellowgreen", "op": "lightblue", "data": "whitesmoke"}
HIGHLIGHT = "firebrick"


def graphviz(
    graph: Any,
    node_attrs: Sequence[str],
    edge_attrs: Sequence[str],
    nodes_to_dump: Iterable[Any] | None,
    highlight_nodes: Iterable[Any],
) -> str:
    """Return a Graphviz text of the nodes and the edges between them.

    The text shows those of the requested attributes that a node or edge has.
    """
    shown: Collection[Any] = dict.fromkeys(graph.nodes() if nodes_to_dump is None else nodes_to_dump)
    highlighted = set(highlight_nodes)
    lines = ["digraph {"]
    for node in shown:
        attributes = graph.node[node]
        kind = attributes.get("kind", "op")
        colour = HIGHLIGHT if node in highlighted else COLOURS.get(attributes.get("type"), COLOURS[kind])
        label = "\\n".join([str(node), *_told(attributes, node_attrs)])
        style = "filled,rounded" if kind == "data" else "filled,bold"
        lines.append(f'"{node}" [fillcolor={colour} style="{style}" shape=box label="{label}"];')
    for source, target, attributes in graph.edges(data=True):
        if source in shown and target in shown:
            lines.append(f'"{source}" -> "{target}" [label = "{" ".join(_told(attributes, edge_attrs))}"];')
    return "\n".join([*lines, "}"])


def _told(attributes: dict[str, Any], names: Iterable[str]) -> list[str]:
    return [f"{name}={attributes[name]}".replace('"', '\\"') for name in names if name in attributes]


if TYPE_CHECKING:
    _Graph = Any
else:
    _Graph = object

log = logging.getLogger(__name__)


class GraphReports(_Graph):
    """Methods of a graph that change nothing."""

    def check_empty_graph(self, description: Any) -> None:
        """Errors: `mo-graph-empty` if one node or none is left after `description`."""
        if self.number_of_nodes() <= 1:
            raise Error("mo-graph-empty", f"the graph has {self.number_of_nodes()} nodes after {description}")

    def check_shapes_consistency(self) -> None:
        """Check that the shape of each data node is valid.

        Errors: `mo-graph-data` if a data node has no shape attribute, or one that is neither None nor an array.
        """
        for node in self.get_data_nodes():
            if not node.has("shape") or not isinstance(node.shape, np.ndarray | None):
                raise Error(
                    "mo-graph-data",
                    f"the shape of data node '{node.id}' is not an array: {node.soft_get('shape')}",
                )

    def check_nodes_ports_are_consecutive(self) -> None:
        """Check the port numbers of all operations.

        Errors: `mo-graph-port` if the ports of an operation are not numbered from 0 without gaps.
        """
        for node in self.get_op_nodes():
            for kind, ports in (("in", node.in_ports()), ("out", node.out_ports())):
                if list(ports) != list(range(len(ports))):
                    raise Error("mo-graph-port", f"the {kind}puts of '{node.id}' are numbered {list(ports)}")

    def dump_graph_for_graphviz(
        self,
        node_attrs: Sequence[str] = (
            "kind",
            "op",
            "shape",
            "correct_data_layout",
            "nchw_layout",
            "internal_layer_id",
        ),
        edge_attrs: Sequence[str] = ("in", "out"),
        nodes_to_dump: Iterable[Any] | None = None,
        save_to_svg: bool = False,
        highlight_nodes: Iterable[Any] = (),
    ) -> str:
        """The graph in Graphviz's language. Errors: `mo-api-not-covered` for `save_to_svg`."""
        if save_to_svg:
            raise attribute_not_covered("Graph.dump_graph_for_graphviz", "save_to_svg")
        return graphviz(self, node_attrs, edge_attrs, nodes_to_dump, highlight_nodes or ())

    def print_graph_stat(self) -> None:
        """Logs how many nodes of each operation there are."""
        counts = Counter(d.get("op", d.get("kind", "<UNDEFINED>")) for d in self._node.values())
        log.debug("%d nodes, %d edges: %s", self.number_of_nodes(), self.number_of_edges(), dict(counts))


if TYPE_CHECKING:
    _OrderedGraph = Any
else:
    _OrderedGraph = object


class GraphOrder(_OrderedGraph):
    """Methods of a graph that put its nodes in order."""

    def dfs(self, node_name: Any, visited: set[Any]) -> list[Any]:
        """Return identifiers of unvisited nodes reachable from a node, in postorder.

        Each node comes after all nodes that follow it in the graph. The nodes are added to `visited`.
        """
        order: list[Any] = []
        visited.add(node_name)
        stack: list[tuple[Any, Iterator[Any]]] = [(node_name, iter(self._succ[node_name]))]
        while stack:
            node, successors = stack[-1]
            following = next((n for n in successors if n not in visited), None)
            if following is None:
                stack.pop()
                order.append(node)
            else:
                visited.add(following)
                stack.append((following, iter(self._succ[following])))
        return order

    def pseudo_topological_sort(self, reverse: bool = False) -> list[Node]:
        """Return the nodes in topological order.

        Each node comes after its inputs, unless there are cycles, which are not detected.
        """
        visited: set[Any] = set()
        order: list[Any] = []
        for node in self._node:
            if not self._pred[node] and node not in visited:
                order.extend(self.dfs(node, visited))
        return [Node(self, n) for n in (order if reverse else reversed(order))]

    def pseudo_topological_sort_with_start_node(self, start_node: Node, reverse: bool = False) -> list[Node]:
        """The same of what is reached from one node."""
        order = self.dfs(start_node.id, set())
        return [Node(self, n) for n in (order if reverse else reversed(order))]

    def topological_sort(self, reverse: bool = False) -> list[Node]:
        """Nodes so that each comes after its inputs. Errors: `mo-graph-cycle`."""
        try:
            order = list(nx.topological_sort(self))
        except nx.NetworkXUnfeasible:
            cycle = " → ".join(str(source) for source, *_ in nx.find_cycle(self))
            raise Error("mo-graph-cycle", f"the graph has a cycle: {cycle}") from None
        return [Node(self, n) for n in (reversed(order) if reverse else order)]


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
