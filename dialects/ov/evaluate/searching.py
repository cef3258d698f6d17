"""Numpy semantics of SearchSorted."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.searching import SearchSortedOp
from loomir.errors import Error


@evaluates(SearchSortedOp)
def search_sorted(op: SearchSortedOp, ordered: np.ndarray, values: np.ndarray) -> np.ndarray:
    if ordered.ndim > 1 and ordered.shape[:-1] != values.shape[:-1]:
        raise Error("runtime-shape", f"the shapes {ordered.shape} and {values.shape} do not fit")
    n = ordered.shape[-1]
    rows = ordered.reshape(-1, n) if ordered.ndim > 1 else ordered.reshape(1, n)
    wanted = values.reshape(len(rows), -1) if values.size else values.reshape(len(rows), 0)
    low, high = np.zeros(wanted.shape, np.int64), np.full(wanted.shape, n, np.int64)
    for _ in range(n.bit_length()):
        middle = (low + high) // 2
        there = np.take_along_axis(rows, np.minimum(middle, n - 1), 1)
        behind = ~(wanted < there) if op.right else there < wanted
        active = low < high
        low, high = np.where(active & behind, middle + 1, low), np.where(active & ~behind, middle, high)
    return low.reshape(values.shape).astype(dtype_of(op.output_type))
