"""Indices that are data.

Negative indices count from the end; indices out of range are errors.
"""

from __future__ import annotations

import numpy as np

from loomir.errors import Error


def as_signed(indices: np.ndarray) -> np.ndarray:
    """Convert indices to i64.

    Those beyond its range become larger than any extent, not negative.
    """
    wanted = indices.astype(np.int64)
    return np.where(wanted < 0, np.iinfo(np.int64).max, wanted) if indices.dtype == np.uint64 else wanted


def positions(indices: np.ndarray, extent: int, *, negative: bool = True) -> np.ndarray:
    """Convert indices to positions counted from the front.

    Raises `Error("runtime-index")` for an index outside of [-extent, extent). Without `negative`, indices below 0 are out of
    range too.
    """
    wanted = as_signed(indices)
    inside = (wanted >= (-extent if negative else 0)) & (wanted < extent)
    if not inside.all():
        first = int(wanted[~inside].reshape(-1)[0])
        raise Error("runtime-index", f"index {first} is out of range for extent {extent}")
    return wanted + extent * (wanted < 0)
