"""Numpy semantics of scattering: everything is done on flat copies of data."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.extrema import joined_at
from loomir.dialects.ov.evaluate.indices import positions
from loomir.dialects.ov.evaluate.numeric import is_integer_dtype, wide
from loomir.dialects.ov.evaluate.reduction import limits
from loomir.dialects.ov.scattering import ScatterElementsUpdateOp, ScatterNDUpdateOp, ScatterUpdateOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error

_JOIN: dict[str, np.ufunc] = {
    "sum": np.add,
    "sub": np.subtract,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}
_JOIN_BOOLEAN: dict[str, np.ufunc] = {
    "sum": np.logical_or,
    "sub": np.logical_xor,
    "prod": np.logical_and,
    "min": np.logical_and,
    "max": np.logical_or,
}


def neutral(reduction: str, dtype: np.dtype) -> float | int | bool:
    """What a reduction begins with where the elements of data take no part."""
    if dtype == np.bool_:
        return reduction in ("prod", "min")
    least, greatest = limits(dtype)
    return {"sum": 0, "prod": 1, "min": greatest, "max": least}[reduction]


def scattered(
    data: np.ndarray, places: np.ndarray, updates: np.ndarray, reduction: str, uses_data: bool = True
) -> np.ndarray:
    """A copy of data with the updates at these places of the flat array, joined in their order."""
    out, at, values = data.reshape(-1).copy(), places.reshape(-1), updates.reshape(-1)
    if reduction == "none":
        out[at] = values
    elif reduction == "mean":
        out = _mean(out, at, values, uses_data)
    else:
        if not uses_data:
            out[at] = neutral(reduction, data.dtype)
        join = (_JOIN_BOOLEAN if data.dtype == np.bool_ else _JOIN)[reduction]
        if join in (np.maximum, np.minimum):
            joined_at(join, out, at, values)
        else:
            join.at(out, at, values)
    return out.reshape(data.shape)


def _mean(flat: np.ndarray, at: np.ndarray, values: np.ndarray, uses_data: bool) -> np.ndarray:
    exact = wide(flat).dtype
    if is_integer_dtype(flat.dtype):
        exact = np.dtype(np.uint64 if flat.dtype.kind == "u" else np.int64)
    total = flat.astype(exact) if uses_data else np.zeros(flat.shape, exact)
    count = np.full(flat.shape, int(uses_data), exact)
    np.add.at(total, at, values.astype(exact))
    np.add.at(count, at, np.ones((), exact))
    touched = count > 0
    divide: Callable = np.floor_divide if is_integer_dtype(exact) else np.divide
    mean = divide(total, np.where(touched, count, np.ones((), exact)))
    return np.where(touched, mean.astype(flat.dtype), flat)


def _require(updates: np.ndarray, shape: tuple[int, ...]) -> None:
    if updates.shape != shape and not (shape == () and updates.size == 1):
        raise Error("runtime-shape", f"the updates have shape {updates.shape} instead of {shape}")


@evaluates(ScatterElementsUpdateOp)
def scatter_elements_update(
    op: ScatterElementsUpdateOp, data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: np.ndarray
) -> np.ndarray:
    at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
    _require(updates, indices.shape)
    if any(n > d for i, (d, n) in enumerate(zip(data.shape, indices.shape)) if i != at):
        raise Error(
            "runtime-shape", f"indices {indices.shape} are larger than data {data.shape} beside axis {at}"
        )
    if not indices.size:
        return data
    places = positions(indices, data.shape[at])
    coordinates = [
        np.arange(n).reshape([-1 if k == i else 1 for k in range(data.ndim)])
        for i, n in enumerate(indices.shape)
    ]
    coordinates[at] = places
    flat = np.ravel_multi_index(np.broadcast_arrays(*coordinates), data.shape)  # pyright: ignore
    return scattered(data, np.asarray(flat), updates, op.joins, op.uses_data)


@evaluates(ScatterNDUpdateOp)
def scatter_nd_update(
    op: ScatterNDUpdateOp, data: np.ndarray, indices: np.ndarray, updates: np.ndarray
) -> np.ndarray:
    depth = indices.shape[-1]
    _require(updates, (*indices.shape[:-1], *data.shape[depth:]))
    first = np.zeros(indices.shape[:-1], np.int64)
    for c in range(depth):
        first = first * data.shape[c] + positions(indices[..., c], data.shape[c])
    inner = prod(data.shape[depth:])
    return scattered(data, first.reshape(-1, 1) * inner + np.arange(inner), updates, op.joins)


@evaluates(ScatterUpdateOp)
def scatter_update(
    op: ScatterUpdateOp, data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: np.ndarray
) -> np.ndarray:
    at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
    _require(updates, (*data.shape[:at], *indices.shape, *data.shape[at + 1 :]))
    places = positions(indices, data.shape[at], negative=False).reshape(-1)
    inner = prod(data.shape[at + 1 :])
    outer = np.arange(prod(data.shape[:at])).reshape(-1, 1, 1) * data.shape[at]
    return scattered(data, (outer + places[:, None]) * inner + np.arange(inner), updates, "none")
