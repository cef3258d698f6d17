"""A graph as text for Graphviz."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

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
