"""Operations with constants at their inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.ops.const import Const


def _constant(graph: Graph, node: Node, port: int, name: str, value: Any) -> None:
    constant = Const(graph, {"name": name, "value": value}).create_node()
    constant.out_port(0).connect(node.in_port(port))
    if graph.stage != "front":
        # Its value is known at once, for what is inferred next.
        constant.infer(constant)


def create_op_node_with_second_input(
    graph: Graph,
    op: Any,
    second_input_value: Any,
    op_attrs: dict[str, Any] | None = None,
    input_node: Node | None = None,
) -> Node:
    """Create a node of class `op` with a constant at input 1.

    Output 0 of `input_node` is connected to input 0.
    """
    node = op(graph, {} if op_attrs is None else op_attrs).create_node()
    if input_node is not None:
        input_node.out_port(0).connect(node.in_port(0))
    _constant(graph, node, 1, f"{node.name}/value", second_input_value)
    return node


def create_op_with_const_inputs(
    graph: Graph,
    op: Any,
    port_value_dict: Mapping[int, Any],
    op_attrs: dict[str, Any] | None = None,
    input_node: Node | None = None,
) -> Node:
    """Create a node of class `op` with constants at the given inputs.

    The keys of `port_value_dict` are the inputs. Output 0 of `input_node` is connected to input 0.
    """
    node = op(graph, {} if op_attrs is None else op_attrs).create_node()
    if input_node is not None:
        input_node.out_port(0).connect(node.in_port(0))
    for port, value in port_value_dict.items():
        node.add_input_port(port, skip_if_exist=True)
        _constant(graph, node, port, f"{node.name}_input_port_{port}/value", value)
    return node
