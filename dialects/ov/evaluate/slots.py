"""Rows and slots."""

from __future__ import annotations

from math import prod

import numpy as np

from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.parameters import from_front
from loomir.dialects.ov.slots import FromSlotOp, RowEraseOp, RowInsertOp, ToSlotOp
from loomir.errors import Error


@evaluates(RowInsertOp)
def row_insert(op: RowInsertOp, data: np.ndarray, row: np.ndarray, position: np.ndarray) -> np.ndarray:
    """A row more."""
    if row.shape != (1, *data.shape[1:]):
        raise Error("runtime-shape", f"a row of shape {list(row.shape)} in data of shape {list(data.shape)}")
    at = _position(position, len(data), len(data) + 1)
    return np.concatenate([data[:at], row, data[at:]])


@evaluates(RowEraseOp)
def row_erase(op: RowEraseOp, data: np.ndarray, position: np.ndarray) -> np.ndarray:
    """A row less."""
    at = _position(position, len(data), len(data))
    return np.concatenate([data[:at], data[at + 1 :]])


@evaluates(ToSlotOp)
def to_slot(op: ToSlotOp, data: np.ndarray) -> np.ndarray:
    """The elements, then zeros."""
    if any(n > most for n, most in zip(data.shape, op.extents)):
        raise Error("runtime-capacity", f"a slot for {list(op.extents)} has no room for {list(data.shape)}")
    slot = np.zeros((1, prod(op.extents)), data.dtype)
    slot[0, : data.size] = data.reshape(-1)
    return slot


@evaluates(FromSlotOp)
def from_slot(op: FromSlotOp, slot: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """The elements in front, in their shape."""
    extents = [int(n) for n in shape]
    if any(not a <= n <= b for n, (a, b) in zip(extents, op.limits)) or prod(extents) > slot.size:
        raise Error("runtime-shape", f"a slot of {slot.size} elements holds nothing of shape {extents}")
    return slot[: prod(extents)].reshape(extents)


def _position(position: np.ndarray, count: int, end: int) -> int:
    given = int(position.reshape(()))
    place = from_front(given, count, end)
    if place is None:
        raise Error("runtime-index", f"position {given} is out of range for {count} rows")
    return place
