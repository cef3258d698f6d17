"""Fields of an ONNX node before its extraction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loomir.tools.model_optimizer.mo.graph.graph import Node

onnx_op_extractors: dict[str, Callable[[Node], Any]] = {}
"""Extractors that are functions, by operation: old extensions add theirs."""


def node_pb_arg(pb_extractor: Callable[[Any], Any]) -> Callable[[Node], Any]:
    """An extractor of a function of the message."""
    return lambda node: pb_extractor(node.pb)


def common_onnx_fields(node: Node) -> dict[str, Any]:
    """A node's name is its identifier: those in models may be empty."""
    # (Messages of inputs and outputs have no operator.)
    return {"kind": "op", "name": node.id, "op": node.op if node.has_valid("op") else node.pb.op_type}
