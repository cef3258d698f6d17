"""Sampling at places that are data: GridSample, and deformable convolution."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, StringAttr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)

from loomir.dialects.element_types import TENSOR, is_float
from loomir.dialects.numerics import arange, full, truncated_to, wide
from loomir.dialects.ov.attributes import EXPLICIT, FALSE, choice, integer, to_bool, to_int, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.interfaces import ANY, ChannelsFirst, Layout, NamedExtents, NamedOperand, Sources
from loomir.dialects.ov.operators.windows import Window, windows_of
from loomir.dialects.ov.shape_rules import check_element, is_number, same_element, show_shape
from loomir.dialects.speculation import FailsOnShapes
from loomir.errors import Error

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


@irdl_op_definition
class GridSampleOp(OvOperation):
    """Values of `data` at the places that `grid` specifies.

    OpenVINO GridSample-9 (two axes), ONNX GridSample-22.

    The operands are `data: [N, C, spatial …]` and `grid: [N, output …, r]`, r being the number of spatial axes.

    The grid's coordinates are floats, the last spatial axis first; -1 and 1 are the ends of an axis: its outermost
    elements with `align_corners`, else their outer borders. `mode`: "bilinear" (the default; 2 elements along each
    axis), "nearest" (halves to even), "bicubic" (4 elements, Keys' kernel with a = -0.75). `padding_mode` specifies the values
    outside: "zeros" (the default), "border" (the outermost element; for each of the elements that are summed, as in PyTorch,
    OpenVINO and ONNX Runtime), "reflection" (mirrored at the ends). A coordinate that is NaN counts as far below. With
    `pixels` (which no specification has; deformable convolutions are lowered to it) coordinates count elements: 0 is the
    first one. Integers are computed in f32 and truncated; "nearest" takes any type.

    Errors: `element-type`, `attribute-value`, `grid-sample-shapes`; when run, `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    name = "ov.grid_sample"
    SOURCES: ClassVar = Sources(openvino=("GridSample", 9), own=("pixels",))

    data = operand_def(TENSOR)
    grid = operand_def(TENSOR)
    mode = prop_def(StringAttr, default_value=StringAttr("bilinear"))
    padding_mode = prop_def(StringAttr, default_value=StringAttr("zeros"))
    align_corners = prop_def(BoolAttr, default_value=FALSE)
    pixels = prop_def(BoolAttr, default_value=FALSE)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, grid = facts
        mode = choice(self.mode, "mode", MODES)
        choice(self.padding_mode, "padding_mode", PADDINGS)
        if mode != "nearest":
            check_element(data, "data", is_number, "a number")
        check_element(grid, "grid", is_float, "a float")
        rank = data.rank if data.rank is not None else grid.rank
        if rank is None:
            return [Fact(data.element, None)]
        if rank < 3:
            raise Error("grid-sample-shapes", f"data has rank {rank}, expected [N, C, spatial …]")
        batch = self.agreed_extents(facts)["N"]
        whole = (Dim(),) * rank
        shape = whole if data.shape is None else data.shape
        places = whole if grid.shape is None else grid.shape
        if any(d.hi == 0 for d in shape[2:]):
            raise Error("grid-sample-shapes", f"there is nothing in data {show_shape(shape)} to sample from")
        return [Fact(data.element, (batch, shape[1], *places[1:-1]))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        rank = next((f.rank for f in facts if f.rank is not None), None)
        if rank is None:
            return None
        grid = ["N", *([ANY] * (rank - 2)), str(rank - 2)]
        data = ["N", *([ANY] * (rank - 1))]
        return NamedExtents(
            "grid-sample-shapes", [NamedOperand(0, "data", data), NamedOperand(1, "grid", grid)]
        )

    def evaluate(self, data: np.ndarray, grid: np.ndarray) -> np.ndarray:
        spatial = data.shape[2:]
        outputs = grid.shape[1:-1]
        if 0 in spatial:
            raise Error("runtime-shape", f"there is nothing in data {data.shape} to sample from")
        mode = to_str(self.mode)
        places = wide(grid).reshape(data.shape[0], prod(outputs), len(spatial))[..., ::-1]
        axes = [_Axis(self, places[..., k], extent) for k, extent in enumerate(spatial)]
        batch = arange(data.shape[0])[:, None]
        if mode == "nearest":
            taken = data[(batch, slice(None), *(a.positions[0] for a in axes))]
            inside = np.logical_and.reduce([a.inside[0] for a in axes])
            result = np.where(inside[..., None], taken, np.zeros((), data.dtype))
            return np.moveaxis(result, -1, 1).reshape(*data.shape[:2], *outputs)
        source = wide(data) if data.dtype.kind not in "iu" else data.astype(np.float32)
        total = full((*places.shape[:2], data.shape[1]), 0, source.dtype)
        for taps in product(*(range(len(a.positions)) for a in axes)):
            taken = source[(batch, slice(None), *(a.positions[t] for a, t in zip(axes, taps)))]
            inside = np.logical_and.reduce([a.inside[t] for a, t in zip(axes, taps)])
            weight = full(places.shape[:2], 1, source.dtype)
            for a, t in zip(axes, taps):
                weight = weight * a.weights[t].astype(source.dtype)
            total += np.where(inside[..., None], taken, 0) * weight[..., None]
        result = np.moveaxis(total, -1, 1).reshape(*data.shape[:2], *outputs)
        return truncated_to(result, data.dtype) if data.dtype.kind in "iu" else result.astype(data.dtype)


@irdl_op_definition
class DeformableConvolutionOp(OvOperation):
    """Convolution with offsets for the elements of the kernel.

    OpenVINO DeformableConvolution-8 (1), ONNX DeformConv-22 (without its bias).

    `data: [N, C, H, W]`, `offsets: [N, deformable_group * KH * KW * 2, outputs …]` (along H, then along W, for each
    element of the kernel), `filters: [O, C / group, KH, KW]`, `mask: [N, deformable_group * KH * KW, outputs …]`
    (optional), a factor for each sample. Between elements values are bilinear. With `bilinear_interpolation_pad`
    elements outside of the data are zeros; without, a sample outside of the data is 0, and elements beyond the
    ends are the outermost ones. `strides`, `pads_begin`, `pads_end`, `dilations`, `auto_pad` as in Convolution.

    Errors: `element-type`, `element-types-differ`, `convolution-shapes`, `window-attributes`, `window-too-large`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst((0, 1, 3))

    COMPOSITE: ClassVar[bool] = True
    name = "ov.deformable_convolution"
    SOURCES: ClassVar = Sources(openvino=("DeformableConvolution", 1, 8))

    data = operand_def(TENSOR)
    offsets = operand_def(TENSOR)
    filters = operand_def(TENSOR)
    mask = opt_operand_def(TENSOR)
    strides = opt_prop_def(DenseArrayBase)
    pads_begin = opt_prop_def(DenseArrayBase)
    pads_end = opt_prop_def(DenseArrayBase)
    dilations = opt_prop_def(DenseArrayBase)
    auto_pad = prop_def(StringAttr, default_value=EXPLICIT)
    group = prop_def(IntegerAttr, default_value=integer(1))
    deformable_group = prop_def(IntegerAttr, default_value=integer(1))
    bilinear_interpolation_pad = prop_def(BoolAttr, default_value=FALSE)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def windows(self, kernel: Sequence[int]) -> tuple[Window, ...]:
        """One window per spatial axis."""
        return windows_of(
            kernel,
            strides=self.strides,
            dilations=self.dilations,
            pads_begin=self.pads_begin,
            pads_end=self.pads_end,
            auto_pad=to_str(self.auto_pad),
        )

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        element = same_element(facts, ("data", "offsets", "filters", "mask"))
        check_element(facts[0], "data", is_float, "a float")
        if to_int(self.group) < 1 or to_int(self.deformable_group) < 1:
            raise Error("convolution-shapes", "group and deformable_group must be positive")
        agreed = self.agreed_extents(facts)
        data, offsets, filters = ((Dim(),) * 4 if f.shape is None else f.shape for f in facts[:3])
        kernel = [k.static for k in filters[2:]]
        spatial: Shape = offsets[2:]
        if all(kernel):
            windows = self.windows([k for k in kernel if k is not None])
            counted = tuple(w.extent_bounds(d) for w, d in zip(windows, data[2:]))
            met = [a.meet(b) for a, b in zip(counted, spatial)]
            if any(m is None for m in met):
                raise Error(
                    "convolution-shapes",
                    f"offsets {show_shape(offsets)} do not fit the {show_shape(counted)} windows",
                )
            spatial = tuple(m for m in met if m is not None)
        return [Fact(element, (agreed.get("N", Dim()), filters[0], *spatial))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        """Return the named extents that follow from the filters.

        They are the channels of data, and the samples of an output (two offsets and a factor each).
        """
        known: dict[str, Dim] = {}
        filters = facts[2].shape
        if filters is not None and len(filters) == 4:
            samples = filters[2] * filters[3] * to_int(self.deformable_group)
            known = {"C": filters[1] * to_int(self.group), "2·S": samples * 2, "S": samples}
        operands = [
            NamedOperand(0, "data", ["N", "C", ANY, ANY]),
            NamedOperand(1, "offsets", ["N", "2·S", "H", "W"]),
            NamedOperand(2, "filters", [ANY] * 4),
            NamedOperand(3, "mask", ["N", "S", "H", "W"]),
        ]
        return NamedExtents("convolution-shapes", operands[: len(facts)], known)


CUBIC = -0.75


class _Axis:
    """Taps along one axis: positions, weights, and flags for being inside."""

    def __init__(self, op: GridSampleOp, grid: np.ndarray, extent: int) -> None:
        self.align, self.extent = to_bool(op.align_corners), extent
        self.padding = to_str(op.padding_mode)
        kind = grid.dtype.type
        if to_bool(op.pixels):
            x = grid
        elif self.align:
            x = (grid + kind(1)) / kind(2) * kind(extent - 1)
        else:
            x = ((grid + kind(1)) * kind(extent) - kind(1)) / kind(2)
        mode = to_str(op.mode)
        if mode == "nearest":
            x = np.rint(x)
        x = self._limited(x, kind)
        below = np.floor(x)
        part = x - below
        first, count = {"nearest": (0, 1), "bilinear": (0, 2), "bicubic": (-1, 4)}[mode]
        start = below.astype(np.int64)
        self.positions: list[np.ndarray] = []
        self.inside: list[np.ndarray] = []
        self.weights: list[np.ndarray] = []
        for k in range(count):
            position = start + (first + k)
            inside = (position >= 0) & (position < extent)
            self.inside.append(inside if self.padding == "zeros" else np.ones_like(inside))
            self.positions.append(self._position(position))
            self.weights.append(_weight(part, first + k, mode))

    def _limited(self, x: np.ndarray, kind: type[np.floating]) -> np.ndarray:
        """A place near the data: what is further outside gives the same."""
        low, high = kind(-3), kind(self.extent + 2)
        if self.padding == "reflection":
            least = kind(0 if self.align else -0.5)
            span = kind(self.extent - 1 if self.align else self.extent)
            distance = np.abs(x - least)
            turns = np.floor(distance / (span + span))
            rest = distance - turns * (span + span)
            mirrored = np.where(rest > span, span + span - rest, rest) + least
            low, high = least, least + span
            x = np.where((x >= low) & (x <= high), x, mirrored)
        # Written so that NaN is the lowest place.
        x = np.where(x >= low, x, low)
        return np.where(x <= high, x, high)

    def _position(self, position: np.ndarray) -> np.ndarray:
        """Map a position outside of the data to an element of it.

        The position may be up to four outside (two with reflection).
        """
        if self.padding != "reflection":
            return np.clip(position, 0, self.extent - 1)
        period = max(1, 2 * self.extent - 2) if self.align else 2 * self.extent
        rest = (position + 2 * period) % period
        other = period - rest if self.align else period - 1 - rest
        return np.where(rest < self.extent, rest, other)


def _weight(part: np.ndarray, offset: int, mode: str) -> np.ndarray:
    """The weight of the element `offset` behind the one below the place."""
    kind = part.dtype.type
    if mode == "nearest":
        return np.ones_like(part)
    if mode == "bilinear":
        return part if offset else kind(1) - part
    a = kind(CUBIC)
    d = part - kind(offset) if offset <= 0 else kind(offset) - part
    if offset in (0, 1):
        return ((a + kind(2)) * d - (a + kind(3))) * d * d + kind(1)
    return ((a * d - kind(5) * a) * d + kind(8) * a) * d - kind(4) * a
