"""What operations' own inference imports from here."""

from __future__ import annotations

from typing import Any


def get_canonical_axis_index(shape: Any, axis: int) -> int:
    """The number of a dimension, counted from the first though it may be given from the end."""
    return axis + len(shape) if axis < 0 else axis
