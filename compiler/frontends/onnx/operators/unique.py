"""Unique."""

from __future__ import annotations

import numpy as np

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.ov.unique import UniqueOp


@translates("Unique", 11, 28)
def unique(node: Node) -> Results:
    """Of the flattened tensor where there is no axis."""
    axis = node.constant(np.array(node.int("axis"), np.int64)) if node.has("axis") else None
    sorted_ = bool(node.int("sorted", 1))
    return node.emit(UniqueOp, node.input(0), axis, attributes={"sorted": sorted_}).results
