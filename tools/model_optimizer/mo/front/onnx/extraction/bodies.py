"""Loops and branches.

The model loader has already created their graphs and the connections of these.
"""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.front.onnx.extracting import extracts
from loomir.tools.model_optimizer.mo.graph.graph import Node

_KEPT = ("input_port_map", "output_port_map", "back_edges", "body", "then_graph", "else_graph")


def _kept(node: Node) -> dict[str, Any]:
    return {name: node[name] for name in _KEPT if node.has(name)}


@extracts("Loop")
def loop(node: Node) -> Any:
    return "loop", "Loop", _kept(node)


@extracts("If")
def branches(node: Node) -> Any:
    return "If", "If", _kept(node)
