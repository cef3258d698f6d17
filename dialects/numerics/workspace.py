"""Bounded workspace memory for evaluation and decomposition of operations.

Workspace is the memory that an operation needs in addition to its operands and results. It is bounded before it is
allocated.

Windows overlap, padding may extend far beyond the data, a table has as many rows as an attribute specifies: an operation on
a few elements with a small result can request more memory than there is. The evaluating code sets the limit (`workspace`);
code that allocates such an array checks the limit first, by `claim` or by creating the array with a function of this
module. A tensor without elements may have extents beyond all memory: an array with one extent of an operand, or with the
window of a kernel, is no smaller if there is no data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import prod

import numpy as np

from loomir.errors import Error

DEFAULT = 1 << 30
"""Default limit in bytes, for evaluation while a program is compiled."""

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
    """Raise `Error("limit-bytes")` if an array of this shape exceeds the limit."""
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
    """Return the numbers below n along an axis of a tensor.

    `rank` is the rank of the tensor; all other extents are 1. Error: as `claim`.
    """
    return arange(n).reshape([-1 if k == axis else 1 for k in range(rank)])
