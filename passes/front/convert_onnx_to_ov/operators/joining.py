"""Tensors put together and repeated."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import i64
from loomir.dialects.ov.operators.comparison import EqualOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.joining import ConcatOp, TileOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Concat", 1, 4, 11, 13)
def concat(node: Node) -> Results:
    """Translate Concat.

    The axis is 1 by default in version 1 and required in later versions.
    """
    return node.op(ConcatOp, node.inputs(), axis=node.int("axis", 1 if node.version == 1 else None))


@translates("Tile", 6, 13)
def tile(node: Node) -> Results:
    """As often as `repeats` says for each dimension."""
    return node.op(TileOp, node.input(0), node.input(1))


@translates("Tile", 1)
def tile_one_axis(node: Node) -> Results:
    """Version 1 repeats along one axis, both numbers being inputs."""
    data = node.input(0)
    tiles, axis = (
        node.op(ConvertOp, node.scalar(node.input(i), what), destination_type=i64)
        for i, what in ((1, "tiles"), (2, "axis"))
    )
    at_axis = node.op(EqualOp, node.vector(range(node.rank(data))), axis)
    return node.op(TileOp, data, node.op(SelectOp, at_axis, tiles, node.constant(np.array(1, np.int64))))
