"""What an operation takes beside its operands and results while it is evaluated or decomposed, bounded before it is allocated.

Windows overlap, padding may be far beyond the data, a table has as many rows as an attribute says: an operation on a few elements with
a small result can ask for more memory than there is. Whoever evaluates says how much there may be (`workspace`), and whoever
allocates such a thing asks first: by `claim`, or by making it here. A tensor of no elements may have extents beyond all memory, so
that what has one extent of an operand, or the window of a kernel, is no smaller for there being no data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import prod

import numpy as np

from loomir.errors import Error

DEFAULT = 1 << 30
"""Bytes, where nobody says otherwise: what is evaluated while a program is compiled."""

_limit: ContextVar[int] = ContextVar("workspace", default=DEFAULT)


@contextmanager
def workspace(limit: int) -> Iterator[None]:
    """Allow this many bytes for one array, in this thread."""
    before = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(before)


def claim(shape: Sequence[int], dtype: np.dtype) -> None:
    """`Error("limit-bytes")` where an array of this shape is larger than there may be."""
    size = prod(shape) * dtype.itemsize
    # An array of nothing must have extents that numpy can multiply all the same.
    if size > _limit.get() or prod(e for e in shape if e) * dtype.itemsize >= 1 << 63:
        raise Error(
            "limit-bytes",
            f"what it needs beside its result, of shape {list(shape)}, takes {size} bytes, more than the limit of {_limit.get()}",
            hint="raise the bound with --max-bytes (max_bytes= in Python) if that is meant",
        )


def full(shape: Sequence[int], value: float | int | bool | np.ndarray, dtype: np.dtype | type) -> np.ndarray:
    """An array of one value. Error: as `claim`."""
    claim(shape, np.dtype(dtype))
    return np.full(shape, value, dtype)


def arange(n: int, dtype: np.dtype | type = np.int64) -> np.ndarray:
    """The numbers below n. Error: as `claim`."""
    claim((n,), np.dtype(dtype))
    return np.arange(n, dtype=dtype)


def along(n: int, axis: int, rank: int) -> np.ndarray:
    """The numbers below n along an axis, for tensors of a rank: all other extents are 1. Error: as `claim`."""
    return arange(n).reshape([-1 if k == axis else 1 for k in range(rank)])
