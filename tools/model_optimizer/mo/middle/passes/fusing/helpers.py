"""Neighbours of operations in the middle phase."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import Any

from loomir.tools.model_optimizer.mo.graph.graph import Node
from loomir.tools.model_optimizer.mo.graph.port import Port


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
