"""Sliding windows, and images as their patches: ExtractImagePatches, ReorgYolo, Col2Im.

The sliding windows of convolution and pooling have padding, strides, dilations and extents (`Window`).

Col2Im reconstructs an image from the columns of a sliding window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def

from loomir.dialects.element_types import TENSOR
from loomir.dialects.numerics import claim, full, wide
from loomir.dialects.ov.attributes import choice, to_int, to_ints, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import MAX_EXTENT, Dim, Fact
from loomir.dialects.ov.inference import dimensions, integers
from loomir.dialects.ov.interfaces import ChannelsFirst, Layout, Sources
from loomir.dialects.ov.shape_rules import check_element, check_rank, is_number, map_dim, show_shape
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
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


@irdl_op_definition
class ExtractImagePatchesOp(OvOperation):
    """The windows of an image, each laid along the channels. OpenVINO ExtractImagePatches-3.

    `data: [N, C, H, W]` gives `[N, size_h * size_w * C, windows …]`: channel `(i * size_w + j) * C + c` of the result
    has element (i, j) of each window of channel c. `sizes`, `strides`, `rates` (dilations) have two values; `auto_pad`
    is valid, same_upper or same_lower, and padding is zeros. Windows that don't fit give none.

    Errors: `element-type`, `patches-shape`, `window-attributes`, `attribute-value`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    COMPOSITE: ClassVar[bool] = True
    name = "ov.extract_image_patches"
    SOURCES: ClassVar = Sources(openvino=("ExtractImagePatches", 3))

    data = operand_def(TENSOR)
    sizes = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    rates = prop_def(DenseArrayBase)
    auto_pad = prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def windows(self) -> tuple[Window, ...]:
        """One window per spatial axis."""
        choice(self.auto_pad, "auto_pad", ("valid", "same_upper", "same_lower"))
        windows = windows_of(
            to_ints(self.sizes),
            strides=self.strides,
            dilations=self.rates,
            pads_begin=None,
            pads_end=None,
            auto_pad=to_str(self.auto_pad),
        )
        if len(windows) != 2:
            raise Error("window-attributes", f"sizes has {len(windows)} values, expected 2")
        return windows

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        check_element(data, "data", is_number, "a number")
        windows = self.windows()
        shape = (Dim(),) * 4 if data.shape is None else data.shape
        if len(shape) != 4:
            raise Error("patches-shape", f"data {show_shape(shape)} does not have rank 4")
        area = windows[0].kernel * windows[1].kernel
        spatial = [map_dim(d, w.count) for w, d in zip(windows, shape[2:])]
        return [Fact(data.element, (shape[0], shape[1] * area, *spatial))]


@irdl_op_definition
class ReorgYoloOp(OvOperation):
    """The layout of YOLOv2's passthrough. OpenVINO ReorgYolo-1.

    `data: [N, C, H, W]` is read as `[N, C / s², H, s, W, s]`, both `s` become the first dimensions behind N, and the
    result is read as `[N, C * s², H / s, W / s]`. `stride` is s. Errors: `patches-shape`, `attribute-value`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    COMPOSITE: ClassVar[bool] = True
    name = "ov.reorg_yolo"

    data = operand_def(TENSOR)
    stride = prop_def(IntegerAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, s = facts[0], to_int(self.stride)
        if s < 1:
            raise Error("attribute-value", f"stride is {s}, expected a positive number")
        shape = (Dim(),) * 4 if data.shape is None else data.shape
        divisors = (1, s * s, s, s)
        if len(shape) != 4 or any(d.static is not None and d.static % k for d, k in zip(shape, divisors)):
            raise Error(
                "patches-shape", f"data {show_shape(shape)} does not have rank 4 or {s} does not divide it"
            )
        spatial = [map_dim(d, lambda n: n // s) for d in shape[2:]]
        return [Fact(data.element, (shape[0], shape[1] * (s * s), *spatial))]


@irdl_op_definition
class Col2ImOp(OvOperation):
    """Columns added up to an image: OpenVINO Col2Im-15; ONNX Col2Im.

    `data[N, C · prod(kernel_size), L]` (N may be missing), `output_size` and `kernel_size` 1-D integers of one length k.
    The window has L = L1 … Lk places on the padded image: element `(n, c, k1 … kd, l1 … ld)` of data is added to the
    result's `[n, c, k1 · dilation - pad + l1 · stride, …]` where that lies inside. `strides`, `dilations` (default 1),
    `pads_begin`, `pads_end` (default 0) have one element per spatial dimension. Sums of f16 and bf16 are kept in f32.
    Errors: `operand-rank`, `element-type`, `col2im-shape` (the columns do not fit); when run, `runtime-shape`.
    """

    name = "ov.col2im"
    SOURCES: ClassVar = Sources(openvino=("Col2Im", 15))

    data = operand_def(TENSOR)
    output_size = operand_def(TENSOR)
    kernel_size = operand_def(TENSOR)
    strides = opt_prop_def(DenseArrayBase)
    dilations = opt_prop_def(DenseArrayBase)
    pads_begin = opt_prop_def(DenseArrayBase)
    pads_end = opt_prop_def(DenseArrayBase)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("output_size", "kernel_size"))

    def parameters(self, dims: int) -> list[tuple[int, int, int, int]]:
        """Stride, dilation and both pads of each spatial dimension. `Error("col2im-shape")`."""
        lists: list[tuple[int, ...]] = []
        given = (self.strides, self.dilations, self.pads_begin, self.pads_end)
        for name, attribute, least in zip(
            ("strides", "dilations", "pads_begin", "pads_end"), given, (1, 1, 0, 0)
        ):
            values = to_ints(attribute, ()) or (least,) * dims
            if len(values) != dims or any(v < least for v in values):
                raise Error(
                    "col2im-shape", f"{name} is {list(values)}, not {dims} numbers that are at least {least}"
                )
            lists.append(values)
        return list(zip(*lists))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, output_size, kernel_size = facts
        check_element(data, "data", is_number, "a number")
        _ = check_rank(data, "data", 2, 3)
        image, kernel = integers(output_size, "output_size", 1), integers(kernel_size, "kernel_size", 1)
        dims = dimensions(output_size) if dimensions(output_size) is not None else dimensions(kernel_size)
        if data.shape is None or dims is None:
            return [Fact(data.element, None)]
        if dimensions(kernel_size) not in (None, dims):
            raise Error(
                "col2im-shape",
                f"there are {dims} extents of the image, but {dimensions(kernel_size)} of the kernel",
            )
        parameters = self.parameters(dims)
        if any(v < 0 for v in image or ()) or any(v < 1 for v in kernel or ()):
            raise Error(
                "col2im-shape", f"the extents {image} of the image or {kernel} of the kernel are too small"
            )
        rows, places = data.shape[-2:]
        channels = Dim(0, rows.hi)
        if kernel is not None:
            taps = 1
            for k in kernel:
                taps *= k
            if rows.static is not None and rows.static % taps:
                raise Error("col2im-shape", f"{rows} rows are no multiple of the kernel's {taps} elements")
            channels = Dim(-(-rows.lo // taps), None if rows.hi is None else rows.hi // taps)
            if image is not None:
                wanted = 1
                for count in window_places(image, kernel, parameters):
                    wanted *= count
                if places.meet(Dim(wanted, wanted)) is None:
                    raise Error(
                        "col2im-shape", f"there are {places} columns, but {wanted} places of the window"
                    )
        space = (Dim(),) * dims if image is None else tuple(Dim(v, v) for v in image)
        return [Fact(data.element, (*data.shape[:-2], channels, *space))]

    def evaluate(self, data: np.ndarray, output_size: np.ndarray, kernel_size: np.ndarray) -> np.ndarray:
        image, kernel = [int(v) for v in output_size], [int(v) for v in kernel_size]
        parameters = self.parameters(len(image))
        places = window_places(image, kernel, parameters)
        *batch, rows, columns = data.shape
        if rows % prod(kernel) or columns != prod(places):
            raise Error(
                "runtime-shape", f"columns of shape {data.shape} do not fit a window with the places {places}"
            )
        outer = prod(batch) * (rows // prod(kernel))
        x = wide(data).reshape(outer, *kernel, *places)
        padded = [d + begin + end for d, (_, _, begin, end) in zip(image, parameters)]
        out = full((outer, *padded), 0, x.dtype)
        for taps in np.ndindex(*kernel) if x.size else ():
            where = tuple(
                slice(t * dilation, t * dilation + (n - 1) * stride + 1 if n else t * dilation, stride)
                for t, n, (stride, dilation, _, _) in zip(taps, places, parameters)
            )
            out[(slice(None), *where)] += x[(slice(None), *taps)]
        inside = tuple(slice(begin, begin + d) for d, (_, _, begin, _) in zip(image, parameters))
        return out[(slice(None), *inside)].astype(data.dtype).reshape(*batch, rows // prod(kernel), *image)


def window_places(
    image: Sequence[int], kernel: Sequence[int], parameters: Sequence[tuple[int, int, int, int]]
) -> list[int]:
    """How many places the window has in each dimension."""
    return [
        max(0, (d + begin + end - dilation * (k - 1) - 1) // stride + 1)
        for d, k, (stride, dilation, begin, end) in zip(image, kernel, parameters)
    ]
