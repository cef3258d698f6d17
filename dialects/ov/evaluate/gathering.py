"""Numpy semantics of Gather, GatherElements and GatherND."""

from __future__ import annotations

from math import prod

import numpy as np

from loomir.dialects.element_types import zeros
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.indices import as_signed, positions
from loomir.dialects.ov.gathering import GatherElementsOp, GatherNDOp, GatherOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error


@evaluates(GatherOp)
def gather(op: GatherOp, data: np.ndarray, indices: np.ndarray, axis: np.ndarray) -> np.ndarray:
    at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
    batches = op.batches(indices.ndim)
    if data.shape[:batches] != indices.shape[:batches]:
        raise Error(
            "runtime-shape", f"the batches {data.shape[:batches]} and {indices.shape[:batches]} differ"
        )
    extent = data.shape[at]
    wanted = as_signed(indices)
    inside = (wanted >= -extent) & (wanted < extent)
    if op.checks_indices and not inside.all():
        first = int(wanted[~inside].reshape(-1)[0])
        raise Error("runtime-index", f"index {first} is out of range for extent {extent}")
    shape = data.shape[:at] + indices.shape[batches:] + data.shape[at + 1 :]
    if not extent or not prod(shape):
        return zeros(shape, data.dtype)
    places = np.where(inside, wanted + extent * (wanted < 0), 0)
    outer = prod(data.shape[:batches])
    middle = prod(data.shape[batches:at])
    inner = prod(data.shape[at + 1 :])
    source = data.reshape(outer, middle, extent, inner)
    flat = places.reshape(outer, -1)
    picked = source[np.arange(outer)[:, None], :, flat]  # [outer, positions, middle, inner]
    picked = np.where(inside.reshape(outer, -1)[:, :, None, None], picked, zeros((), data.dtype))
    return picked.transpose(0, 2, 1, 3).reshape(shape)


@evaluates(GatherElementsOp)
def gather_elements(op: GatherElementsOp, data: np.ndarray, indices: np.ndarray) -> np.ndarray:
    axis = normalise_axis(to_int(op.axis), data.ndim)
    if any(n > d for i, (d, n) in enumerate(zip(data.shape, indices.shape)) if i != axis):
        raise Error(
            "runtime-shape", f"indices {indices.shape} are larger than data {data.shape} beside axis {axis}"
        )
    places = positions(indices, data.shape[axis])
    own = [
        np.arange(n).reshape([-1 if k == i else 1 for k in range(data.ndim)])
        for i, n in enumerate(indices.shape)
    ]
    return data[tuple(places if i == axis else own[i] for i in range(data.ndim))]


@evaluates(GatherNDOp)
def gather_nd(op: GatherNDOp, data: np.ndarray, indices: np.ndarray) -> np.ndarray:
    batches, depth = to_int(op.batch_dims, 0), indices.shape[-1]
    try:
        common = np.broadcast_shapes(data.shape[:batches], indices.shape[:batches])
    except ValueError:
        raise Error(
            "runtime-shape", f"the batches {data.shape[:batches]} and {indices.shape[:batches]} differ"
        ) from None
    data = np.broadcast_to(data, (*common, *data.shape[batches:]))
    indices = np.broadcast_to(indices, (*common, *indices.shape[batches:]))
    rank = indices.ndim - 1
    own = [np.arange(n).reshape([-1 if k == i else 1 for k in range(rank)]) for i, n in enumerate(common)]
    picked = [positions(indices[..., c], data.shape[batches + c]) for c in range(depth)]
    if not own and not picked:
        return np.broadcast_to(data, (*indices.shape[:-1], *data.shape)).copy()
    result = data[(*own, *picked)]
    return np.broadcast_to(result, (*indices.shape[:-1], *data.shape[batches + depth :])).copy()
