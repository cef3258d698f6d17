"""Exact semantics of operators with run-time positions, extents and counts.

They are computed with Python's integers, which do not wrap.

Each function gives the result for `DATA`, or None where the specification allows none, or one of more than `MOST` elements an axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

DATA = np.array([10.0, 11.0, 12.0, 13.0, 14.0], np.float32)
MOST = 64
"""Extents of results up to here are tried, those beyond are refused."""


def sliced(n: int, start: int, stop: int, step: int) -> list[int] | None:
    """The positions, by the specification's words: effective start and stop clamped."""
    if step == 0:
        return None
    start = start + n if start < 0 else start
    stop = stop + n if stop < 0 else stop
    if step > 0:
        return list(range(min(max(start, 0), n), min(max(stop, 0), n), step))
    return list(range(min(max(start, 0), n - 1), min(max(stop, -1), n - 1), step))


def slice_(start: int, stop: int, step: int) -> np.ndarray | None:
    places = sliced(len(DATA), start, stop, step)
    return None if places is None else DATA[places]


def gather(index: int) -> np.ndarray | None:
    return DATA[index] if -len(DATA) <= index < len(DATA) else None


def gathered(a: int, b: int) -> np.ndarray | None:
    found = [gather(a), gather(b)]
    return None if any(v is None for v in found) else np.array(found, np.float32)


def pad(begin: int, end: int) -> np.ndarray | None:
    extent = max(0, begin + len(DATA) + end)
    if extent > MOST:
        return None
    at = [i - begin for i in range(extent)]
    return np.array([DATA[p] if 0 <= p < len(DATA) else 0 for p in at], np.float32)


def edge(begin: int, end: int) -> np.ndarray | None:
    extent = max(0, begin + len(DATA) + end)
    if extent > MOST:
        return None
    return DATA[[min(max(i - begin, 0), len(DATA) - 1) for i in range(extent)]]


def reflected(begin: int, end: int) -> np.ndarray | None:
    if max(begin, end) > len(DATA) - 1:
        return None
    extent = max(0, begin + len(DATA) + end)
    at = [abs(i - begin) for i in range(extent)]
    return DATA[[2 * (len(DATA) - 1) - p if p >= len(DATA) else p for p in at]]


def wrapped(begin: int, end: int) -> np.ndarray | None:
    extent = max(0, begin + len(DATA) + end)
    return DATA[[(i - begin) % len(DATA) for i in range(extent)]] if extent <= MOST else None


def tile(times: int) -> np.ndarray | None:
    return np.tile(DATA[:4], times) if 0 <= times * 4 <= MOST else None


def tile_both(a: int, b: int) -> np.ndarray | None:
    if a < 0 or b < 0 or max(a * 2, b * 2) > MOST:
        return None
    return np.tile(DATA[:4].reshape(2, 2), (a, b))


def range_(start: int, stop: int, step: int, dtype: str = "int64") -> np.ndarray | None:
    if step == 0 or len(numbers := range(start, stop, step)[: MOST + 1]) > MOST:
        return None
    return np.array(list(numbers), dtype)


def one_hot(index: int, depth: int) -> np.ndarray | None:
    if depth > MOST:
        return None
    at = index + depth if index < 0 else index
    return np.array([float(i == at) for i in range(max(depth, 0))], np.float32)


def scattered(index: int) -> np.ndarray | None:
    if not -len(DATA) <= index < len(DATA):
        return None
    made = DATA.copy()
    made[index] = -1
    return made


def top_k(k: int) -> np.ndarray | None:
    return DATA[::-1][:k] if 0 <= k <= len(DATA) else None


def reshape(shape: Sequence[int], data: np.ndarray) -> np.ndarray | None:
    if min(shape, default=0) < -1 or list(shape).count(-1) > 1:
        return None
    if any(s == 0 and i >= data.ndim for i, s in enumerate(shape)):
        return None
    extents = [data.shape[i] if s == 0 else s for i, s in enumerate(shape)]
    if -1 in extents:
        # Copied extents take no part (docs/semantics.md).
        copied = [i for i, s in enumerate(shape) if s == 0]
        rest = prod(d for i, d in enumerate(data.shape) if i not in copied)
        factors = prod(s for s in shape if s not in (0, -1))
        if rest % factors:
            return None
        extents[extents.index(-1)] = rest // factors
    if prod(extents) != data.size or max(extents) > MOST:
        return None
    return np.zeros(extents, np.float32) if 0 in extents else data.reshape(extents)


def expand(a: int, b: int) -> np.ndarray | None:
    shape = (a, b)
    if min(shape) < 0 or max(shape) > MOST:
        return None
    try:
        return np.ascontiguousarray(
            np.broadcast_to(DATA[:2].reshape(2, 1), np.broadcast_shapes((2, 1), shape))
        )
    except ValueError:
        return None


def split(a: int, b: int, c: int) -> np.ndarray | None:
    sizes = [a, b, c]
    if sizes.count(-1) == 1:
        # As in OpenVINO's VariadicSplit; ONNX has no such length.
        sizes[sizes.index(-1)] = len(DATA) - sum(s for s in sizes if s != -1)
    if min(sizes) < 0 or sum(sizes) != len(DATA):
        return None
    return DATA[sizes[0] : sizes[0] + sizes[1]]


def split_exactly(a: int, b: int, c: int) -> np.ndarray | None:
    return None if min(a, b, c) < 0 else split(a, b, c)


def chunks(size: int) -> np.ndarray | None:
    return np.array(-(-len(DATA) // size), np.int64) if size > 0 else None


def filled(n: int) -> np.ndarray | None:
    return np.zeros(n, np.float32) if 0 <= n <= MOST else None


def triangle(k: int, upper: bool) -> np.ndarray:
    whole = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
    kept = [[(c - r >= k) if upper else (c - r <= k) for c in range(3)] for r in range(3)]
    return np.where(kept, whole, 0).astype(np.float32)
