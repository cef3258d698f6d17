"""Numpy semantics of pooling."""

from __future__ import annotations

import math

import numpy as np

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.attributes import to_bool, to_float, to_int
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.extrema import greatest
from loomir.dialects.ov.evaluate.numeric import is_integer_dtype, truncated_quotient, wide
from loomir.dialects.ov.evaluate.reduction import limits
from loomir.dialects.ov.evaluate.windows import window_view
from loomir.dialects.ov.pooling import AvgPoolOp, LpPoolOp, MaxPoolOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.ov.windows import Window


def counted(window: Window, extent: int, *, padding: bool) -> np.ndarray:
    """How many elements of each window along one axis lie in the input, or also in its padding.

    What a window of `ceil` rounding has beyond the padding is padding too.
    """
    begin, end = window.padding(extent)
    starts = np.arange(window.extent(extent))[:, None] * window.stride - begin
    places = starts + np.arange(window.kernel) * window.dilation
    if padding and window.rounding == "ceil":
        return np.full(len(places), window.kernel)
    low, high = (-begin, extent + end) if padding else (0, extent)
    return ((places >= low) & (places < high)).sum(axis=1)


@evaluates(AvgPoolOp)
def avg_pool(op: AvgPoolOp, data: np.ndarray) -> np.ndarray:
    windows = op.windows()
    rank = len(windows)
    integers = is_integer_dtype(data.dtype)
    exact = np.dtype(np.uint64 if data.dtype.kind == "u" else np.int64) if integers else wide(data).dtype
    view = window_view(data.astype(exact), windows, 0)
    total = np.asarray(view.sum(axis=tuple(range(2 + rank, 2 + 2 * rank)), dtype=exact))
    count = np.ones((), np.int64)
    for axis, (window, extent) in enumerate(zip(windows, data.shape[2:])):
        along = counted(window, extent, padding=not to_bool(op.exclude_pad))
        count = count * along.reshape([-1 if i == axis else 1 for i in range(rank)])
    divisor = np.maximum(count, 1).astype(exact)
    return (truncated_quotient(total, divisor) if integers else total / divisor).astype(data.dtype)


@evaluates(LpPoolOp)
def lp_pool(op: LpPoolOp, data: np.ndarray) -> np.ndarray:
    windows = op.windows()
    p = wide(data).dtype.type(to_float(op.p))
    view = np.abs(window_view(wide(data), windows, 0))
    powers = view if p == 1 else view * view if p == 2 else view**p
    total = np.asarray(powers.sum(axis=tuple(range(2 + len(windows), view.ndim)), dtype=view.dtype))
    return (total if p == 1 else np.sqrt(total) if p == 2 else total ** (1 / p)).astype(data.dtype)


@evaluates(MaxPoolOp)
def max_pool(op: MaxPoolOp, data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    windows = op.windows()
    rank = len(windows)
    kernel_size = math.prod(w.kernel for w in windows)
    view = window_view(data, windows, limits(data.dtype)[0])
    flat = view.reshape((*view.shape[: 2 + rank], kernel_size))
    values = greatest(flat, -1)
    # Positions in one channel, -1 where a window has padding.
    spatial = data.shape[2:]
    places = np.arange(math.prod(spatial), dtype=np.int64).reshape((1, 1, *spatial))
    place_view = window_view(places, windows, -1)
    places = place_view.reshape((*place_view.shape[: 2 + rank], kernel_size))
    best = flat.argmax(axis=-1)[..., None]
    # Padding holds the least value and comes first where all elements are the least: take the first element
    # then.
    places = np.broadcast_to(places, flat.shape)
    chosen = np.take_along_axis(places, best, -1)[..., 0]
    first = np.take_along_axis(places, (places >= 0).argmax(axis=-1)[..., None], -1)[..., 0]
    chosen = np.maximum(np.where(chosen < 0, first, chosen), -1)
    channel = np.arange(data.shape[0] * data.shape[1]).reshape((*data.shape[:2], *([1] * rank)))
    size = math.prod(data.shape[normalise_axis(to_int(op.axis), data.ndim) :])
    position = np.where(chosen < 0, 0, (channel * math.prod(spatial) + chosen) % max(size, 1))
    return values, position.astype(dtype_of(op.index_element_type))
