"""Sampling at places that are data: GridSample, and deformable convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

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

from loomir.dialects.element_types import is_float
from loomir.dialects.ov.attributes import EXPLICIT, FALSE, choice, integer, to_int, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.named_extents import ANY, Named, NamedExtents
from loomir.dialects.ov.shape_rules import check_element, is_number, may_equal, same_element, show_shape
from loomir.dialects.ov.windows import Window, windows_of
from loomir.dialects.speculation import FailsOnShapes
from loomir.errors import Error

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


@irdl_op_definition
class GridSampleOp(OvOperation):
    """Values of `data: [N, C, spatial …]` at the places that `grid: [N, output …, r]` names, r being the number of
    spatial axes. OpenVINO GridSample-9 (two axes), ONNX GridSample-22.

    The grid's coordinates are floats, the last spatial axis first; -1 and 1 are the ends of an axis: its outermost
    elements with `align_corners`, else their outer borders. `mode`: "bilinear" (the default; 2 elements along each
    axis), "nearest" (halves to even), "bicubic" (4 elements, Keys' kernel with a = -0.75). `padding_mode`, what is
    outside: "zeros" (the default), "border" (the outermost element; for each of
    the elements that are summed, as PyTorch, OpenVINO and ONNX Runtime do it), "reflection" (mirrored at the ends). A
    coordinate that is NaN is one far below. With `pixels` (which no specification has; deformable convolutions become
    that) coordinates count elements: 0 is the first one. Integers are computed in f32 and cut off; "nearest" takes any type.

    Errors: `element-type`, `attribute-value`, `grid-sample-shapes`; when run, `runtime-shape`.
    """

    name = "ov.grid_sample"

    data = operand_def()
    grid = operand_def()
    mode = prop_def(StringAttr, default_value=StringAttr("bilinear"))
    padding_mode = prop_def(StringAttr, default_value=StringAttr("zeros"))
    align_corners = prop_def(BoolAttr, default_value=FALSE)
    pixels = prop_def(BoolAttr, default_value=FALSE)
    output = result_def()
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
        whole = (Dim(),) * rank
        shape = whole if data.shape is None else data.shape
        places = whole if grid.shape is None else grid.shape
        if rank < 3 or len(places) != rank or not may_equal(places[-1], Dim(rank - 2, rank - 2)):
            raise Error(
                "grid-sample-shapes",
                f"data {show_shape(shape)} and grid {show_shape(places)}: expected [N, C, spatial …] and "
                "[N, output …, number of spatial axes]",
            )
        batch = shape[0].meet(places[0])
        if batch is None or any(d.hi == 0 for d in shape[2:]):
            raise Error(
                "grid-sample-shapes",
                f"data {show_shape(shape)} and grid {show_shape(places)} differ in batch, or data is empty",
            )
        return [Fact(data.element, (batch, shape[1], *places[1:-1]))]


@irdl_op_definition
class DeformableConvolutionOp(OvOperation):
    """A convolution whose kernel's elements are moved by offsets. OpenVINO DeformableConvolution-8 (1), ONNX
    DeformConv-22 (without its bias).

    `data: [N, C, H, W]`, `offsets: [N, deformable_group * KH * KW * 2, outputs …]` (along H, then along W, for each
    element of the kernel), `filters: [O, C / group, KH, KW]`, `mask: [N, deformable_group * KH * KW, outputs …]`
    (optional), a factor for each sample. Between elements values are bilinear. With `bilinear_interpolation_pad`
    elements outside of the data are zeros; without, a sample outside of the data is 0, and elements beyond the
    ends are the outermost ones. `strides`, `pads_begin`, `pads_end`, `dilations`, `auto_pad` as in Convolution.

    Errors: `element-type`, `element-types-differ`, `convolution-shapes`, `window-attributes`, `window-too-large`.
    """

    COMPOSITE: ClassVar[bool] = True
    name = "ov.deformable_convolution"

    data = operand_def()
    offsets = operand_def()
    filters = operand_def()
    mask = opt_operand_def()
    strides = opt_prop_def(DenseArrayBase)
    pads_begin = opt_prop_def(DenseArrayBase)
    pads_end = opt_prop_def(DenseArrayBase)
    dilations = opt_prop_def(DenseArrayBase)
    auto_pad = prop_def(StringAttr, default_value=EXPLICIT)
    group = prop_def(IntegerAttr, default_value=integer(1))
    deformable_group = prop_def(IntegerAttr, default_value=integer(1))
    bilinear_interpolation_pad = prop_def(BoolAttr, default_value=FALSE)
    output = result_def()
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
        """The channels of data, and the samples of an output (two offsets and a factor each), follow from the filters."""
        known: dict[str, Dim] = {}
        filters = facts[2].shape
        if filters is not None and len(filters) == 4:
            samples = filters[2] * filters[3] * to_int(self.deformable_group)
            known = {"C": filters[1] * to_int(self.group), "2·S": samples * 2, "S": samples}
        operands = [
            Named(0, "data", ["N", "C", ANY, ANY]),
            Named(1, "offsets", ["N", "2·S", "H", "W"]),
            Named(2, "filters", [ANY] * 4),
            Named(3, "mask", ["N", "S", "H", "W"]),
        ]
        return NamedExtents("convolution-shapes", operands[: len(facts)], known)
