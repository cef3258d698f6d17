"""What an operation takes beside its operands and results while it is evaluated or decomposed, bounded before it is allocated.

Windows overlap, padding may be far beyond the data, a table has as many rows as an attribute says: an operation on a few elements with
a small result can ask for more memory than there is. Whoever evaluates says how much there may be (`workspace`), and whoever
allocates such a thing asks first (`claim`).
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
    if size > _limit.get():
        raise Error(
            "limit-bytes",
            f"what it needs beside its result, of shape {list(shape)}, takes {size} bytes, more than the limit of {_limit.get()}",
            hint="raise the bound with --max-bytes (max_bytes= in Python) if that is meant",
        )
