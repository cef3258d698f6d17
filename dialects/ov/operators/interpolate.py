"""Resampling on a regular grid.

Interpolate, and the weighted sums along axes that it consists of.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, FloatAttr, StringAttr, f64
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)

from loomir.dialects.element_types import TENSOR, is_float
from loomir.dialects.numerics import claim, positions, wide
from loomir.dialects.ov.attributes import FALSE, choice, to_bool, to_ints, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.inference import contents, integers, intervals, length, surely_inside
from loomir.dialects.ov.interfaces import AnyOrder, Layout, NamedExtents, NamedOperand
from loomir.dialects.ov.shape_rules import (
    check_element,
    check_integer,
    check_rank,
    is_number,
    map_dim,
    normalise_axes,
)
from loomir.dialects.speculation import FailsOnContents
from loomir.errors import Error

MODES = ("nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow")
COORDINATES = (
    "half_pixel",
    "pytorch_half_pixel",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "align_corners",
    "half_pixel_symmetric",
    "tf_crop_and_resize",
)
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple")
POLICIES = ("stretch", "not_larger", "not_smaller")


@irdl_op_definition
class InterpolateOp(OvOperation):
    """Resizing of a tensor along some axes.

    OpenVINO Interpolate-11 (0, 4), ONNX Resize-19.

    `data` is padded with zeros by `pads_begin`, `pads_end` first (missing values are 0). The integers `axes`
    are resized to the integers `target` or, if `shape_calculation_mode` is "scales", by the
    floats in it to `floor(extent * scale)`; computed in f32, as everything here is.

    Element y of an axis is at place x of the data by `coordinate_transformation_mode`, which becomes

    - `mode = "nearest"`: the element that `nearest_mode` rounds x to;
    - "linear_onnx", "cubic" (with `cube_coeff`): the sum of the 2 or 4 elements around x, those beyond the ends
      being the last ones; with `antialias` the kernel is 1 / scale times as wide where it shrinks (ONNX), its
      weights divided by their sum;
    - "linear": the same without elements beyond the ends, the weights divided by their sum (0 where there are
      none); `antialias` takes effect if any axis shrinks, and makes kernels narrower along axes that grow;
    - "bilinear_pillow", "bicubic_pillow": with antialias, without elements beyond the ends, at half_pixel places
      by the ratio of the extents, the last axis first and rounded after each axis, as Pillow does.

    Integers are computed in f32; "linear" and the Pillow modes round the result (halves away from 0), the others
    truncate it. With `exact_scale` "cubic" rounds too, and with antialias all modes round after each axis as the
    Pillow modes do.

    From ONNX: `exclude_outside` (no elements beyond the ends, weights divided by their sum);
    `keep_aspect_ratio_policy` "not_larger" or "not_smaller" (of the targets' scales the least or greatest is used for
    all axes); `coordinate_transformation_mode` "half_pixel_symmetric" and "tf_crop_and_resize" with the operand
    `roi` (starts, then ends, as fractions of the extents; it does not affect the extents of the result), and
    `extrapolation_value` for places outside. With
    `exact_scale` the resized length in formulas is `scale * extent`, even if that is no whole number (ONNX);
    without it, it is the number of elements, and an axis whose scale is 1 or whose extent stays is left as it is
    (OpenVINO).

    Errors: `element-type`, `attribute-value`, `axis-range`, `axis-twice`, `interpolate-target` (as many values as
    axes, none negative), `interpolate-roi`, `operand-rank`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=2, lists=("pads_begin", "pads_end"), in_sequence=True)

    COMPOSITE: ClassVar[bool] = True
    name = "ov.interpolate"

    data = operand_def(TENSOR)
    target = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    roi = opt_operand_def(TENSOR)
    mode = prop_def(StringAttr)
    shape_calculation_mode = prop_def(StringAttr)
    coordinate_transformation_mode = prop_def(StringAttr, default_value=StringAttr("half_pixel"))
    nearest_mode = prop_def(StringAttr, default_value=StringAttr("round_prefer_floor"))
    antialias = prop_def(BoolAttr, default_value=FALSE)
    pads_begin = opt_prop_def(DenseArrayBase)
    pads_end = opt_prop_def(DenseArrayBase)
    cube_coeff = prop_def(FloatAttr, default_value=FloatAttr(-0.75, f64))
    exclude_outside = prop_def(BoolAttr, default_value=FALSE)
    extrapolation_value = prop_def(FloatAttr, default_value=FloatAttr(0.0, f64))
    keep_aspect_ratio_policy = prop_def(StringAttr, default_value=StringAttr("stretch"))
    exact_scale = prop_def(BoolAttr, default_value=FALSE)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("target", "axes", "roi"))

    @property
    def uses_scales(self) -> bool:
        """True if `target` holds scales. Error: `attribute-value`."""
        return choice(self.shape_calculation_mode, "shape_calculation_mode", ("sizes", "scales")) == "scales"

    def pads(self, rank: int) -> list[tuple[int, int]]:
        """The padding of each dimension. Error: `attribute-value`."""
        sides: list[list[int]] = []
        for name, given in (("pads_begin", self.pads_begin), ("pads_end", self.pads_end)):
            values = [] if given is None else list(to_ints(given))
            if any(v < 0 for v in values) or any(values[rank:]):
                raise Error("attribute-value", f"{name} is {values}, for data of rank {rank}")
            sides.append([*values, *([0] * rank)][:rank])
        return list(zip(*sides))

    def _check_attributes(self) -> None:
        mode = choice(self.mode, "mode", MODES)
        coordinates = choice(
            self.coordinate_transformation_mode, "coordinate_transformation_mode", COORDINATES
        )
        choice(self.nearest_mode, "nearest_mode", NEAREST)
        policy = choice(self.keep_aspect_ratio_policy, "keep_aspect_ratio_policy", POLICIES)
        if policy != "stretch" and self.uses_scales:
            raise Error(
                "attribute-value", f"keep_aspect_ratio_policy '{policy}' is for sizes, not for scales"
            )
        if to_bool(self.antialias) and mode == "nearest":
            raise Error("attribute-value", "antialias is not for the mode 'nearest'")
        if (coordinates == "tf_crop_and_resize") != (self.roi is not None):
            raise Error("interpolate-roi", f"the mode is '{coordinates}', and roi is for tf_crop_and_resize")

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, target, axes = facts[:3]
        self._check_attributes()
        if to_str(self.mode) != "nearest":
            check_element(data, "data", is_number, "a number")
        check_rank(target, "target", 1)
        if self.uses_scales:
            check_element(target, "target", is_float, "a float")
        else:
            check_integer(target, "target")
        places = integers(axes, "axes", 0, 1)
        if len(facts) == 4:
            check_element(facts[3], "roi", is_float, "a float")
            check_rank(facts[3], "roi", 1)
        if data.shape is None:
            return [Fact(data.element, None)]
        if places is None:
            return [Fact(data.element, (Dim(),) * len(data.shape))]
        places = normalise_axes(places, len(data.shape), "axes")
        self.agreed_extents(facts)
        padded = [d + (b + e) for d, (b, e) in zip(data.shape, self.pads(len(data.shape)))]
        for axis, extent in zip(places, self._resized([padded[a] for a in places], target)):
            padded[axis] = extent
        return [Fact(data.element, tuple(padded))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        count = length(facts[2])
        if count is None:
            return None
        operands = [NamedOperand(1, "target", [str(count)]), NamedOperand(3, "roi", [str(2 * count)])]
        return NamedExtents("interpolate-target", operands[: len(facts) - 2])

    def _resized(self, extents: Sequence[Dim], target: Fact) -> Sequence[Dim]:
        """The extents that these become."""
        if self.uses_scales:
            scales = self._scales(target)
            if scales is None:
                return [Dim()] * len(extents)
            return [map_dim(d, partial(resized, scale=s)) for d, s in zip(extents, scales)]
        bounds = intervals(target, "target", 1)
        if bounds is None:
            return [Dim()] * len(extents)
        if any(hi < 0 for _, hi in bounds):
            raise Error("interpolate-target", f"a target extent is negative: {[hi for _, hi in bounds]}")
        if to_str(self.keep_aspect_ratio_policy) == "stretch":
            return [Dim(max(0, lo), hi) for lo, hi in bounds]
        known = [d.static for d in extents]
        if any(lo != hi for lo, hi in bounds) or any(not n for n in known):
            return [Dim()] * len(extents)
        ratios = [np.float32(hi) / np.float32(n) for (_, hi), n in zip(bounds, known)]
        least = to_str(self.keep_aspect_ratio_policy) == "not_larger"
        scale = min(ratios) if least else max(ratios)
        found = [int(np.floor(scale * np.float32(n) + np.float32(0.5))) for n in known]
        return [Dim(n, n) for n in found]

    def _scales(self, target: Fact) -> list[np.float32] | None:
        """The scales, where known. Error: `interpolate-target`."""
        known = contents(target)
        if known is None:
            return None
        scales = known.reshape(-1).astype(np.float32)
        if not (np.isfinite(scales) & (scales > 0)).all():
            raise Error("interpolate-target", f"the scales are {scales.tolist()}, expected positive numbers")
        return list(scales)


def resized(extent: int, scale: np.float32) -> int:
    """`floor(extent * scale)` in f32."""
    return int(np.floor(np.float32(extent) * scale))


@irdl_op_definition
class ResampleOp(OvOperation):
    """Elements or weighted sums of elements along some axes.

    OpenVINO's Interpolate and ONNX's Resize become this operation. Neither OpenVINO nor ONNX has it.

    `tables` are, for each of `axes` in order, the positions `[extent]` (i32) of the elements that are taken; or
    with `weighted` (data must be floats) the positions `[extent, taps]` and the weights (f32) of the same shape:

        result[…, y, …, z, …] = Σ_s Σ_t weights_0[y, s] * weights_1[z, t] * data[…, positions_0[y, s], …,
                                                                              positions_1[z, t], …]

    A position outside of its axis is an error. Errors: `element-type`, `axis-range`, `axis-twice`, `operand-rank`,
    `resample-tables`; when run, `runtime-index`.
    """

    name = "ov.resample"

    data = operand_def(TENSOR)
    tables = var_operand_def(TENSOR)
    axes = prop_def(DenseArrayBase)
    weighted = prop_def(BoolAttr, default_value=FALSE)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents())

    def accepts(self, facts: Sequence[Fact]) -> bool:
        data, *tables = facts
        assert data.shape is not None
        axes = normalise_axes(to_ints(self.axes), len(data.shape), "axes")
        positions = tables[::2] if to_bool(self.weighted) else tables
        return all(surely_inside(p, [data.shape[a]], negative=False) for p, a in zip(positions, axes))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        axes, weighted = to_ints(self.axes), to_bool(self.weighted)
        if weighted:
            check_element(data, "data", is_float, "a float")
        if len(facts) - 1 != len(axes) * (2 if weighted else 1):
            raise Error("resample-tables", f"there are {len(facts) - 1} tables for {len(axes)} axes")
        for k, table in enumerate(facts[1:]):
            check_rank(table, "a table", 2 if weighted else 1)
            if weighted and k % 2:
                check_element(table, "weights", is_float, "a float")
            else:
                check_integer(table, "positions")
        self.agreed_extents(facts)
        if data.shape is None:
            return [Fact(data.element, None)]
        shape = list(data.shape)
        tables = facts[1::2] if weighted else facts[1:]
        for axis, table in zip(normalise_axes(axes, len(shape), "axes"), tables):
            shape[axis] = Dim() if table.shape is None else table.shape[0]
        return [Fact(data.element, tuple(shape))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        if not to_bool(self.weighted):
            return None
        operands: list[NamedOperand] = []
        for k in range(len(to_ints(self.axes))):
            names = [f"extent {k}", f"taps {k}"]
            operands += [
                NamedOperand(1 + 2 * k, "positions", names),
                NamedOperand(2 + 2 * k, "weights", names),
            ]
        return NamedExtents("resample-tables", operands)

    def evaluate(self, data: np.ndarray, *tables: np.ndarray) -> np.ndarray:
        axes = [a % data.ndim for a in to_ints(self.axes)]
        if not to_bool(self.weighted):
            result = data
            for axis, table in zip(axes, tables):
                result = _taken(result, table, axis)
            return result
        result = wide(data)
        for axis, table, weights in zip(axes, tables[::2], tables[1::2]):
            taken = _taken(result, table, axis)
            shape = [1] * axis + list(table.shape) + [1] * (data.ndim - axis - 1)
            product = taken * weights.astype(result.dtype).reshape(shape)
            result = np.asarray(product.sum(axis=axis + 1, dtype=result.dtype))
        return result.astype(data.dtype)


def _taken(data: np.ndarray, table: np.ndarray, axis: int) -> np.ndarray:
    """Return the elements at the positions of a table.

    The axes of the table replace the axis.
    """
    claim((*data.shape[:axis], *table.shape, *data.shape[axis + 1 :]), data.dtype)
    return np.take(data, positions(table, data.shape[axis], negative=False), axis=axis)
