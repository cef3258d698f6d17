"""Extractors' access to an ONNX node.

The node's protobuf message is the attribute `pb`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.graph.graph import Node


def onnx_node_has_attr(node: Node, name: str) -> bool:
    return any(attribute.name == name for attribute in node.pb.attribute)


def onnx_attr(
    node: Node, name: str, field: str, default: Any = None, dst_type: Callable[[Any], Any] | None = None
) -> Any:
    """Return attribute `name`, converted by `dst_type`, or `default`.

    The value is field `field` of the attribute's message ('i', 'ints', 'f', 's', 't' …).

    Errors: `mo-onnx-attribute` if the node has it more than once.
    """
    found = [attribute for attribute in node.pb.attribute if attribute.name == name]
    if not found:
        return default
    if len(found) > 1:
        raise Error(
            "mo-onnx-attribute", f"attribute '{name}' is there {len(found)} times", layer=node.pb.name
        )
    value = getattr(found[0], field)
    return value if dst_type is None else dst_type(value)


def onnx_get_num_outputs(node: Node) -> int:
    return len(node.pb.output)


def get_backend_pad(pads: Any, spatial_dims: Any, axis: int) -> list[Any]:
    """Padding before (`axis` 0) or after (1) each spatial dimension."""
    return [pair[axis] for pair in pads[spatial_dims]]


def get_onnx_autopad(auto_pad: bytes) -> str | None:
    """`auto_pad` in small letters, None for NOTSET."""
    text = auto_pad.decode().lower()
    return None if text == "notset" else text


def get_onnx_opset_version(node: Node) -> int:
    """The model's version of ONNX's operators; 0 where it is not known."""
    return node.graph.graph.get("fw_opset_version", 0)


def get_onnx_datatype_as_numpy(value: int) -> Any:
    """numpy's type for a number of `TensorProto.DataType`. Errors: `mo-data-type`."""
    try:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value)
    except KeyError:
        raise Error("mo-data-type", f"{value} is no element type of ONNX") from None
    return bool if dtype == np.bool_ else dtype.type
