"""Images as their patches: ExtractImagePatches, ReorgYolo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def

from loomir.dialects.ov.attributes import choice, to_int, to_ints, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layouts import ChannelsFirst, Layout
from loomir.dialects.ov.shape_rules import check_element, is_number, map_dim, show_shape
from loomir.dialects.ov.sources import Sources
from loomir.dialects.ov.windows import Window, windows_of
from loomir.dialects.speculation import FailsOnShapes
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


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
