"""Elements replaced at indices."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import i64
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, RangeOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, FloorModOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.dialects.ov.operators.scattering import ScatterElementsUpdateOp, ScatterNDUpdateOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

_REDUCTIONS = {"none": "none", "add": "sum", "mul": "prod", "max": "max", "min": "min"}


def _reduction(node: Node) -> str:
    name = node.string("reduction", "none")
    if name not in _REDUCTIONS:
        raise Error("attribute-value", f"reduction must be one of {', '.join(_REDUCTIONS)}, not '{name}'")
    return _REDUCTIONS[name]


@translates("Scatter", 9, 11)
@translates("ScatterElements", 11, 13, 16, 18)
def scatter_elements(node: Node) -> Results:
    """Scatter is the old name; reductions came with version 16."""
    axis = node.constant(np.array(node.int("axis", 0), np.int64))
    return node.op(
        ScatterElementsUpdateOp, node.input(0), node.input(1), node.input(2), axis, reduction=_reduction(node)
    )


@translates("ScatterND", 11, 13, 16, 18)
def scatter_nd(node: Node) -> Results:
    return node.op(ScatterNDUpdateOp, node.input(0), node.input(1), node.input(2), reduction=_reduction(node))


@translates("TensorScatter", 24)
def tensor_scatter(node: Node) -> Results:
    """Translate TensorScatter.

    The updates of batch element b go to position `write_indices[b]` and the following ones on the axis, circularly or not.
    """
    cache, update = node.input(0), node.input(1)
    rank = node.rank(cache, "the cache")
    axis = normalise_axis(node.int("axis", -2), rank)
    if axis == 0:
        raise Error("axis-range", "the axis of TensorScatter cannot be the batch dimension")
    mode = node.string("mode", "linear")
    if mode not in ("linear", "circular"):
        raise Error("attribute-value", f"mode must be one of linear, circular, not '{mode}'")
    zero, one, at = (node.constant(np.array(v, np.int64)) for v in (0, 1, axis))
    shape = node.shape_of(update)
    length = node.op(GatherOp, shape, at, zero)
    places = node.op(RangeOp, zero, length, one, output_type=i64)
    first = node.optional(2)
    extent = node.op(GatherOp, node.shape_of(cache), at, zero)
    if first is not None:
        if mode == "circular":
            first = node.op(FloorModOp, first, extent)  # before the sum, which would wrap around
        places = node.op(AddOp, node.op(UnsqueezeOp, first, node.vector([1])), places)
    else:
        places = node.op(UnsqueezeOp, places, node.vector([0]))
    if mode == "circular":
        places = node.op(FloorModOp, places, extent)
    # [batch, sequence] in the dimensions of the update.
    others = [k for k in range(1, rank) if k != axis]
    if others:
        places = node.op(UnsqueezeOp, places, node.vector(others))
    places = node.op(BroadcastOp, places, shape)
    return node.op(ScatterElementsUpdateOp, cache, places, update, at)
