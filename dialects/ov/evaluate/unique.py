"""Numpy semantics of Unique."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.sorting import sort_keys
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.ov.unique import UniqueOp


@evaluates(UniqueOp)
def unique(op: UniqueOp, data: np.ndarray, *axes: np.ndarray) -> tuple[np.ndarray, ...]:
    if axes:
        axis = normalise_axis(int(axes[0].reshape(-1)[0]), data.ndim)
        slices = np.moveaxis(data, axis, 0)
        items = slices.reshape(slices.shape[0], int(np.prod(slices.shape[1:])))
    else:
        slices = data.reshape(-1)
        axis, items = 0, slices.reshape(-1, 1)
    numbers, nan = sort_keys(items)
    keys = [key for column in reversed(range(items.shape[1])) for key in (numbers[:, column], nan[:, column])]
    count = len(items)
    order = np.lexsort(keys) if keys else np.arange(count)
    same = (numbers[order[1:]] == numbers[order[:-1]]) & (nan[order[1:]] == nan[order[:-1]])
    group_of_sorted = np.cumsum(np.concatenate([np.zeros(min(count, 1), bool), ~same.all(axis=1)]))
    group = np.empty(count, np.int64)
    group[order] = group_of_sorted
    # Sorting is stable: the first of a group is where it comes first.
    first = order[np.flatnonzero(np.diff(group_of_sorted, prepend=-1))]
    counts = np.bincount(group, minlength=len(first))
    if not to_bool(op.sorted):
        appearance = np.argsort(first)
        rank = np.empty_like(appearance)
        rank[appearance] = np.arange(len(first))
        first, counts, group = first[appearance], counts[appearance], rank[group]
    index_type, count_type = dtype_of(op.index_element_type), dtype_of(op.count_element_type)
    found = np.moveaxis(slices[first], 0, axis)
    return found, first.astype(index_type), group.astype(index_type), counts.astype(count_type)
