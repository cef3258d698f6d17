"""Sub-graphs that look like a pattern, and graphs inside nodes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from networkx.algorithms import isomorphism

from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node, dict_includes

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
