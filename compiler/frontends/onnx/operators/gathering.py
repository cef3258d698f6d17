"""Elements picked by index."""

from __future__ import annotations

import numpy as np

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.ov.gathering import GatherOp


@translates("Gather", 1, 11, 13)
def gather(node: Node) -> Results:
    """An index out of range is an error, unlike in OpenVINO, which gives zeros."""
    axis = node.constant(np.array(node.int("axis", 0), np.int64))
    return node.op(GatherOp, node.input(0), node.input(1), axis, out_of_range="error")
