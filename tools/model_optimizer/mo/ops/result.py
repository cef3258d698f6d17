"""An output of the model."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.ops.op import Op


def nothing_to_infer(node: Node) -> None:
    """A Result produces nothing."""


class Result(Op):
    """Takes what is an output of the model."""

    op = "Result"

    def __init__(self, graph: Graph, attrs: dict[str, Any] | None = None) -> None:
        own: dict[str, Any] = {
            "op": self.op,
            "type": self.op,
            "version": "opset1",
            "infer": nothing_to_infer,
            "value": None,
            "data_type": None,
            "in_ports_count": 1,
        }
        super().__init__(graph, own, attrs)
