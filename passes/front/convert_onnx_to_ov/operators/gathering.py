"""Elements picked by index."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.operators.gathering import GatherElementsOp, GatherNDOp, GatherOp
from loomir.dialects.ov.operators.nonzero import NonZeroOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Gather", 1, 11, 13)
def gather(node: Node) -> Results:
    """Translate Gather.

    An index out of range is an error, unlike in OpenVINO, where it yields zeros.
    """
    axis = node.constant(np.array(node.int("axis", 0), np.int64))
    return node.op(GatherOp, node.input(0), node.input(1), axis, out_of_range="error")


@translates("GatherElements", 11, 13)
def gather_elements(node: Node) -> Results:
    return node.op(GatherElementsOp, node.input(0), node.input(1), axis=node.int("axis", 0))


@translates("GatherND", 11, 12, 13)
def gather_nd(node: Node) -> Results:
    """Version 11 has no batch dimensions."""
    return node.op(GatherNDOp, node.input(0), node.input(1), batch_dims=node.int("batch_dims", 0))


@translates("Compress", 9, 11, 28)
def compress(node: Node) -> Results:
    """Translate Compress: select the slices whose condition is true.

    Without an axis it selects elements of the flattened tensor.
    """
    data, condition = node.input(0), node.input(1)
    axis = node.int("axis", 0)
    if not node.has("axis"):
        data = node.op(ReshapeOp, data, node.vector([-1]))
    known = node.known(condition)
    if known is not None:
        picked = node.constant(np.flatnonzero(known).astype(np.int64))
    else:
        picked = node.op(ReshapeOp, node.op(NonZeroOp, condition), node.vector([-1]))
    at = node.constant(np.array(axis, np.int64))
    return node.op(GatherOp, data, picked, at, out_of_range="error")
