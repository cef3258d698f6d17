"""Pooling of regions of interest to a fixed size: ROIAlign, ROIPooling."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import TENSOR, f64, is_float
from loomir.dialects.numerics import arange, claim, full, greatest, saturated, wide
from loomir.dialects.ov.attributes import choice, integer, to_float, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.interfaces import ChannelsFirst, Layout, NamedExtents, NamedOperand, Sources
from loomir.dialects.ov.shape_rules import check_element, check_integer, same_element, show_shape
from loomir.errors import Error

AVERAGE = StringAttr("avg")
MAX = StringAttr("max")
ASYMMETRIC = StringAttr("asymmetric")
SAMPLES = StringAttr("samples")
ONE = FloatAttr(1.0, f64)
MOST_SAMPLES = 1 << 16
"""Maximum number of samples of a bin along an axis.

It applies if the number of samples follows from the data.
"""


class RoiOp(OvOperation, ABC):
    """Pooling of regions of `data: [N, C, H, W]`.

    The result is `[regions, C, pooled_h, pooled_w]`. H and W must not be 0. f16 and bf16 are computed in f32. Errors:
    `element-type`, `element-types-differ`, `roi-shapes`, `attribute-value`; when run, `runtime-index` (a batch that is not
    there), `runtime-shape`, `limit-iterations`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    NUMBERS: ClassVar[int]
    """How many numbers describe a region."""

    # Operands are declared by the subclasses: those of a base class would come last.
    pooled_h = prop_def(IntegerAttr)
    pooled_w = prop_def(IntegerAttr)
    spatial_scale = prop_def(FloatAttr, default_value=ONE)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    @property
    def pooled(self) -> tuple[int, int]:
        """Rows and columns of the result. Error: `attribute-value`."""
        rows, columns = to_int(self.pooled_h), to_int(self.pooled_w)
        if rows < 1 or columns < 1:
            raise Error(
                "attribute-value", f"pooled_h and pooled_w are {rows} and {columns}, expected at least 1"
            )
        return rows, columns

    def pooled_fact(self, facts: Sequence[Fact]) -> Fact:
        """The result."""
        data, rois = facts[:2]
        check_element(data, "data", is_float, "a float")
        same_element((data, rois), ("data", "rois"))
        image = (Dim(),) * 4 if data.shape is None else data.shape
        if len(image) != 4 or any(d.hi == 0 for d in image[2:]):
            raise Error(
                "roi-shapes", f"data has shape {show_shape(image)}, expected [N, C, H, W] with pixels"
            )
        regions = self.agreed_extents(facts).get("regions", Dim())
        return Fact(data.element, (regions, image[1], *(Dim(p, p) for p in self.pooled)))

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        """Return the named extents of the regions.

        A region has `NUMBERS` numbers, and perhaps a batch index.
        """
        operands = [
            NamedOperand(1, "rois", ["regions", str(self.NUMBERS)]),
            NamedOperand(2, "batch_indices", ["regions"]),
        ]
        return NamedExtents("roi-shapes", operands[: len(facts) - 1])


@irdl_op_definition
class ROIAlignOp(RoiOp):
    """Pooling of bilinear samples in each bin of each region.

    OpenVINO ROIAlign-9 (3), ONNX RoiAlign-22.

    The samples lie on a grid in each bin.

    `rois` [regions, 4] are `x1, y1, x2, y2`, `batch_indices` [regions] integers. `aligned_mode`: with
    `asymmetric` (the default) coordinates are multiplied by `spatial_scale` and regions are at least 1 wide and
    high; with `half_pixel_for_nn` 0.5 is subtracted afterwards, with `half_pixel` 0.5 is also added before. Each
    bin has `sampling_ratio` rows and columns of samples, or with 0 its own height and width rounded up; without
    samples the result is 0. A sample more than 1 outside of the image is 0. `mode` is `avg` (default) or `max`.
    `maximum_of` specifies the operands of the maximum: `samples`, or `corners`, the four weighted pixels of each sample (ONNX's
    reference and ONNX Runtime).
    """

    name = "ov.roi_align"
    SOURCES: ClassVar = Sources(openvino=("ROIAlign", 3, 9), own=("maximum_of",))
    NUMBERS: ClassVar[int] = 4

    data = operand_def(TENSOR)
    rois = operand_def(TENSOR)
    batch_indices = operand_def(TENSOR)
    sampling_ratio = prop_def(IntegerAttr, default_value=integer(0))
    mode = prop_def(StringAttr, default_value=AVERAGE)
    aligned_mode = prop_def(StringAttr, default_value=ASYMMETRIC)
    maximum_of = prop_def(StringAttr, default_value=SAMPLES)

    @property
    def averages(self) -> bool:
        """True if samples are averaged."""
        return choice(self.mode, "mode", ("avg", "max")) == "avg"

    @property
    def of_corners(self) -> bool:
        """True if maxima are taken of weighted pixels."""
        return choice(self.maximum_of, "maximum_of", ("samples", "corners")) == "corners"

    @property
    def offsets(self) -> tuple[float, float]:
        """Offsets added to coordinates before and after scaling."""
        modes = {"asymmetric": (0.0, 0.0), "half_pixel_for_nn": (0.0, -0.5), "half_pixel": (0.5, -0.5)}
        return modes[choice(self.aligned_mode, "aligned_mode", tuple(modes))]

    @property
    def ratio(self) -> int:
        """Samples per bin and axis; 0 means the bin's length.

        Error: `attribute-value`.
        """
        ratio = to_int(self.sampling_ratio)
        if ratio < 0:
            raise Error("attribute-value", f"sampling_ratio is {ratio}, expected at least 0")
        return ratio

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        check_integer(facts[2], "batch_indices")
        _ = self.averages, self.of_corners, self.offsets, self.ratio
        return [self.pooled_fact(facts)]

    def evaluate(self, data: np.ndarray, rois: np.ndarray, batches: np.ndarray) -> np.ndarray:
        image, boxes = wide(data), wide(rois)
        type_ = image.dtype.type
        rows, columns = self.pooled
        _, channels, height, width = data.shape
        if len(rois) != len(batches) or not height or not width:
            raise Error(
                "runtime-shape", f"data {data.shape}, rois {rois.shape}, batches {batches.shape} do not fit"
            )
        before, after = (type_(o) for o in self.offsets)
        scale = type_(to_float(self.spatial_scale))
        result = full((len(rois), channels, rows, columns), 0, type_)
        for r, batch in enumerate(batches):
            check_batch(int(batch), len(data))
            x1, y1, x2, y2 = (boxes[r] + before) * scale + after
            w, h = x2 - x1, y2 - y1
            if not any(self.offsets):
                w, h = np.maximum(w, type_(1)), np.maximum(h, type_(1))
            grid_h = self.ratio or _grid(h / type_(rows))
            grid_w = self.ratio or _grid(w / type_(columns))
            if not grid_h * grid_w * channels:
                continue
            claim((channels, rows, grid_h, columns, grid_w), image.dtype)
            y, x = _Axis.of(y1, h, rows, grid_h, height), _Axis.of(x1, w, columns, grid_w, width)
            outside = y.outside[:, None, :, None] | x.outside[None, :, None, :]
            corners: list[np.ndarray] = []
            for v, wv in ((y.first, 1 - y.weight), (y.second, y.weight)):
                for u, wu in ((x.first, 1 - x.weight), (x.second, x.weight)):
                    weights = np.where(outside, type_(0), wv[:, None, :, None] * wu[None, :, None, :])
                    pixels = image[int(batch)][:, v[:, None, :, None], u[None, :, None, :]]
                    corners.append(np.where(outside, type_(0), pixels * weights))
            if self.averages:
                total = sum(corners[1:], corners[0]).sum(axis=(-2, -1), dtype=type_)
                result[r] = total / type_(grid_h * grid_w)
            elif self.of_corners:
                result[r] = greatest(np.array(corners), (0, -2, -1))
            else:
                result[r] = greatest(np.asarray(sum(corners[1:], corners[0])), (-2, -1))
        return result.astype(data.dtype)


@irdl_op_definition
class ROIPoolingOp(RoiOp):
    """Maximum or one interpolated value of each bin of each region.

    OpenVINO ROIPooling-2, ONNX MaxRoiPool-22.

    `rois` [regions, 5] are `batch, x1, y1, x2, y2`. `method = "max"` (the default), the maximum of the pixels in a bin: corners
    are multiplied by `spatial_scale` and rounded (halves away from zero), a region holds both and is at least one pixel wide
    and high; bins overlap where they share pixels, and a bin without pixels in the image is 0. `"bilinear"`, one interpolated
    value: coordinates are from 0 to 1 and the pooled points are spread evenly from one edge to the other (in the middle where
    there is one); a point outside of the image is 0.
    """

    name = "ov.roi_pooling"
    # (OpenVINO writes the others beside pooled_h and pooled_w.)
    SOURCES: ClassVar = Sources(openvino=("ROIPooling", 0), unused=("output_size", "output_roi"))
    NUMBERS: ClassVar[int] = 5

    data = operand_def(TENSOR)
    rois = operand_def(TENSOR)
    method = prop_def(StringAttr, default_value=MAX)

    @property
    def interpolates(self) -> bool:
        """True if the method is bilinear interpolation."""
        return choice(self.method, "method", ("max", "bilinear")) == "bilinear"

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        _ = self.interpolates
        return [self.pooled_fact(facts)]

    def evaluate(self, data: np.ndarray, rois: np.ndarray) -> np.ndarray:
        image, boxes = wide(data), wide(rois)
        if not data.shape[2] or not data.shape[3]:
            raise Error("runtime-shape", f"data {data.shape} has no pixels")
        result = full((len(rois), data.shape[1], *self.pooled), 0, image.dtype)
        for r, roi in enumerate(boxes):
            batch = int(saturated(np.trunc(roi[:1]), np.dtype(np.int32))[0])
            check_batch(batch, len(data))
            pool = _interpolated if self.interpolates else _maxima
            if result.size:
                pool(image[batch], roi[1:], self, result[r])
        return result.astype(data.dtype)


def check_batch(batch: int, batches: int) -> None:
    if not 0 <= batch < batches:
        raise Error("runtime-index", f"a region of batch {batch} of {batches}")


@dataclass(frozen=True)
class _Axis:
    """Samples along one axis.

    For each sample: the pixels on both sides, the weight of the second, and a flag if it lies outside.
    """

    first: np.ndarray
    second: np.ndarray
    weight: np.ndarray
    outside: np.ndarray

    @staticmethod
    def of(start: np.floating, length: np.floating, pooled: int, grid: int, extent: int) -> _Axis:
        type_ = type(start)
        bin_ = type_(length / type_(pooled))
        claim([pooled, grid], np.dtype(type_))
        bins, steps = arange(pooled, type_), arange(grid, type_)
        within = (steps + type_(0.5)) * bin_ / type_(max(grid, 1))
        places = (start + bins * bin_)[:, None] + within
        outside = (places < -1) | (places > extent)
        places = np.maximum(places, type_(0))
        first = np.minimum(saturated(np.trunc(places), np.dtype(np.int64)), extent - 1)
        last = first >= extent - 1
        weight = np.where(last, type_(0), places - first.astype(type_))
        return _Axis(first, np.where(last, first, first + 1), weight.astype(type_), outside)


def _grid(length: np.floating) -> int:
    """As many samples as a bin is long."""
    grid = max(int(saturated(np.ceil(np.asarray(length)), np.dtype(np.int32))), 0)
    if grid > MOST_SAMPLES:
        raise Error("limit-iterations", f"{grid} samples in one bin of a region")
    return grid


def _maxima(image: np.ndarray, roi: np.ndarray, op: ROIPoolingOp, result: np.ndarray) -> None:
    type_ = image.dtype.type
    scaled = roi * type_(to_float(op.spatial_scale))
    rounded = np.trunc(scaled) + (np.abs(scaled - np.trunc(scaled)) >= 0.5) * np.sign(scaled)
    x1, y1, x2, y2 = (int(v) for v in saturated(rounded, np.dtype(np.int32)))

    def bins(start: int, end: int, pooled: int, extent: int) -> list[slice]:
        length = type_(type_(max(end - start + 1, 1)) / type_(pooled))
        edges = [
            (int(np.floor(type_(p) * length)) + start, int(np.ceil(type_(p + 1) * length)) + start)
            for p in range(pooled)
        ]
        return [slice(min(max(a, 0), extent), min(max(b, 0), extent)) for a, b in edges]

    rows = bins(y1, y2, op.pooled[0], image.shape[1])
    columns = bins(x1, x2, op.pooled[1], image.shape[2])
    for i, v in enumerate(rows):
        for j, u in enumerate(columns):
            if v.start < v.stop and u.start < u.stop:
                result[:, i, j] = greatest(image[:, v, u], (1, 2))


def _interpolated(image: np.ndarray, roi: np.ndarray, op: ROIPoolingOp, result: np.ndarray) -> None:
    type_ = image.dtype.type

    def points(start: np.floating, end: np.floating, pooled: int, extent: int) -> np.ndarray:
        last = type_(extent - 1)
        if pooled == 1:
            return np.array([type_(0.5) * (start + end) * last])
        step = (end - start) * last / type_(pooled - 1)
        places = arange(pooled, type_) * step + start * last
        places[-1] = end * last
        return places

    x1, y1, x2, y2 = roi
    height, width = image.shape[1:]
    y, x = points(y1, y2, op.pooled[0], height), points(x1, x2, op.pooled[1], width)
    inside = ((y >= 0) & (y <= height - 1))[:, None] & ((x >= 0) & (x <= width - 1))
    v, u = (saturated(np.floor(p), np.dtype(np.int64)) for p in (y, x))
    v, u = np.clip(v, 0, height - 1), np.clip(u, 0, width - 1)
    v2, u2 = np.minimum(v + 1, height - 1), np.minimum(u + 1, width - 1)
    wy, wx = (y - v.astype(type_))[:, None], (x - u.astype(type_))[None]

    def along_x(rows: np.ndarray) -> np.ndarray:
        left, right = image[:, rows[:, None], u[None]], image[:, rows[:, None], u2[None]]
        return left + (right - left) * wx

    top, bottom = along_x(v), along_x(v2)
    result[...] = np.where(inside, top + (bottom - top) * wy, type_(0))
