"""Inputs and outputs of a fixture in one `.npz`: tensors of ONNX's types, lists of them for sequences, None for an absent optional.

The generators write such files in environments of their own, the tests read them: nothing but numpy and ml_dtypes is imported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np

Value = np.ndarray | list[np.ndarray] | None


@dataclass(frozen=True)
class Call:
    """Inputs of a model and its expected outputs, by name."""

    feed: Mapping[str, Value]
    expected: Mapping[str, Value]


def store(path: Path, calls: Sequence[Call]) -> None:
    """Write calls; equal calls give equal bytes."""
    arrays: list[np.ndarray] = []

    def described(value: Value) -> object:
        if isinstance(value, list):
            return [described(v) for v in value]
        if value is None:
            return None
        arrays.append(value)
        return value.dtype.name

    layout = [
        {side: {n: described(v) for n, v in values.items()} for side, values in _sides(call)}
        for call in calls
    ]
    raw = {f"{number:03}": _plain(array) for number, array in enumerate(arrays)}
    np.savez_compressed(path, layout=np.array(json.dumps(layout)), **raw)  # pyright: ignore[reportArgumentType]


def stored(path: Path) -> list[Call]:
    """Read the calls that `store` wrote."""
    with np.load(path, allow_pickle=False) as file:
        arrays = iter([file[name] for name in sorted(set(file.files) - {"layout"})])
        layout = json.loads(str(file["layout"]))

    def read(description: object) -> Value:
        if isinstance(description, list):
            return [v for d in description if isinstance(v := read(d), np.ndarray)]
        return None if description is None else next(arrays).view(_dtype(str(description)))

    return [Call(**{side: {n: read(d) for n, d in call[side].items()} for side in call}) for call in layout]


def _sides(call: Call) -> tuple[tuple[str, Mapping[str, Value]], tuple[str, Mapping[str, Value]]]:
    return ("feed", call.feed), ("expected", call.expected)


def _dtype(name: str) -> np.dtype:
    """A type by name; what numpy does not have itself is ml_dtypes'."""
    return np.dtype(getattr(ml_dtypes, name, name))


def _plain(array: np.ndarray) -> np.ndarray:
    """npz files hold types that numpy does not have as unsigned integers of their width."""
    if array.dtype.name in np.sctypeDict:
        return array
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)
