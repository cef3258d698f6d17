"""Sliding windows of convolution and pooling: padding, strides, dilations, extents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Attribute

from loomir.dialects.numerics.workspace import claim
from loomir.dialects.ov.attributes import to_ints
from loomir.dialects.ov.facts import MAX_EXTENT, Dim
from loomir.errors import Error

AUTO_PADS = ("explicit", "same_upper", "same_lower", "valid")
ROUNDINGS = ("floor", "ceil", "ceil_torch")


@dataclass(frozen=True, slots=True)
class Window:
    """How a window moves along one spatial axis.

    `kernel` elements, `dilation` apart, every `stride`; `auto_pad` says where the padding comes from:
    `explicit` is `pad_begin` and `pad_end`, `valid` none, `same_upper` and `same_lower` as much as makes the
    output's extent `ceil(extent / stride)`, the odd element at the end or at the beginning. `rounding` is of
    the number of windows: `ceil` lets the last one hang over the padded end, `ceil_torch` only if it begins
    before the end of the input or of the padding in front. Explicit padding below zero (of convolutions) cuts off.
    """

    kernel: int
    stride: int = 1
    dilation: int = 1
    pad_begin: int = 0
    pad_end: int = 0
    auto_pad: str = "explicit"
    rounding: str = "floor"

    @property
    def span(self) -> int:
        """From the first element of the window to its last."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def is_same(self) -> bool:
        return self.auto_pad in ("same_upper", "same_lower")

    def extent(self, extent: int) -> int:
        """Return the number of windows on an axis of this extent.

        Error: `window-too-large`.
        """
        if self.is_same:
            return -(-extent // self.stride)
        begin, end = (0, 0) if self.auto_pad == "valid" else (self.pad_begin, self.pad_end)
        room = extent + begin + end - self.span
        if room < 0:
            raise Error(
                "window-too-large",
                f"a window of {self.span} elements does not fit {extent} padded by {begin} and {end}",
            )
        if self.rounding == "floor" or self.auto_pad == "valid":
            return room // self.stride + 1
        count = -(-room // self.stride) + 1
        if self.rounding == "ceil_torch" and (count - 1) * self.stride >= extent + begin:
            count -= 1
        return count

    def count(self, extent: int) -> int:
        """As `extent`, but none where the window does not fit."""
        begin, end = (0, 0) if self.auto_pad == "valid" else (self.pad_begin, self.pad_end)
        fits = self.is_same or extent + begin + end >= self.span
        return self.extent(extent) if fits else 0

    def padding(self, extent: int) -> tuple[int, int]:
        """The padding before and behind an axis of this extent."""
        if self.auto_pad == "valid":
            return 0, 0
        if not self.is_same:
            return self.pad_begin, self.pad_end
        total = max(0, (self.extent(extent) - 1) * self.stride + self.span - extent)
        small, large = total // 2, total - total // 2
        return (small, large) if self.auto_pad == "same_upper" else (large, small)

    def extent_bounds(self, extent: Dim) -> Dim:
        """Return the bounds of the number of windows for an interval extent.

        Error: `window-too-large`.
        """
        if extent.static is not None:
            n = self.extent(extent.static)
            return Dim(n, n)
        if self.is_same:
            return Dim(self.extent(extent.lo), None if extent.hi is None else self.extent(extent.hi))
        begin, end = (0, 0) if self.auto_pad == "valid" else (self.pad_begin, self.pad_end)
        # A smaller extent is an error when it comes, so there is at least one window.
        least = max(extent.lo, self.span - begin - end)
        highest = None if extent.hi is None else self.extent(extent.hi)
        return Dim(self.extent(least), highest)


def windows_of(
    kernel: Sequence[int],
    *,
    strides: Attribute | None,
    dilations: Attribute | None,
    pads_begin: Attribute | None,
    pads_end: Attribute | None,
    auto_pad: str = "explicit",
    rounding: str = "floor",
    cropping: bool = False,
) -> tuple[Window, ...]:
    """Return one window per spatial axis from an operation's attributes.

    Absent attributes default to ones (strides, dilations) and zeros (padding). Padding may be negative if `cropping` is set.
    Error: `window-attributes` for a wrong number of values, an invalid value, or a window that with its padding exceeds the
    largest extent.
    """
    rank = len(kernel)
    if auto_pad not in AUTO_PADS:
        raise Error("window-attributes", f"auto_pad is '{auto_pad}', expected one of {', '.join(AUTO_PADS)}")
    if rounding not in ROUNDINGS:
        raise Error(
            "window-attributes", f"rounding_type is '{rounding}', expected one of {', '.join(ROUNDINGS)}"
        )
    windows = tuple(
        Window(k, s, d, b, e, auto_pad, rounding)
        for k, s, d, b, e in zip(
            _values("kernel", kernel, rank, 1, 1),
            _values("strides", strides, rank, 1, 1),
            _values("dilations", dilations, rank, 1, 1),
            _values("pads_begin", pads_begin, rank, None if cropping else 0, 0),
            _values("pads_end", pads_end, rank, None if cropping else 0, 0),
        )
    )
    for window in windows:
        padding = abs(window.pad_begin) + abs(window.pad_end) if auto_pad == "explicit" else 0
        reach = window.span + padding
        if reach > MAX_EXTENT:
            raise Error(
                "window-attributes", f"a window and its padding are {reach} elements, more than 64 bits count"
            )
    return windows


def _values(
    name: str, given: Attribute | Sequence[int] | None, rank: int, least: int | None, default: int
) -> tuple[int, ...]:
    if given is None:
        return (default,) * rank
    values = to_ints(given) if isinstance(given, Attribute) else tuple(given)
    if len(values) != rank:
        raise Error("window-attributes", f"{name} has {len(values)} values, expected {rank}")
    if least is not None and any(v < least for v in values):
        raise Error("window-attributes", f"{name} is {list(values)}, expected at least {least} everywhere")
    return values


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
