"""What `seq` operations compute, on Python values: a sequence is a list of arrays, an optional the value or `None`.

Lists and arrays are never written: every operation gives a new list, which shares its arrays. Errors when run:
`runtime-index` (a position out of range), `runtime-absent`, `runtime-shape`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.parameters import from_front
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.seq.base import SeqOperation
from loomir.dialects.seq.optionals import GetOp, HasOp, NoneOp, SomeOp
from loomir.dialects.seq.sequences import AtOp, ConstructOp, EmptyOp, EraseOp, InsertOp, LengthOp
from loomir.dialects.seq.splitting import ConcatOp, SplitOp
from loomir.errors import Error

GraphValue = np.ndarray | list[np.ndarray] | None
"""A value of GRAPH when it runs: tensor, sequence or optional. An optional that has a value is the value."""


def evaluate(op: SeqOperation, values: Sequence[Any]) -> GraphValue:
    """The result of a `seq` operation; all have one."""
    return _SEMANTICS[type(op)](op, *values)


def _position(position: np.ndarray, count: int, end: int) -> int:
    given = int(position.reshape(()))
    found = from_front(given, count, end)
    if found is None:
        raise Error("runtime-index", f"position {given} is out of range for a sequence of length {count}")
    return found


def _empty(op: EmptyOp) -> list[np.ndarray]:
    return []


def _construct(op: ConstructOp, *tensors: np.ndarray) -> list[np.ndarray]:
    return list(tensors)


def _insert(
    op: InsertOp, sequence: list[np.ndarray], tensor: np.ndarray, position: np.ndarray | None = None
) -> list[np.ndarray]:
    count = len(sequence)
    at = count if position is None else _position(position, count, count + 1)
    return [*sequence[:at], tensor, *sequence[at:]]


def _erase(op: EraseOp, sequence: list[np.ndarray], position: np.ndarray | None = None) -> list[np.ndarray]:
    count = len(sequence)
    at = _position(np.array(-1) if position is None else position, count, count)
    return [*sequence[:at], *sequence[at + 1 :]]


def _at(op: AtOp, sequence: list[np.ndarray], position: np.ndarray) -> np.ndarray:
    return sequence[_position(position, len(sequence), len(sequence))]


def _length(op: LengthOp, sequence: list[np.ndarray]) -> np.ndarray:
    return np.array(len(sequence), np.int64)


def _split(op: SplitOp, data: np.ndarray, split: np.ndarray | None = None) -> list[np.ndarray]:
    axis = normalise_axis(to_int(op.axis, 0), data.ndim)
    extent = data.shape[axis]
    if split is None or split.ndim == 0:
        size = 1 if split is None else int(split)
        if size < 1:
            raise Error("runtime-shape", f"an axis cannot be split into parts of extent {size}")
        ends = [min(at + size, extent) for at in range(0, extent, size)]
    else:
        if (split < 0).any() or sum(split.tolist()) != extent:
            raise Error(
                "runtime-shape", f"parts of {split.tolist()} do not make up an axis of extent {extent}"
            )
        ends = [int(e) for e in np.cumsum(split, dtype=np.int64)]
    parts: list[np.ndarray] = []
    for begin, end in zip([0, *ends], ends):
        index: list[slice | int] = [slice(None)] * data.ndim
        index[axis] = begin if op.removes_axis else slice(begin, end)
        parts.append(np.asarray(data[tuple(index)]))
    return parts


def _concat(op: ConcatOp, sequence: list[np.ndarray]) -> np.ndarray:
    if not sequence:
        raise Error("runtime-shape", "an empty sequence cannot be put together")
    ranks = sorted({a.ndim for a in sequence})
    if len(ranks) > 1:
        raise Error("runtime-shape", f"the elements of the sequence have different ranks {ranks}")
    axis = op.normalised_axis(ranks[0])
    try:
        return np.stack(sequence, axis) if op.stacks else np.concatenate(sequence, axis)
    except ValueError:
        shapes = ", ".join(str(list(a.shape)) for a in sequence[:4])
        raise Error(
            "runtime-shape", f"elements of shapes {shapes} … cannot be put together on axis {axis}"
        ) from None


def _some(op: SomeOp, value: GraphValue) -> GraphValue:
    return value


def _none(op: NoneOp) -> GraphValue:
    return None


def _has(op: HasOp, optional: GraphValue) -> np.ndarray:
    return np.array(optional is not None)


def _get(op: GetOp, optional: GraphValue) -> GraphValue:
    if optional is None:
        raise Error("runtime-absent", "the value of an optional that has none")
    return optional


_SEMANTICS: dict[type[SeqOperation], Callable[..., GraphValue]] = {
    EmptyOp: _empty,
    ConstructOp: _construct,
    InsertOp: _insert,
    EraseOp: _erase,
    AtOp: _at,
    LengthOp: _length,
    SplitOp: _split,
    ConcatOp: _concat,
    SomeOp: _some,
    NoneOp: _none,
    HasOp: _has,
    GetOp: _get,
}
