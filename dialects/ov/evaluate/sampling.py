"""Numpy semantics of GridSample; the lowering does the same arithmetic in the same order."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from loomir.dialects.ov.attributes import to_bool, to_str
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.numeric import truncated_to, wide
from loomir.dialects.ov.sampling import GridSampleOp
from loomir.errors import Error

CUBIC = -0.75


@evaluates(GridSampleOp)
def grid_sample(op: GridSampleOp, data: np.ndarray, grid: np.ndarray) -> np.ndarray:
    spatial = data.shape[2:]
    outputs = grid.shape[1:-1]
    if grid.shape[0] != data.shape[0] or 0 in spatial:
        raise Error(
            "runtime-shape", f"data {data.shape} and grid {grid.shape} differ in batch, or data is empty"
        )
    mode = to_str(op.mode)
    places = wide(grid).reshape(data.shape[0], prod(outputs), len(spatial))[..., ::-1]
    axes = [_Axis(op, places[..., k], extent) for k, extent in enumerate(spatial)]
    batch = np.arange(data.shape[0])[:, None]
    if mode == "nearest":
        taken = data[(batch, slice(None), *(a.positions[0] for a in axes))]
        inside = np.logical_and.reduce([a.inside[0] for a in axes])
        result = np.where(inside[..., None], taken, np.zeros((), data.dtype))
        return np.moveaxis(result, -1, 1).reshape(*data.shape[:2], *outputs)
    source = wide(data) if data.dtype.kind not in "iu" else data.astype(np.float32)
    total = np.zeros((*places.shape[:2], data.shape[1]), source.dtype)
    for taps in product(*(range(len(a.positions)) for a in axes)):
        taken = source[(batch, slice(None), *(a.positions[t] for a, t in zip(axes, taps)))]
        inside = np.logical_and.reduce([a.inside[t] for a, t in zip(axes, taps)])
        weight = np.ones(places.shape[:2], source.dtype)
        for a, t in zip(axes, taps):
            weight = weight * a.weights[t].astype(source.dtype)
        total += np.where(inside[..., None], taken, 0) * weight[..., None]
    result = np.moveaxis(total, -1, 1).reshape(*data.shape[:2], *outputs)
    return truncated_to(result, data.dtype) if data.dtype.kind in "iu" else result.astype(data.dtype)


class _Axis:
    """Positions, weights and whether they are inside, of each tap along one axis."""

    def __init__(self, op: GridSampleOp, grid: np.ndarray, extent: int) -> None:
        self.align, self.extent = to_bool(op.align_corners), extent
        self.padding = to_str(op.padding_mode)
        kind = grid.dtype.type
        if to_bool(op.pixels):
            x = grid
        elif self.align:
            x = (grid + kind(1)) / kind(2) * kind(extent - 1)
        else:
            x = ((grid + kind(1)) * kind(extent) - kind(1)) / kind(2)
        mode = to_str(op.mode)
        if mode == "nearest":
            x = np.rint(x)
        x = self._limited(x, kind)
        below = np.floor(x)
        part = x - below
        first, count = {"nearest": (0, 1), "bilinear": (0, 2), "bicubic": (-1, 4)}[mode]
        start = below.astype(np.int64)
        self.positions: list[np.ndarray] = []
        self.inside: list[np.ndarray] = []
        self.weights: list[np.ndarray] = []
        for k in range(count):
            position = start + (first + k)
            inside = (position >= 0) & (position < extent)
            self.inside.append(inside if self.padding == "zeros" else np.ones_like(inside))
            self.positions.append(self._position(position))
            self.weights.append(_weight(part, first + k, mode))

    def _limited(self, x: np.ndarray, kind: type[np.floating]) -> np.ndarray:
        """A place near the data: what is further outside gives the same."""
        low, high = kind(-3), kind(self.extent + 2)
        if self.padding == "reflection":
            least = kind(0 if self.align else -0.5)
            span = kind(self.extent - 1 if self.align else self.extent)
            distance = np.abs(x - least)
            turns = np.floor(distance / (span + span))
            rest = distance - turns * (span + span)
            mirrored = np.where(rest > span, span + span - rest, rest) + least
            low, high = least, least + span
            x = np.where((x >= low) & (x <= high), x, mirrored)
        # Written so that NaN is the lowest place.
        x = np.where(x >= low, x, low)
        return np.where(x <= high, x, high)

    def _position(self, position: np.ndarray) -> np.ndarray:
        """An element of the data for one that may be up to four outside (two with reflection)."""
        if self.padding != "reflection":
            return np.clip(position, 0, self.extent - 1)
        period = max(1, 2 * self.extent - 2) if self.align else 2 * self.extent
        rest = (position + 2 * period) % period
        other = period - rest if self.align else period - 1 - rest
        return np.where(rest < self.extent, rest, other)


def _weight(part: np.ndarray, offset: int, mode: str) -> np.ndarray:
    """The weight of the element `offset` behind the one below the place."""
    kind = part.dtype.type
    if mode == "nearest":
        return np.ones_like(part)
    if mode == "bilinear":
        return part if offset else kind(1) - part
    a = kind(CUBIC)
    d = part - kind(offset) if offset <= 0 else kind(offset) - part
    if offset in (0, 1):
        return ((a + kind(2)) * d - (a + kind(3))) * d * d + kind(1)
    return ((a * d - kind(5) * a) * d + kind(8) * a) * d - kind(4) * a
