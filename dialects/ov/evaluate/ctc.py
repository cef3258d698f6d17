"""Numpy semantics of CTCGreedyDecoderSeqLen."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.ctc import CTCGreedyDecoderSeqLenOp
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import wide
from loomir.errors import Error


@evaluates(CTCGreedyDecoderSeqLenOp)
def ctc_greedy_decoder_seq_len(
    op: CTCGreedyDecoderSeqLenOp, data: np.ndarray, lengths: np.ndarray, *blanks: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    n, t, classes = data.shape
    if len(lengths) != n or not classes:
        raise Error("runtime-shape", f"data {data.shape} and sequence_length {lengths.shape} do not fit")
    blank = int(blanks[0].reshape(-1)[0]) if blanks else classes - 1
    found = np.full((n, t), -1, dtype_of(op.classes_index_type))
    counts = np.zeros(n, dtype_of(op.sequence_length_type))
    best = wide(data).argmax(axis=2)
    for k in range(n):
        steps = best[k, : min(max(int(lengths[k]), 0), t)]
        kept = steps != blank
        if to_bool(op.merge_repeated):
            kept[1:] &= steps[1:] != steps[:-1]
        counts[k] = kept.sum()
        found[k, : counts[k]] = steps[kept]
    return found, counts
