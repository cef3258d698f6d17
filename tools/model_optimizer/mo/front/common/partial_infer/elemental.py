"""Inference of operations whose output is like their input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def single_output_infer(
    node: Any, shape_infer: Callable[[Any], Any], value_infer: Callable[[Any], Any] | None = None
) -> None:
    """Set shape and value of output 0 by functions of the node.

    The value is set only if input 0 has a value.
    """
    node.out_node(0)["shape"] = shape_infer(node)
    if value_infer is not None and node.in_node().soft_get("value", None) is not None:
        node.out_node(0)["value"] = value_infer(node)


def copy_shape_infer(node: Any, value_infer: Callable[[Any], Any] | None = None) -> None:
    """Output 0 has the shape of input 0."""
    single_output_infer(node, lambda n: n.in_port(0).data.get_shape(), value_infer)


def copy_value(node: Any) -> Any:
    """The value at input 0, or None."""
    return node.in_port(0).data.get_value()
