"""Small graphs for the tests of `loomir.mo`."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.extractors import create_tensor_nodes
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node

Edge = tuple[str, int, str, int]
"""From, output, to, input."""


def copy_shapes(node: Node) -> None:
    """Outputs have the shape of input 0."""
    for idx in node.out_nodes():
        if node.has_port("out", idx):
            node.out_port(idx).data.set_shape(node.in_port(0).data.get_shape())


def front_graph(edges: list[Edge], **attributes: dict[str, Any]) -> Graph:
    """Operations by the names in `edges`; their `op` is the name up to an underscore. `attributes` are more, by name."""
    graph = Graph(name="test")
    graph.stage = "front"
    names = dict.fromkeys([end for source, _, target, _ in edges for end in (source, target)])
    for name in names:
        counts = {
            "in_ports_count": max((i + 1 for _, _, t, i in edges if t == name), default=0),
            "out_ports_count": max((o + 1 for s, o, _, _ in edges if s == name), default=0),
        }
        own = {"kind": "op", "name": name, "op": name.split("_")[0], **counts, **attributes.get(name, {})}
        graph.add_node(name, **own)
    for source, out, target, port in edges:
        info = {"fw_tensor_debug_info": [(source, f"{source}:{out}")]}
        graph.create_edge(Node(graph, source), Node(graph, target), out, port, info)
    return graph


def middle_graph(edges: list[Edge], **attributes: dict[str, Any]) -> Graph:
    """The same with data nodes."""
    return create_tensor_nodes(front_graph(edges, **attributes))


CHAIN: list[Edge] = [("Parameter", 0, "A", 0), ("A", 0, "B", 0), ("B", 0, "Result", 0)]
