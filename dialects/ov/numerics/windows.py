"""Views of an array through sliding windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loomir.dialects.ov.numerics.workspace import claim
from loomir.dialects.ov.windows import Window


def window_view(data: np.ndarray, windows: Sequence[Window], fill: float | int) -> np.ndarray:
    """`data: [A, B, spatial …]` as `[A, B, windows …, kernel …]`: a view of the array padded with `fill`.

    Error: `limit-bytes`, for what is padded, and for the view as the array that numpy makes of it.
    """
    widths: list[tuple[int, int]] = [(0, 0), (0, 0)]
    counts: list[int] = []
    cropped: list[slice] = [slice(None), slice(None)]
    for window, extent in zip(windows, data.shape[2:]):
        count = window.extent(extent)
        begin, _ = window.padding(extent)
        # The last window may hang over the padding, and may end before it.
        reach = max(0, (count - 1) * window.stride + window.span)
        # Negative padding in front cuts off; what is behind the last window is not read anyway.
        cropped.append(slice(max(0, -begin), None))
        widths.append((max(0, begin), max(0, reach - begin - extent)))
        counts.append(count)
    cut = data[tuple(cropped)]
    claim([extent + sum(width) for extent, width in zip(cut.shape, widths)], data.dtype)
    padded = np.pad(cut, widths, constant_values=np.asarray(fill, data.dtype))
    leading, spatial = padded.strides[:2], padded.strides[2:]
    shape = (*padded.shape[:2], *counts, *(w.kernel for w in windows))
    claim(shape, data.dtype)
    strides = (
        *leading,
        # A step that is never taken may be longer than numpy's numbers.
        *(s * w.stride if count > 1 else s for s, w, count in zip(spatial, windows, counts)),
        *(s * w.dilation if w.kernel > 1 else s for s, w in zip(spatial, windows)),
    )
    return np.lib.stride_tricks.as_strided(padded, shape, strides, writeable=False)
