"""Numpy semantics of ROIAlign and ROIPooling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loomir.dialects.ov.attributes import to_float
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.evaluate.extrema import greatest
from loomir.dialects.ov.evaluate.numeric import saturated, wide
from loomir.dialects.ov.evaluate.workspace import claim
from loomir.dialects.ov.roi import MOST_SAMPLES, ROIAlignOp, ROIPoolingOp
from loomir.errors import Error


def check_batch(batch: int, batches: int) -> None:
    if not 0 <= batch < batches:
        raise Error("runtime-index", f"a region of batch {batch} of {batches}")


@dataclass(frozen=True)
class _Axis:
    """Samples along one axis: the pixels on both sides, the weight of the second, which ones are outside."""

    first: np.ndarray
    second: np.ndarray
    weight: np.ndarray
    outside: np.ndarray

    @staticmethod
    def of(start: np.floating, length: np.floating, pooled: int, grid: int, extent: int) -> _Axis:
        type_ = type(start)
        bin_ = type_(length / type_(pooled))
        claim([pooled, grid], np.dtype(type_))
        bins, steps = np.arange(pooled, dtype=type_), np.arange(grid, dtype=type_)
        within = (steps + type_(0.5)) * bin_ / type_(max(grid, 1))
        places = (start + bins * bin_)[:, None] + within
        outside = (places < -1) | (places > extent)
        places = np.maximum(places, type_(0))
        first = np.minimum(saturated(np.trunc(places), np.dtype(np.int64)), extent - 1)
        last = first >= extent - 1
        weight = np.where(last, type_(0), places - first.astype(type_))
        return _Axis(first, np.where(last, first, first + 1), weight.astype(type_), outside)


@evaluates(ROIAlignOp)
def roi_align(op: ROIAlignOp, data: np.ndarray, rois: np.ndarray, batches: np.ndarray) -> np.ndarray:
    image, boxes = wide(data), wide(rois)
    type_ = image.dtype.type
    rows, columns = op.pooled
    _, channels, height, width = data.shape
    if len(rois) != len(batches) or not height or not width:
        raise Error(
            "runtime-shape", f"data {data.shape}, rois {rois.shape}, batches {batches.shape} do not fit"
        )
    before, after = (type_(o) for o in op.offsets)
    scale = type_(to_float(op.spatial_scale))
    result = np.zeros((len(rois), channels, rows, columns), type_)
    for r, batch in enumerate(batches):
        check_batch(int(batch), len(data))
        x1, y1, x2, y2 = (boxes[r] + before) * scale + after
        w, h = x2 - x1, y2 - y1
        if not any(op.offsets):
            w, h = np.maximum(w, type_(1)), np.maximum(h, type_(1))
        grid_h = op.ratio or _grid(h / type_(rows))
        grid_w = op.ratio or _grid(w / type_(columns))
        if not grid_h * grid_w:
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
        if op.averages:
            total = sum(corners[1:], corners[0]).sum(axis=(-2, -1), dtype=type_)
            result[r] = total / type_(grid_h * grid_w)
        elif op.of_corners:
            result[r] = greatest(np.array(corners), (0, -2, -1))
        else:
            result[r] = greatest(np.asarray(sum(corners[1:], corners[0])), (-2, -1))
    return result.astype(data.dtype)


def _grid(length: np.floating) -> int:
    """As many samples as a bin is long."""
    grid = max(int(saturated(np.ceil(np.asarray(length)), np.dtype(np.int32))), 0)
    if grid > MOST_SAMPLES:
        raise Error("limit-iterations", f"{grid} samples in one bin of a region")
    return grid


@evaluates(ROIPoolingOp)
def roi_pooling(op: ROIPoolingOp, data: np.ndarray, rois: np.ndarray) -> np.ndarray:
    image, boxes = wide(data), wide(rois)
    if not data.shape[2] or not data.shape[3]:
        raise Error("runtime-shape", f"data {data.shape} has no pixels")
    result = np.zeros((len(rois), data.shape[1], *op.pooled), image.dtype)
    for r, roi in enumerate(boxes):
        batch = int(saturated(np.trunc(roi[:1]), np.dtype(np.int32))[0])
        check_batch(batch, len(data))
        pool = _interpolated if op.interpolates else _maxima
        pool(image[batch], roi[1:], op, result[r])
    return result.astype(data.dtype)


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
        places = np.arange(pooled, dtype=type_) * step + start * last
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
