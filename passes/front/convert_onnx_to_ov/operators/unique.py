"""Unique."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.operators.unique import UniqueOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Unique", 11, 28)
def unique(node: Node) -> Results:
    """Of the flattened tensor where there is no axis."""
    axis = node.constant(np.array(node.int("axis"), np.int64)) if node.has("axis") else None
    sorted_ = bool(node.int("sorted", 1))
    return node.emit(UniqueOp, node.input(0), axis, attributes={"sorted": sorted_}).results
