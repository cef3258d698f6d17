"""A constant."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import int64_array, mo_array
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.ops.op import Op
from loomir.tools.model_optimizer.mo.utils.data_types import (
    data_type_str_to_np,
    np_data_type_to_destination_type,
    precision_to_destination_type,
)


class Const(Op):
    """Constant with `value`.

    `force_shape` and `force_type` set a shape and an element type other than the value's own.
    """

    op = "Const"

    def __init__(self, graph: Graph, attrs: dict[str, Any] | None = None) -> None:
        own: dict[str, Any] = {
            "type": self.op,
            "op": self.op,
            "version": "opset1",
            "infer": self.infer,
            "type_infer": self.type_infer,
            "value": None,
            "shape": None,
            "data_type": None,
            "out_ports_count": 1,
        }
        super().__init__(graph, own, attrs)
        if not isinstance(self.attrs["value"], np.ndarray):
            self.attrs["value"] = mo_array(self.attrs["value"])
        forced_shape, forced_type = self.attrs.get("force_shape"), self.attrs.get("force_type")
        value = self.attrs["value"]
        self.attrs["shape"] = int64_array(value.shape if forced_shape is None else forced_shape)
        self.attrs["data_type"] = value.dtype if forced_type is None else data_type_str_to_np(forced_type)

    def supported_attrs(self) -> list[Any]:
        return [
            "offset",
            "size",
            ("shape", lambda node: ",".join(map(str, node.shape))),
            ("element_type", _element_type),
        ]

    @staticmethod
    def type_infer(node: Node) -> None:
        forced = node.has_valid("force_type")
        node.out_port(0).set_data_type(node.data_type if forced else node.value.dtype, override=True)

    @staticmethod
    def infer(node: Node) -> None:
        whole = isinstance(node.value, np.ndarray) or len(node.shape) == 0
        node.out_port(0).data.set_value(node.value if whole else np.full(node.shape, node.value))


def _element_type(node: Node) -> str:
    if node.has_valid("force_type"):
        return precision_to_destination_type(node.force_type)
    return np_data_type_to_destination_type(node.value.dtype)
