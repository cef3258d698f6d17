"""Layer types: embedding."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.layers.attributes import Row, read_lower
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.embedding import (
    EmbeddingBagOffsetsOp,
    EmbeddingBagPackedOp,
    EmbeddingSegmentsSumOp,
)


def _offsets(layer: LayerBuilder) -> Results:
    """Without a default index it is -1: zeros."""
    return layer.make(EmbeddingBagOffsetsOp, *_with_default(layer, 3), **layer.properties)


def _segments(layer: LayerBuilder) -> Results:
    return layer.make(EmbeddingSegmentsSumOp, *_with_default(layer, 4), **layer.properties)


def _with_default(layer: LayerBuilder, place: int) -> list[object]:
    if len(layer.operands) > place:
        return [*layer.operands]
    return [*layer.operands, layer.constant(np.array(-1, np.int64))]


ROWS: dict[str, Row] = {
    "EmbeddingBagOffsets": Row(EmbeddingBagOffsetsOp, {"reduction": read_lower}, upgrade=_offsets),
    "EmbeddingBagOffsetsSum": Row(EmbeddingBagOffsetsOp, upgrade=_offsets, written=False),
    "EmbeddingBagPackedSum": Row(EmbeddingBagPackedOp, written=False),
    "EmbeddingSegmentsSum": Row(EmbeddingSegmentsSumOp, upgrade=_segments),
}  # fmt: skip
