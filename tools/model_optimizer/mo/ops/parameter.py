"""An input of the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import unmask_shape
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.ops.op import Op, PermuteAttrs
from loomir.tools.model_optimizer.mo.utils.data_types import np_data_type_to_destination_type


class Parameter(Op):
    """Input with `shape` and `data_type`.

    The default of `data_type` is float32.
    """

    op = "Parameter"

    def __init__(self, graph: Graph, attrs: dict[str, Any] | None = None) -> None:
        own: dict[str, Any] = {
            "op": self.op,
            "type": self.op,
            "version": "opset1",
            "infer": self.infer,
            "reverse_infer": self.reverse_infer,
            "type_infer": self.type_infer,
            "is_input": True,
            "data_type": np.float32,
            "out_ports_count": 1,
            "user_shape": None,
        }
        super().__init__(graph, own, attrs)

    @staticmethod
    def type_infer(node: Node) -> None:
        node.out_port(0).set_data_type(node.data_type)

    @staticmethod
    def shape_serialize(node: Node) -> str:
        """Return the shape in IR, with -1 for an unknown dimension.

        The user's shape is preferred if there is one.
        """
        shape = node.soft_get("user_shape", node.soft_get("shape", None))
        return ",".join(map(str, unmask_shape(shape)))

    def supported_attrs(self) -> list[Any]:
        return [
            ("shape", self.shape_serialize),
            ("element_type", lambda node: np_data_type_to_destination_type(node.data_type)),
        ]

    @staticmethod
    def infer(node: Node) -> None:
        """Errors: `mo-parameter-shape` if it has none."""
        if not node.has_valid("shape"):
            name = str(node.soft_get("name", node.id))
            raise Error(
                "mo-parameter-shape", "the input has no shape", layer=name, hint="--input-shape gives it one"
            )
        node.out_port(0).data.set_shape(node.shape)
        PermuteAttrs.create_permute_attrs(node, attrs=[("shape", "output:0")])

    @staticmethod
    def reverse_infer(node: Node) -> None:
        if node.soft_get("shape", None) is None:
            node["shape"] = node.out_port(0).data.get_shape()
