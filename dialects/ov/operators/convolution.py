"""Convolution, with and without groups, over any number of spatial axes."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def

from loomir.dialects.numerics.numeric import wide
from loomir.dialects.ov.attributes import EXPLICIT, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.layouts import ChannelsFirst, Layout
from loomir.dialects.ov.shape_rules import (
    check_element,
    is_number,
    join_all,
    may_equal,
    same_element,
    show_shape,
)
from loomir.dialects.ov.sources import Sources
from loomir.dialects.ov.windows import Window, window_view, windows_of
from loomir.dialects.speculation import FailsOnShapes
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


class ConvolutionBase(OvOperation, ABC):
    """A convolution (cross-correlation) of `data` by `filters`.

    `strides`, `dilations`, `pads_begin`, `pads_end` have one value per spatial axis (absent: ones and zeros),
    `auto_pad` is explicit (the default), same_upper, same_lower or valid; negative pads cut off. Integers wrap around. Errors:
    `element-type`, `element-types-differ`, `convolution-shapes`, `window-attributes`, `window-too-large`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    GROUPED: ClassVar[bool]

    data = operand_def(TENSOR)
    filters = operand_def(TENSOR)
    strides = opt_prop_def(DenseArrayBase)
    pads_begin = opt_prop_def(DenseArrayBase)
    pads_end = opt_prop_def(DenseArrayBase)
    dilations = opt_prop_def(DenseArrayBase)
    auto_pad = prop_def(StringAttr, default_value=EXPLICIT)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def windows(self, kernel: Sequence[int]) -> tuple[Window, ...]:
        """One window per spatial axis, for filters of these spatial extents."""
        return windows_of(
            kernel,
            strides=self.strides,
            dilations=self.dilations,
            pads_begin=self.pads_begin,
            pads_end=self.pads_end,
            auto_pad=to_str(self.auto_pad),
            cropping=True,
        )

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, filters = facts
        element = same_element(facts, ("data", "filters"))
        check_element(data, "data", is_number, "a number")
        leading = 3 if self.GROUPED else 2
        rank = data.rank if data.rank is not None else None
        if filters.shape is not None:
            of_filters = len(filters.shape) - leading + 2
            if of_filters < 3 or (rank is not None and rank != of_filters):
                raise Error(
                    "convolution-shapes",
                    f"data {show_shape(data.shape)} and filters {show_shape(filters.shape)} differ in rank",
                )
            rank = of_filters
        if rank is None:
            return [Fact(element, None)]
        if rank < 3:
            raise Error("convolution-shapes", f"data has rank {rank}, expected [N, C, spatial axes …]")
        shape = data.shape or (Dim(),) * rank
        if filters.shape is None:
            # The attributes are checked nevertheless; a kernel of 1 gives the most windows.
            self.windows((1,) * (rank - 2))
            return [Fact(element, (shape[0], Dim(), *([Dim()] * (rank - 2))))]
        channels, produced = self._channels(filters.shape)
        if not may_equal(shape[1], channels):
            raise Error(
                "convolution-shapes",
                f"data {show_shape(data.shape)} has {shape[1]} channels, "
                f"the filters {show_shape(filters.shape)} take {channels}",
            )
        return [Fact(element, (shape[0], produced, *self._spatial(shape[2:], filters.shape[leading:])))]

    def _channels(self, filters: Shape) -> tuple[Dim, Dim]:
        """The channels that the filters take and give."""
        if self.GROUPED:
            return filters[0] * filters[2], filters[0] * filters[1]
        return filters[1], filters[0]

    def _spatial(self, data: Shape, kernel: Shape) -> Shape:
        if any(k.hi == 0 for k in kernel):
            raise Error(
                "convolution-shapes",
                f"the filters have no elements along a spatial axis ({show_shape(kernel)})",
            )
        largest = [k.hi for k in kernel]
        smallest = self.windows([max(1, k.lo) for k in kernel])
        result: list[Dim] = []
        for axis, (extent, small, hi) in enumerate(zip(data, smallest, largest)):
            most = small.extent_bounds(extent)
            if kernel[axis].static is not None or small.is_same:
                result.append(most)
            else:
                result.append(self._unknown_kernel(extent, small, hi, most))
        return tuple(result)

    def _unknown_kernel(self, extent: Dim, small: Window, largest: int | None, most: Dim) -> Dim:
        """Return the number of windows of a kernel between `small` and `largest`.

        The larger the kernel is, the fewer windows there are.
        """
        if (
            largest is None
            or extent.lo + small.pad_begin + small.pad_end < (largest - 1) * small.dilation + 1
        ):
            return join_all([Dim(1, 1), most])
        large = Window(
            largest,
            small.stride,
            small.dilation,
            small.pad_begin,
            small.pad_end,
            small.auto_pad,
            small.rounding,
        )
        return join_all([large.extent_bounds(extent), most])


@irdl_op_definition
class ConvolutionOp(ConvolutionBase):
    """Convolution; each output channel sums over all input channels.

    OpenVINO Convolution-1, ONNX Conv-22 with group=1.

    `data: [N, C_in, spatial …]`, `filters: [C_out, C_in, kernel …]`, result `[N, C_out, windows …]`.
    """

    GROUPED: ClassVar[bool] = False
    name = "ov.convolution"
    SOURCES: ClassVar = Sources(openvino=("Convolution", 1))

    def evaluate(self, data: np.ndarray, filters: np.ndarray) -> np.ndarray:
        view = window_view(wide(data), self.windows(filters.shape[2:]), 0)
        return np.ascontiguousarray(_convolve(view, wide(filters), data.ndim - 2)).astype(data.dtype)


@irdl_op_definition
class GroupConvolutionOp(ConvolutionBase):
    """Convolution of channels in G groups, each convolved separately.

    OpenVINO GroupConvolution-1, ONNX Conv-22 with a group.

    `data: [N, G * C_in, spatial …]`, `filters: [G, C_out, C_in, kernel …]`, result `[N, G * C_out, windows
    …]`.
    """

    GROUPED: ClassVar[bool] = True
    name = "ov.group_convolution"
    SOURCES: ClassVar = Sources(openvino=("GroupConvolution", 1))

    def evaluate(self, data: np.ndarray, filters: np.ndarray) -> np.ndarray:
        groups, _, channels = filters.shape[:3]
        view = window_view(wide(data), self.windows(filters.shape[3:]), 0)
        parts = [
            _convolve(view[:, g * channels : (g + 1) * channels], wide(filters)[g], data.ndim - 2)
            for g in range(groups)
        ]
        return np.concatenate(parts, axis=1).astype(data.dtype)


def _convolve(view: np.ndarray, filters: np.ndarray, rank: int) -> np.ndarray:
    """`view: [N, C, windows …, kernel …]`, `filters: [O, C, kernel …]` → `[N, O, windows …]`."""
    kernel = range(2 + rank, 2 + 2 * rank)
    product = np.tensordot(view, filters, axes=((1, *kernel), range(1, 2 + rank)))
    return np.moveaxis(product, -1, 1)
