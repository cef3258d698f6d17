"""Walks through graphs, and sub-graphs that look like a pattern.

Extensions import the walks from `utils.graph`, and the patterns, with the walk through graphs inside nodes, from
`middle.pattern_match`.
"""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from networkx.algorithms import isomorphism

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.graph.attributes import INFO
from loomir.tools.model_optimizer.mo.graph.graph import (
    Graph,
    Node,
    dict_includes,
    get_edge_attribute_between_nodes,
    set_edge_attribute_between_nodes,
)

__all__ = [
    "Graph",
    "Node",
    "backward_bfs_for_operation",
    "bfs_search",
    "clear_tensor_names_info",
    "get_edge_attribute_between_nodes",
    "invert_sub_graph_between_nodes",
    "is_connected_component",
    "node_incoming_neighbourhood",
    "node_neighbourhood",
    "node_outcoming_neighbourhood",
    "nodes_matching_name_pattern",
    "scope_output_nodes",
    "set_edge_attribute_between_nodes",
    "sub_graph_between_nodes",
]


def backward_bfs_for_operation(
    start_node: Node, op_names: Collection[str], skip_op_list: Collection[str] = ()
) -> list[Node]:
    """Return the nearest nodes before `start_node` with one of the operations.

    The search includes every path up to its first such node. No path continues beyond a node of `skip_op_list`.
    """
    found: dict[Any, Node] = {}
    seen = {start_node.id}
    waiting = deque([start_node])
    while waiting:
        node = waiting.popleft()
        for before, _ in node.get_inputs():
            other = node.sibling(before)
            if other.id in seen:
                continue
            seen.add(other.id)
            if other.kind == "data":
                if other.soft_get("value", None) is None:
                    waiting.append(other)
            elif other.soft_get("op") in op_names:
                found[other.id] = other
            elif other.soft_get("op") not in (skip_op_list or ()):
                waiting.append(other)
    return list(found.values())


def bfs_search(graph: Graph, start_nodes: Sequence[Any] = ()) -> list[Any]:
    """Return identifiers of the reachable nodes in breadth-first order.

    The search starts at `start_nodes`, by default at the nodes without inputs.
    """
    order = list(start_nodes) or [n for n in graph.nodes() if not graph.pred[n]]
    visited = set(order)
    for node in order:
        for _, after in graph.out_edges(node):
            if after not in visited:
                visited.add(after)
                order.append(after)
    return order


def nodes_matching_name_pattern(graph: Graph, pattern: str) -> list[Any]:
    """Identifiers that begin with what the regular expression matches."""
    compiled = re.compile(pattern)
    return [node for node in graph.nodes() if compiled.match(str(node))]


def is_connected_component(graph: Graph, node_names: Sequence[Any]) -> bool:
    """Return True if edges among the nodes connect all of them.

    The direction of the edges does not matter.
    """
    names = set(node_names)
    reached = list(node_names[:1])
    visited = set(reached)
    for node in reached:
        for other in [*graph.pred[node], *graph.succ[node]]:
            if other in names and other not in visited:
                visited.add(other)
                reached.append(other)
    return visited >= names


def sub_graph_between_nodes(
    graph: Graph,
    start_nodes: Sequence[Any],
    end_nodes: Sequence[Any],
    detect_extra_start_node: Callable[[Node], bool] | None = None,
    include_control_flow: bool = True,
    allow_non_reachable_end_nodes: bool = False,
) -> Any:
    """Identifiers of what lies between, and of what that takes from elsewhere.

    Nodes that `detect_extra_start_node` accepts are not gone beyond; with it the result is a pair, their list is the second.
    Errors: `mo-sub-graph` if an end cannot be reached from a start, or an input of the model is among the nodes.
    """
    starts, ends = set(start_nodes), set(end_nodes)
    found: list[Any] = []
    extra: list[Any] = []
    visited = set(start_nodes)
    waiting = deque(start_nodes)

    def follow(other: Any, edge: dict[str, Any]) -> None:
        if other not in visited and (include_control_flow or not edge.get("control_flow_edge")):
            visited.add(other)
            waiting.append(other)

    while waiting:
        current = waiting.popleft()
        found.append(current)
        if current not in ends:
            for _, after, edge in graph.out_edges(current, data=True):
                follow(after, edge)
        if current in starts:
            continue
        open_inputs = [
            (before, edge)
            for before, _, edge in graph.in_edges(current, data=True)
            if before not in visited and (include_control_flow or not edge.get("control_flow_edge"))
        ]
        if (
            open_inputs
            and detect_extra_start_node is not None
            and detect_extra_start_node(Node(graph, current))
        ):
            extra.append(current)
            continue
        for before, edge in open_inputs:
            follow(before, edge)
    if not allow_non_reachable_end_nodes:
        _check_reachable(graph, start_nodes, end_nodes)
    _refuse_inputs(graph, found)
    return found if detect_extra_start_node is None else (found, extra)


def invert_sub_graph_between_nodes(
    graph: Graph,
    start_nodes: Sequence[Any],
    end_nodes: Sequence[Any],
    detect_extra_start_node: Callable[[Node], bool] | None = None,
) -> Any:
    """Return identifiers of the nodes from `start_nodes` back to `end_nodes`.

    As `sub_graph_between_nodes`, but against the direction of the edges. Errors: `mo-sub-graph`.
    """
    starts, ends = set(start_nodes), set(end_nodes)
    found: list[Any] = []
    extra: list[Any] = []
    visited = set(start_nodes)
    waiting = deque(start_nodes)
    while waiting:
        current = waiting.popleft()
        found.append(current)
        beyond = detect_extra_start_node is not None and current not in starts
        if beyond and detect_extra_start_node is not None and detect_extra_start_node(Node(graph, current)):
            extra.append(current)
        elif current not in ends:
            for before, _ in graph.in_edges(current):
                if before not in visited:
                    visited.add(before)
                    waiting.append(before)
    _refuse_inputs(graph, found)
    return found if detect_extra_start_node is None else (found, extra)


def _check_reachable(graph: Graph, start_nodes: Iterable[Any], end_nodes: Iterable[Any]) -> None:
    reached: set[Any] = set()
    for start in start_nodes:
        if start not in reached:
            graph.dfs(start, reached)
    for end in end_nodes:
        if end not in reached:
            raise Error("mo-sub-graph", f"'{end}' cannot be reached from {list(start_nodes)}")


def _refuse_inputs(graph: Graph, nodes: Iterable[Any]) -> None:
    for node in nodes:
        if graph.node[node].get("op") == "Parameter":
            raise Error("mo-sub-graph", f"the model's input '{node}' would be part of the sub-graph")


def node_neighbourhood(node_name: Any, depth: int, next_node_fn: Callable[[Any], Iterable[Any]]) -> list[Any]:
    """Return all nodes within `depth` steps of `next_node_fn`.

    The node itself comes first.
    """
    distance = {node_name: 0}
    waiting = deque([node_name])
    while waiting:
        current = waiting.popleft()
        if distance[current] < depth:
            for other in next_node_fn(current):
                if other not in distance:
                    distance[other] = distance[current] + 1
                    waiting.append(other)
    return list(distance)


def node_incoming_neighbourhood(graph: Graph, node_name: Any, depth: int) -> list[Any]:
    return node_neighbourhood(node_name, depth, lambda node: graph.pred[node])


def node_outcoming_neighbourhood(graph: Graph, node_name: Any, depth: int) -> list[Any]:
    return node_neighbourhood(node_name, depth, lambda node: graph.succ[node])


def scope_output_nodes(graph: Graph, scope: str, scope_delimiter: str = "/") -> list[Node]:
    """Return the nodes of a scope that have consumers outside of it.

    The names of the nodes begin with the scope.
    """
    prefix = scope if scope.endswith(scope_delimiter) else scope + scope_delimiter
    inside = [n for n in graph.nodes() if str(n).startswith(prefix)]
    return [
        Node(graph, n) for n in inside if any(not str(after).startswith(prefix) for after in graph.succ[n])
    ]


def clear_tensor_names_info(nodes: Iterable[Node]) -> None:
    """Clear the framework's tensor names at the outputs of these nodes.

    In the front phase: the framework's names no longer refer to the outputs of these nodes.
    """
    for node in nodes:
        for after in node.out_nodes().values():
            info = get_edge_attribute_between_nodes(node, after, INFO) or []
            kept = [(pair[0], pair[1], None) for pair in info if pair is not None and len(pair) >= 2]
            set_edge_attribute_between_nodes(node, after, INFO, kept)


log = logging.getLogger(__name__)


def inverse_dict(d: dict[Any, Any]) -> dict[Any, Any]:
    """Keys by value."""
    return {value: key for key, value in d.items()}


def for_each_sub_graph(graph: Graph, func: Callable[[Graph], Any]) -> None:
    """Call `func` with each graph in a node of `graph`.

    Such a graph is, for example, a loop's body. Graphs inside these graphs are not included.
    """
    for node in list(graph.nodes()):
        attributes = graph.node[node] if node in graph else {}
        for name in attributes.get("sub_graphs") or ():
            if attributes[name] is not None:
                func(attributes[name])


def for_each_sub_graph_recursively(graph: Graph, func: Callable[[Graph], Any]) -> None:
    """Call `func` with each graph in a node of `graph`, recursively.

    Outer graphs come before the graphs inside them.
    """

    def inside(sub_graph: Graph) -> None:
        func(sub_graph)
        for_each_sub_graph(sub_graph, inside)

    for_each_sub_graph(graph, inside)


def for_graph_and_each_sub_graph_recursively(graph: Graph, func: Callable[[Graph], Any]) -> None:
    """Calls `func` with `graph` and then with all graphs inside."""
    func(graph)
    for_each_sub_graph_recursively(graph, func)


def all_edges_in_nodes(nodes: Sequence[Any], edges: Sequence[Any]) -> bool:
    """Return True if both ends of each edge are among the nodes."""
    return all(edge[0] in nodes and edge[1] in nodes for edge in edges)


def node_match(data1: dict[str, Any], data2: dict[str, Any]) -> bool:
    """Return True if a node's attributes match those of a pattern's node.

    Ports are not compared.
    """
    return dict_includes(data1, data2, skip_attr_names=("_in_ports", "_out_ports"))


def edge_match(datasets1: dict[Any, dict[str, Any]], datasets2: dict[Any, dict[str, Any]]) -> bool:
    """Return True if the edges between two nodes match a pattern's edges.

    The compared attributes are those of the pattern's first edge.
    """
    names = list(next(iter(datasets2.values())))
    first, second = (
        {tuple(data.get(name) for name in names) for data in datasets.values()}
        for datasets in (datasets1, datasets2)
    )
    return first == second


def build_matcher(
    graph: Graph, nodes: Sequence[Any], edges: Sequence[Any], node_attrs: Any = None, edge_attrs: Any = None
) -> isomorphism.MultiDiGraphMatcher:
    """Return a matcher for a pattern in a graph.

    Nodes are pairs of name and attributes, edges are tuples. The last two arguments are no longer used.
    """
    if node_attrs is not None or edge_attrs is not None:
        log.warning(
            "'node_attrs' and 'edge_attrs' of a pattern have no meaning: 'nodes' and 'edges' have the attributes"
        )
    pattern = Graph(name="pattern")
    pattern.add_nodes_from(nodes)
    pattern.add_edges_from(edges)
    return isomorphism.MultiDiGraphMatcher(graph, pattern, node_match, edge_match)


def find_pattern_matches(
    graph: Graph, nodes: Sequence[Any], edges: Sequence[Any], node_attrs: Any = None, edge_attrs: Any = None
) -> Iterator[dict[Any, Any]]:
    """Yield each match as a dictionary from identifiers to the pattern's names."""
    if len(nodes) == 1 and not edges:
        name, attributes = nodes[0]
        return ({node: name} for node in _alone(graph, attributes))
    return build_matcher(graph, nodes, edges, node_attrs, edge_attrs).subgraph_isomorphisms_iter()


def _alone(graph: Graph, attributes: dict[str, Any]) -> list[Any]:
    """Return the nodes that match a pattern of one node.

    This needs no subgraph search, and uses the graph's index if the pattern names the operation.
    """
    named = {k: v for k, v in attributes.items() if k in ("op", "kind", "name") and isinstance(v, str)}
    found = graph.get_nodes_with_attributes(**named)
    # The pattern's node has no edge to itself, and so may none that it matches.
    return [n for n in found if not graph.has_edge(n, n) and node_match(graph.node[n], attributes)]


def apply_pattern(
    graph: Graph,
    nodes: Sequence[Any],
    edges: Sequence[Any],
    action: Callable[[Graph, dict[str, Node]], Any],
    node_attrs: Any = None,
    edge_attrs: Any = None,
) -> None:
    """Call `action` for each match of a pattern.

    All matches are found first. `action` is called only if all nodes of the match still exist; it receives them by the
    pattern's names.
    """
    if not all_edges_in_nodes([node[0] for node in nodes], edges):
        log.warning("an edge of the pattern ends at a node that is not in its 'nodes'")
    for found in list(find_pattern_matches(graph, nodes, edges, node_attrs, edge_attrs)):
        if all(node in graph for node in found):
            action(graph, {name: Node(graph, node) for node, name in found.items()})
        else:
            log.warning(
                "the graph has changed: a place of the pattern %s is gone", [node[0] for node in nodes]
            )


def check_node_usages_out_of_match(match: dict[str, Node], node_name_in_match_group: str) -> bool:
    """Return True if the match contains all neighbours of the named node."""
    node = match[node_name_in_match_group]
    inside = {other.id for other in match.values()}
    return all(other in inside for other in (*node.graph.pred[node.id], *node.graph.succ[node.id]))


def find_isomorphisms(graph: Graph, nodes: Sequence[Any], edges: Sequence[Any]) -> list[dict[str, Node]]:
    """Return the isomorphisms between the whole graph and the pattern.

    Each is a dictionary of nodes by the pattern's names.
    """
    matcher = build_matcher(graph, nodes, edges)
    return [
        {name: Node(graph, node) for node, name in found.items()} for found in matcher.isomorphisms_iter()
    ]


def check_value(v: Any, check: Callable[[Any], Any]) -> Any:
    """Return True if `v` is a real value for which `check` holds."""
    return v is not None and bool(np.all(np.isreal(v))) and check(v)
