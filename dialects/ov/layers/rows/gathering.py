"""Layer types: gathering."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import i64
from loomir.dialects.ov.base import int64_array
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.layers.attributes import Row, read_int
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.gathering import GatherNDOp, GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.errors import Error


def _gather_nd(layer: LayerBuilder) -> Results:
    """GatherND-5 joins the batch dimensions of the result. `Error("unknown-rank")`."""
    made = layer.make(GatherNDOp, *layer.operands, **layer.properties)
    batches = layer.properties.get("batch_dims", 0)
    if layer.version != 5 or not isinstance(batches, int) or batches < 2:
        return made
    rank = fact_of(made[0]).rank
    if rank is None:
        raise Error(
            "unknown-rank", "the rank of the result is not known", hint="fix the shapes of the inputs"
        )
    rest = layer.constant(int64_array(range(batches, rank)))
    (shape,) = layer.make(ShapeOfOp, made[0], output_type=i64)
    (kept,) = layer.make(GatherOp, shape, rest, layer.constant(np.array(0, np.int64)))
    (wanted,) = layer.make(ConcatOp, [layer.constant(np.array([-1])), kept], axis=0)
    return layer.make(ReshapeOp, made[0], wanted)


ROWS: dict[str, Row] = {
    "GatherND": Row(GatherNDOp, {"batch_dims": read_int}, upgrade=_gather_nd, versions=(5, 8)),
}  # fmt: skip
