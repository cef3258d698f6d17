"""Numpy semantics of TopK and ArgMax."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.attributes import to_bool, to_int
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import wide
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.ov.sorting import ArgMaxOp, TopKOp
from loomir.errors import Error


def sort_keys(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers without NaN, and where NaN was."""
    x = wide(x)
    if x.dtype.kind != "f":
        return x, np.zeros(x.shape, bool)
    nan = np.isnan(x)
    return np.where(nan, np.zeros((), x.dtype), x), nan


@evaluates(TopKOp)
def top_k(op: TopKOp, data: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    axis = normalise_axis(to_int(op.axis), data.ndim)
    extent, wanted = data.shape[axis], int(k.reshape(-1)[0])
    if not 0 <= wanted <= extent:
        raise Error("runtime-shape", f"k is {wanted}, the axis has {extent} elements")
    rows = np.moveaxis(data, axis, -1)
    # Ascending, NaN first. From the back that is descending; then rows are turned round, so that the first
    # of equal elements comes first in either case.
    turned = rows[..., ::-1] if op.greatest else rows
    numbers, nan = sort_keys(turned)
    order = np.lexsort((numbers, ~nan), axis=-1)
    if op.greatest:
        order = extent - 1 - order[..., ::-1]
    order = order[..., :wanted]
    if op.by_index:
        order = np.sort(order, axis=-1)
    values = np.take_along_axis(rows, order, -1)
    places = order.astype(dtype_of(op.index_element_type))
    return np.moveaxis(values, -1, axis), np.moveaxis(places, -1, axis)


@evaluates(ArgMaxOp)
def arg_max(op: ArgMaxOp, data: np.ndarray) -> np.ndarray:
    axis = normalise_axis(to_int(op.axis), data.ndim)
    extent = data.shape[axis]
    if not extent:
        raise Error("runtime-shape", "an empty axis has no greatest or least element")
    rows = wide(np.flip(data, axis) if op.last else data)
    places = (rows.argmax if op.greatest else rows.argmin)(axis=axis, keepdims=to_bool(op.keep_dims))
    if op.last:
        places = extent - 1 - places
    return np.asarray(places).astype(dtype_of(op.index_element_type))
