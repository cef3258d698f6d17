"""Average and maximum over sliding windows, of fixed or adaptive size.

The windows of adaptive pooling follow from the extents of the result.
"""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, f64
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def

from loomir.dialects.element_types import TENSOR, dtype_of, i64, is_float
from loomir.dialects.numerics import (
    arange,
    claim,
    full,
    greatest,
    is_integer_dtype,
    limits,
    truncating_quotient,
    wide,
)
from loomir.dialects.ov.attributes import (
    EXPLICIT,
    FALSE,
    check_index_type,
    integer,
    to_bool,
    to_float,
    to_int,
    to_ints,
    to_str,
)
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.inference import dimensions, intervals
from loomir.dialects.ov.interfaces import ChannelsFirst, Layout, NamedExtents, Sources, as_long
from loomir.dialects.ov.operators.windows import Window, window_view, windows_of
from loomir.dialects.ov.shape_rules import check_element, check_rank, is_number, normalise_axis, show_shape
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
from loomir.errors import Error

FLOOR = StringAttr("floor")


class PoolingOp(OvOperation, ABC):
    """Pooling over windows of the spatial axes.

    The windows have extents `kernel` and cover the spatial axes of `data: [N, C, spatial …]`, for each channel separately.

    `strides`, `dilations`, `pads_begin`, `pads_end` have one value per spatial axis (absent: ones and zeros),
    `auto_pad` is explicit (the default), same_upper, same_lower or valid, `rounding_type` floor (the
    default), ceil or ceil_torch (ONNX's ceil_mode=1: windows that would begin in the padding behind are left
    out). Errors: `element-type`, `pooling-shapes`, `window-attributes`, `window-too-large`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    data = operand_def(TENSOR)
    kernel = prop_def(DenseArrayBase)
    strides = opt_prop_def(DenseArrayBase)
    pads_begin = opt_prop_def(DenseArrayBase)
    pads_end = opt_prop_def(DenseArrayBase)
    dilations = opt_prop_def(DenseArrayBase)
    rounding_type = prop_def(StringAttr, default_value=FLOOR)
    auto_pad = prop_def(StringAttr, default_value=EXPLICIT)
    traits = traits_def(FailsOnShapes())

    def windows(self) -> tuple[Window, ...]:
        """One window per spatial axis."""
        return windows_of(
            to_ints(self.kernel),
            strides=self.strides,
            dilations=self.dilations,
            pads_begin=self.pads_begin,
            pads_end=self.pads_end,
            auto_pad=to_str(self.auto_pad),
            rounding=to_str(self.rounding_type),
        )

    def pooled_shape(self, data: Fact) -> Shape:
        """The shape of the results."""
        check_element(data, "data", is_number, "a number")
        windows = self.windows()
        if not windows:
            raise Error("pooling-shapes", "kernel is empty: there is no spatial axis")
        shape = (Dim(),) * (len(windows) + 2) if data.shape is None else data.shape
        if len(shape) != len(windows) + 2:
            raise Error(
                "pooling-shapes",
                f"data {show_shape(shape)} does not have {len(windows)} spatial axes, as kernel says",
            )
        return (*shape[:2], *(w.extent_bounds(d) for w, d in zip(windows, shape[2:])))


@irdl_op_definition
class AvgPoolOp(PoolingOp):
    """The average over each window. OpenVINO AvgPool-16, ONNX AveragePool-22.

    `exclude_pad` (the IR's `exclude-pad`): the sum is divided by the number of elements that lie in the
    input; else by those that lie in the input or its padding, which count as zeros. What a window has beyond
    the padding counts as padding where the rounding is `ceil` (as in OpenVINO's CPU plugin), and not at all
    where it is `ceil_torch`. A window that holds nothing that counts gives 0. Integers: the (wrapping) sum is
    divided towards zero.
    """

    name = "ov.avg_pool"
    SOURCES: ClassVar = Sources(openvino=("AvgPool", 1, 14, 16))
    exclude_pad = prop_def(BoolAttr, default_value=FALSE)
    output = result_def(TENSOR)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        return [Fact(facts[0].element, self.pooled_shape(facts[0]))]

    def evaluate(self, data: np.ndarray) -> np.ndarray:
        windows = self.windows()
        rank = len(windows)
        integers = is_integer_dtype(data.dtype)
        exact = np.dtype(np.uint64 if data.dtype.kind == "u" else np.int64) if integers else wide(data).dtype
        view = window_view(data.astype(exact), windows, 0)
        total = np.asarray(view.sum(axis=tuple(range(2 + rank, 2 + 2 * rank)), dtype=exact))
        count = np.ones((), np.int64)
        for axis, (window, extent) in enumerate(zip(windows, data.shape[2:])):
            along = counted(window, extent, padding=not to_bool(self.exclude_pad))
            count = count * along.reshape([-1 if i == axis else 1 for i in range(rank)])
        divisor = np.maximum(count, 1).astype(exact)
        return (truncating_quotient(total, divisor) if integers else total / divisor).astype(data.dtype)


@irdl_op_definition
class LpPoolOp(PoolingOp):
    """Norm of each window, `(Σ |x|^p)^(1/p)`, of floats.

    Padding counts as zeros. ONNX LpPool-22 (OpenVINO has none).

    `p` is a positive number, 2 by default. Errors: also `attribute-value`.
    """

    name = "ov.lp_pool"
    p = prop_def(FloatAttr, default_value=FloatAttr(2.0, f64))
    output = result_def(TENSOR)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        check_element(facts[0], "data", is_float, "a float")
        if not 0 < to_float(self.p) < float("inf"):
            raise Error("attribute-value", f"p is {to_float(self.p)}, expected a positive number")
        return [Fact(facts[0].element, self.pooled_shape(facts[0]))]

    def evaluate(self, data: np.ndarray) -> np.ndarray:
        windows = self.windows()
        p = wide(data).dtype.type(to_float(self.p))
        view = np.abs(window_view(wide(data), windows, 0))
        powers = view if p == 1 else view * view if p == 2 else view**p
        total = np.asarray(powers.sum(axis=tuple(range(2 + len(windows), view.ndim)), dtype=view.dtype))
        return (total if p == 1 else np.sqrt(total) if p == 2 else total ** (1 / p)).astype(data.dtype)


@irdl_op_definition
class MaxPoolOp(PoolingOp):
    """Maximum of each window, and its position. OpenVINO MaxPool-14, ONNX MaxPool-22.

    The maximum is NaN if the window has one.

    Padding is never the maximum. The second result, of `index_element_type` (i64, the default, or i32), is the position
    of the first greatest element in the tensor flattened from dimension `axis` (default 0) on. A window without
    elements yields -inf or the least integer, and position 0. Errors: also `axis-range`.
    """

    name = "ov.max_pool"
    SOURCES: ClassVar = Sources(openvino=("MaxPool", 1, 8, 14))
    index_element_type = prop_def(TypeAttribute, default_value=i64)
    axis = prop_def(IntegerAttr, default_value=integer(0))
    output = result_def(TENSOR)
    indices = result_def(TENSOR)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        shape = self.pooled_shape(facts[0])
        normalise_axis(to_int(self.axis), len(shape))
        check_index_type(self.index_element_type, "index_element_type")
        return [Fact(facts[0].element, shape), Fact(self.index_element_type, shape)]

    def evaluate(self, data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        windows = self.windows()
        rank = len(windows)
        kernel_size = math.prod(w.kernel for w in windows)
        view = window_view(data, windows, limits(data.dtype)[0])
        flat = view.reshape((*view.shape[: 2 + rank], kernel_size))
        values = greatest(flat, -1)
        # Positions in one channel, -1 where a window has padding.
        spatial = data.shape[2:]
        places = arange(math.prod(spatial)).reshape((1, 1, *spatial))
        place_view = window_view(places, windows, -1)
        places = place_view.reshape((*place_view.shape[: 2 + rank], kernel_size))
        best = flat.argmax(axis=-1)[..., None]
        # Padding holds the least value and comes first where all elements are the least: take the first element
        # then.
        places = np.broadcast_to(places, flat.shape)
        chosen = np.take_along_axis(places, best, -1)[..., 0]
        first = np.take_along_axis(places, (places >= 0).argmax(axis=-1)[..., None], -1)[..., 0]
        chosen = np.maximum(np.where(chosen < 0, first, chosen), -1)
        channel = arange(data.shape[0] * data.shape[1]).reshape((*data.shape[:2], *([1] * rank)))
        size = math.prod(data.shape[normalise_axis(to_int(self.axis), data.ndim) :])
        position = np.where(chosen < 0, 0, (channel * math.prod(spatial) + chosen) % max(size, 1))
        return values, position.astype(dtype_of(self.index_element_type))


def counted(window: Window, extent: int, *, padding: bool) -> np.ndarray:
    """Count the elements of each window along one axis.

    The count is of those in the input, or also in its padding. Elements of a window with `ceil` rounding that lie beyond the
    padding count as padding too.
    """
    begin, end = window.padding(extent)
    claim((window.extent(extent), window.kernel), np.dtype(np.int64))
    starts = arange(window.extent(extent))[:, None] * window.stride - begin
    places = starts + arange(window.kernel) * window.dilation
    if padding and window.rounding == "ceil":
        return full((len(places),), window.kernel, np.int64)
    low, high = (-begin, extent + end) if padding else (0, extent)
    return ((places >= low) & (places < high)).sum(axis=1)


class AdaptivePoolingOp(OvOperation, ABC):
    """Pooling of each spatial axis into a given number of windows.

    `data` is `data: [N, C, spatial …]`; the integers `output_shape` are the numbers of windows.

    Window i of n on an axis of extent d reaches from `floor(i * d / n)` to below `ceil((i + 1) * d / n)`. Errors:
    `element-type`, `operand-rank`, `pooling-shapes`.
    """

    LAYOUT: ClassVar[Layout | None] = ChannelsFirst()

    COMPOSITE: ClassVar[bool] = True

    data = operand_def(TENSOR)
    output_shape = operand_def(TENSOR)
    traits = traits_def(FailsOnContents("output_shape"))

    def pooled_shape(self, facts: Sequence[Fact]) -> Shape | None:
        """The shape of the results."""
        data, target = facts
        check_element(data, "data", is_float, "a float")
        check_rank(target, "output_shape", 1)
        bounds, count = intervals(target, "output_shape", 1), dimensions(target)
        if bounds is not None and any(hi < 0 for _, hi in bounds):
            raise Error("pooling-shapes", f"output_shape is negative: {[hi for _, hi in bounds]}")
        if data.shape is None and count is None:
            return None
        shape = (Dim(),) * ((count or 0) + 2) if data.shape is None else data.shape
        if len(shape) < 3:
            raise Error("pooling-shapes", f"data {show_shape(shape)} has no spatial axes")
        self.agreed_extents(facts)
        if any(d.hi == 0 for d in shape[2:]):
            raise Error("pooling-shapes", f"data {show_shape(shape)} has nothing to pool")
        spatial = [Dim()] * (len(shape) - 2) if bounds is None else [Dim(max(0, a), b) for a, b in bounds]
        return (*shape[:2], *spatial)

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        rank = facts[0].rank
        return None if rank is None else as_long(facts, "pooling-shapes", {1: "output_shape"}, rank - 2)


@irdl_op_definition
class AdaptiveAvgPoolOp(AdaptivePoolingOp):
    """The mean of each window. OpenVINO AdaptiveAvgPool-8."""

    name = "ov.adaptive_avg_pool"
    SOURCES: ClassVar = Sources(openvino=("AdaptiveAvgPool", 8))
    output = result_def(TENSOR)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        return [Fact(facts[0].element, self.pooled_shape(facts))]


@irdl_op_definition
class AdaptiveMaxPoolOp(AdaptivePoolingOp):
    """Maximum of each adaptive window, and its position. OpenVINO AdaptiveMaxPool-8.

    The maximum is NaN if the window has one. The position is that of the first such element in the channel's spatial axes,
    flattened.

    `index_element_type` is i64 (the default) or i32.
    """

    name = "ov.adaptive_max_pool"
    SOURCES: ClassVar = Sources(openvino=("AdaptiveMaxPool", 8))
    index_element_type = prop_def(TypeAttribute, default_value=i64)
    output = result_def(TENSOR)
    indices = result_def(TENSOR)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        check_index_type(self.index_element_type, "index_element_type")
        shape = self.pooled_shape(facts)
        return [Fact(facts[0].element, shape), Fact(self.index_element_type, shape)]
