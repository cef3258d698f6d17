"""Sparse tensors, and sums of embeddings."""

from __future__ import annotations

from loomir.tools.model_optimizer.mo.ops.row import OpRow, same


def _embedding(name: str, inputs: int) -> OpRow:
    return same("embedding_bag", name, "opset3", inputs, base="EmbeddingBagBase")


ROWS = [
    OpRow("embedding_bag", "EmbeddingBagBase", attributes={"version": None, "in_ports_count": None}),
    _embedding("EmbeddingBagOffsetsSum", 5),
    _embedding("EmbeddingBagPackedSum", 3),
    _embedding("EmbeddingSegmentsSum", 6),
    OpRow("embedding_bag", "EmbeddingSegmentsMean", "EmbeddingSegmentsMean", inputs=6),
    OpRow(
        *("sparse_fill_empty_rows", "SparseFillEmptyRows", "SparseFillEmptyRows", None, "experimental"),
        *(4, 3),
    ),
    OpRow("sparse_reshape", "SparseReshape", "SparseReshape", None, None, 3, 2),
    OpRow("sparse_segment_mean", "SparseSegmentMean", "SparseSegmentMean", None, "experimental", 3),
    OpRow("sparse_segment_sqrtn", "SparseSegmentSqrtN", "SparseSegmentSqrtN", None, "experimental", 3),
    OpRow("sparse_segment_sum", "SparseSegmentSum", "SparseSegmentSum", None, "experimental", 3),
]
