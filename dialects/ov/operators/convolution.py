"""Convolution and transposed convolution, with and without groups.

They are over any number of spatial axes. A transposed convolution is the gradient of a convolution with respect to its data.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, StringAttr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)

from loomir.dialects.element_types import TENSOR
from loomir.dialects.numerics import full, wide
from loomir.dialects.ov.attributes import EXPLICIT, to_ints, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.inference import intervals
from loomir.dialects.ov.interfaces import ChannelsFirst, Layout, Sources
from loomir.dialects.ov.operators.windows import AUTO_PADS, Window, window_view, windows_of
from loomir.dialects.ov.shape_rules import (
    check_element,
    is_number,
    join_all,
    may_equal,
    same_element,
    show_shape,
)
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
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


@dataclass(frozen=True, slots=True)
class TransposedWindow:
    """Placement of a kernel along one spatial axis.

    Element i of the data adds to the elements `i * stride + k * dilation - pad_begin` of the result, for each k of the kernel.

    `pad_begin` and `pad_end` are cut off the result; `output_padding` elements are appended to it. If the result's extent is
    given instead, the padding follows from it and `auto_pad`.
    """

    kernel: int
    stride: int
    dilation: int
    pad_begin: int
    pad_end: int
    output_padding: int
    auto_pad: str

    @property
    def span(self) -> int:
        """From the first element that the kernel reaches to the last."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def kept(self) -> int:
        """Amount added to `stride * (extent - 1)` for the result's extent.

        It applies if the result's extent is not given.
        """
        pads = self.pad_begin + self.pad_end if self.auto_pad == "explicit" else 0
        return self.span - pads + self.output_padding

    def extent(self, extent: int) -> int:
        """The result's extent where it is not given."""
        return max(0, self.stride * (extent - 1) + self.kept)

    def begin(self, total: int) -> int:
        """How much of a given total padding is at the beginning."""
        return total - total // 2 if self.auto_pad == "same_upper" else total // 2

    def padding(self, extent: int, given: int | None) -> int:
        """Return the padding at the beginning, for data of this extent.

        `given` is the extent of the result if it is given, else None.
        """
        if given is None:
            return self.pad_begin if self.auto_pad == "explicit" else 0
        return self.begin(max(0, self.stride * (extent - 1) + self.span + self.output_padding - given))


class TransposedConvolution(OvOperation, ABC):
    """Transposed convolution of `data`.

    Every element of `data` adds the filters, scaled by it, to the result; the stride is that of the result.

    `strides`, `dilations`, `pads_begin`, `pads_end`, `output_padding` have one value per spatial axis (absent:
    ones and zeros). The extents are `stride * (extent - 1) + (kernel - 1) * dilation + 1 - pads +
    output_padding`, without pads if `auto_pad` is not explicit. If the operand `output_shape` specifies the
    spatial extents, pads are ignored and the total padding is the amount that yields them (at least 0), its larger
    half at the beginning for `auto_pad` same_upper, else at the end. Integers wrap around. Errors:
    `element-type`, `element-types-differ`, `convolution-shapes`, `window-attributes`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    GROUPED: ClassVar[bool]

    data = operand_def(TENSOR)
    filters = operand_def(TENSOR)
    output_shape = opt_operand_def(TENSOR)
    strides = opt_prop_def(DenseArrayBase)
    pads_begin = opt_prop_def(DenseArrayBase)
    pads_end = opt_prop_def(DenseArrayBase)
    dilations = opt_prop_def(DenseArrayBase)
    output_padding = opt_prop_def(DenseArrayBase)
    auto_pad = prop_def(StringAttr, default_value=EXPLICIT)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("output_shape"))

    def windows(self, kernel: Sequence[int]) -> tuple[TransposedWindow, ...]:
        """Return one window per spatial axis.

        `kernel` is the filters' spatial extents. Error: `window-attributes`.
        """
        auto_pad = to_str(self.auto_pad)
        if auto_pad not in AUTO_PADS:
            raise Error(
                "window-attributes", f"auto_pad is '{auto_pad}', expected one of {', '.join(AUTO_PADS)}"
            )

        def values(name: str, default: int, least: int | None) -> tuple[int, ...]:
            given = getattr(self, name)
            found = (default,) * len(kernel) if given is None else to_ints(given)
            if len(found) != len(kernel):
                raise Error("window-attributes", f"{name} has {len(found)} values, expected {len(kernel)}")
            if least is not None and any(v < least for v in found):
                raise Error(
                    "window-attributes", f"{name} is {list(found)}, expected at least {least} everywhere"
                )
            return found

        return tuple(
            TransposedWindow(k, s, d, b, e, o, auto_pad)
            for k, s, d, b, e, o in zip(
                kernel,
                values("strides", 1, 1),
                values("dilations", 1, 1),
                values("pads_begin", 0, None),
                values("pads_end", 0, None),
                values("output_padding", 0, 0),
            )
        )

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, filters = facts[:2]
        element = same_element(facts[:2], ("data", "filters"))
        check_element(data, "data", is_number, "a number")
        leading = 3 if self.GROUPED else 2
        rank = data.rank
        if filters.shape is not None:
            of_filters = len(filters.shape) - leading + 2
            if of_filters < 3 or (rank is not None and rank != of_filters):
                raise Error(
                    "convolution-shapes",
                    f"data {show_shape(data.shape)} and filters {show_shape(filters.shape)} differ in rank",
                )
            rank = of_filters
        given = None
        if len(facts) == 3:
            if facts[2].rank not in (None, 1):
                raise Error("convolution-shapes", f"output_shape must have rank 1, not {facts[2].rank}")
            given = intervals(facts[2], "output_shape", 1)
            count = facts[2].shape[0].static if facts[2].shape is not None else None
            if count is not None:
                if rank is not None and rank != count + 2:
                    raise Error(
                        "convolution-shapes",
                        f"output_shape has {count} values, data {show_shape(data.shape)} not as many spatial axes",
                    )
                rank = count + 2
        if rank is None:
            return [Fact(element, None)]
        if rank < 3:
            raise Error("convolution-shapes", f"data has rank {rank}, expected [N, C, spatial axes …]")
        shape = data.shape or (Dim(),) * rank
        produced = Dim()
        kernel: Shape = (Dim(),) * (rank - 2)
        if filters.shape is not None:
            produced, kernel = self._channels(shape[1], filters.shape, data), filters.shape[leading:]
        return [
            Fact(element, (shape[0], produced, *self._spatial(shape[2:], kernel, given, len(facts) == 3)))
        ]

    def _channels(self, channels: Dim, filters: Shape, data: Fact) -> Dim:
        """The channels of the result."""
        taken = filters[0] * filters[1] if self.GROUPED else filters[0]
        if not may_equal(channels, taken):
            raise Error(
                "convolution-shapes",
                f"data {show_shape(data.shape)} has {channels} channels, "
                f"the filters {show_shape(filters)} take {taken}",
            )
        return filters[0] * filters[2] if self.GROUPED else filters[1]

    def _spatial(
        self, data: Shape, kernel: Shape, given: list[tuple[int, int]] | None, is_given: bool
    ) -> Sequence[Dim]:
        if any(k.hi == 0 for k in kernel):
            raise Error(
                "convolution-shapes",
                f"the filters have no elements along a spatial axis ({show_shape(kernel)})",
            )
        windows = self.windows([max(1, k.lo) for k in kernel])
        if is_given:
            if given is None:
                return [Dim()] * len(data)
            if any(hi < 0 for _, hi in given):
                raise Error("convolution-shapes", f"output_shape is negative: {given}")
            return [Dim(max(0, lo), hi) for lo, hi in given]
        widest = self.windows([max(1, k.lo if k.hi is None else k.hi) for k in kernel])
        return [
            Dim(
                small.extent(extent.lo),
                None if extent.hi is None or k.hi is None else large.extent(extent.hi),
            )
            for extent, k, small, large in zip(data, kernel, windows, widest)
        ]

    def evaluate(
        self, data: np.ndarray, filters: np.ndarray, output_shape: np.ndarray | None = None
    ) -> np.ndarray:
        groups = filters if self.GROUPED else filters[None]
        windows = self.windows(groups.shape[3:])
        given = [None] * len(windows) if output_shape is None else [int(e) for e in output_shape]
        if any(e is not None and e < 0 for e in given):
            raise Error("runtime-shape", f"output_shape is negative: {given}")
        extents = [w.extent(d) if e is None else e for w, d, e in zip(windows, data.shape[2:], given)]
        begins = [w.padding(d, e) for w, d, e in zip(windows, data.shape[2:], given)]
        parts = np.split(wide(data), groups.shape[0], axis=1)
        results = [
            _one_group(part, weights, windows, extents, begins) for part, weights in zip(parts, wide(groups))
        ]
        return np.concatenate(results, axis=1).astype(data.dtype)


@irdl_op_definition
class ConvolutionBackpropDataOp(TransposedConvolution):
    """A transposed convolution. OpenVINO ConvolutionBackpropData-1, ONNX ConvTranspose-22 with group=1.

    `data: [N, C_in, spatial …]`, `filters: [C_in, C_out, kernel …]`, result `[N, C_out, …]`.
    """

    GROUPED: ClassVar[bool] = False
    name = "ov.convolution_backprop_data"
    SOURCES: ClassVar = Sources(openvino=("ConvolutionBackpropData", 1))


@irdl_op_definition
class GroupConvolutionBackpropDataOp(TransposedConvolution):
    """Transposed convolution of each of G groups of channels.

    OpenVINO GroupConvolutionBackpropData-1, ONNX ConvTranspose-22 with a group.

    `data: [N, G * C_in, spatial …]`, `filters: [G, C_in, C_out, kernel …]`, result `[N, G * C_out, …]`.
    """

    GROUPED: ClassVar[bool] = True
    name = "ov.group_convolution_backprop_data"
    SOURCES: ClassVar = Sources(openvino=("GroupConvolutionBackpropData", 1))


def _one_group(
    data: np.ndarray,
    filters: np.ndarray,
    windows: tuple[TransposedWindow, ...],
    extents: list[int],
    begins: list[int],
) -> np.ndarray:
    """Compute the transposed convolution of one group.

    Sums everything that the kernel reaches, then cuts out the requested part (zeros beyond).
    """
    reach = [max(0, w.stride * (d - 1) + w.span) for w, d in zip(windows, data.shape[2:])]
    whole = full((data.shape[0], filters.shape[1], *reach), 0, data.dtype)
    if data.size and filters.size:
        for k in np.ndindex(*filters.shape[2:]):
            places = [
                slice(i * w.dilation, i * w.dilation + w.stride * (d - 1) + 1, w.stride)
                for i, w, d in zip(k, windows, data.shape[2:])
            ]
            product = np.tensordot(data, filters[(slice(None), slice(None), *k)], axes=((1,), (0,)))
            whole[(slice(None), slice(None), *places)] += np.moveaxis(product, -1, 1)
    result = full((*whole.shape[:2], *extents), 0, data.dtype)
    target: list[slice] = [slice(None), slice(None)]
    source: list[slice] = [slice(None), slice(None)]
    for extent, begin, length in zip(extents, begins, reach):
        first, last = max(0, -begin), min(extent, length - begin)
        target.append(slice(first, max(first, last)))
        source.append(slice(first + begin, max(first, last) + begin))
    result[tuple(target)] = whole[tuple(source)]
    return result
