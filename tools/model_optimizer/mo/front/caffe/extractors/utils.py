"""Axes, and constants at inputs."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import int64_array
from loomir.tools.model_optimizer.mo.graph.graph import Node
from loomir.tools.model_optimizer.mo.ops.const import Const


def get_canonical_axis_index(shape: Any, axis: int) -> int:
    """`axis` counted from the front."""
    return axis + len(shape) if axis < 0 else axis


def dim_to_shape(dim: Any) -> Any:
    """A message's extents as a shape."""
    return int64_array(dim)


def input_as_const(node: Node, attrs: dict[str, Any], port: int, bin: str, value: Any) -> None:
    """Add a constant with `value` at an input.

    The edge of the input marks the constant as the weights `bin`.
    """
    constant = Const(node.graph, {"value": value, **attrs}).create_node()
    node.add_input_port(port, skip_if_exist=True)
    constant.out_port(0).connect(node.in_port(port))
    edge = node.in_edge(port)
    edge["bin"] = bin
    edge["in_attrs"] = [*edge["in_attrs"], "bin"]
