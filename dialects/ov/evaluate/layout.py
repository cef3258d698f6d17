"""Numpy semantics of ReverseSequence."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.indices import as_signed
from loomir.dialects.ov.layout import ReverseSequenceOp
from loomir.errors import Error


@evaluates(ReverseSequenceOp)
def reverse_sequence(op: ReverseSequenceOp, data: np.ndarray, seq_lengths: np.ndarray) -> np.ndarray:
    batch, sequence = op.axes(data.ndim)
    extent = data.shape[sequence]
    if seq_lengths.shape != (data.shape[batch],):
        raise Error("runtime-shape", f"{seq_lengths.shape} lengths for {data.shape[batch]} sequences")
    lengths = as_signed(seq_lengths)
    wrong = lengths[(lengths < 0) | (lengths > extent)]
    if wrong.size:
        raise Error("runtime-index", f"a sequence of {wrong[0]} elements in an extent of {extent}")
    at = np.arange(extent)
    places = np.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)  # [batch, sequence]
    if batch > sequence:
        places = places.T
    shape = [data.shape[k] if k in (batch, sequence) else 1 for k in range(data.ndim)]
    return np.take_along_axis(data, places.reshape(shape), sequence)
