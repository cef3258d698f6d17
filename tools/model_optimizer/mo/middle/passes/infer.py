"""Partial inference: shapes, and values where they are known, in topological order."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node


def partial_infer(graph: Graph, start_node: Any = None) -> Graph:
    """Call `infer` of each operation that has one.

    With `start_node` the call is for this node and those after it in the order, otherwise for all.

    Errors: `mo-graph-cycle`, and those of inference.
    """
    order = graph.topological_sort()
    if start_node is not None:
        order = order[[node.id for node in order].index(start_node) :]
    for node in order:
        if node.has_valid("infer") and node.kind == "op":
            node.infer(node)
        node["is_partial_inferred"] = True
    return graph


def copy_type_infer(node: Node) -> None:
    """All outputs have the element type of input 0."""
    for port in node.out_ports().values():
        port.set_data_type(node.in_port(0).get_data_type())


def type_infer(graph: Graph) -> None:
    """Call `type_infer` of each operation that has one.

    Any other operation with one input passes its type on.
    """
    for node in graph.topological_sort():
        if node.soft_get("kind") != "op":
            continue
        if node.has_valid("type_infer"):
            node.type_infer(node)
        elif node.in_ports() and node.is_in_port_connected(0) and node.in_port(0).is_data_type_defined():
            copy_type_infer(node)
