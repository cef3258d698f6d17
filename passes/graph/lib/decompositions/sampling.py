"""Adaptive pooling and deformable convolution, by sampling.

- Adaptive pooling becomes Resample: windows of different widths are tables of positions.
- Deformable convolution becomes GridSample and MatMul.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import f32, i32, i64
from loomir.dialects.numerics import along, claim
from loomir.dialects.ov.attributes import to_bool, to_int
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import SelectOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, ModOp, MultiplyOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.interpolate import ResampleOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.pooling import (
    AdaptiveAvgPoolOp,
    AdaptiveMaxPoolOp,
    AdaptivePoolingOp,
    AvgPoolOp,
    MaxPoolOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp, UnsqueezeOp
from loomir.dialects.ov.operators.sampling import DeformableConvolutionOp, GridSampleOp
from loomir.dialects.ov.operators.windows import Window
from loomir.errors import Error
from loomir.passes.graph.lib.decompositions import Sizes, decomposes, require_at_least, require_equal
from loomir.passes.graph.lib.decompositions.arithmetic import Term, Terms


@decomposes(AdaptiveAvgPoolOp)
def adaptive_avg_pool(op: AdaptiveAvgPoolOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Compute weighted sums along one axis after the other.

    If all windows have the same width, emit an AvgPool instead.
    """
    axes = _axes(op, build)
    kernel = _regular(axes)
    if kernel is not None:
        return [build.make(AvgPoolOp, op.data, attributes={"kernel": kernel, "strides": kernel})]
    value = op.data
    for place, axis in enumerate(axes, 2):
        inside = axis.steps.less(axis.width)
        weights = inside.choose(axis.width * 0.0 + 1.0, 0.0) / axis.width
        positions = (axis.begin + axis.steps).min(axis.last)
        value = build.make(
            ResampleOp,
            value,
            [positions.to(i32).value, weights.value],
            attributes={"axes": [place], "weighted": True},
        )
    return [value]


@decomposes(AdaptiveMaxPoolOp)
def adaptive_max_pool(op: AdaptiveMaxPoolOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Emit a MaxPool of data laid out window by window.

    Narrow windows are padded with their last element. Error: `unknown-length` if the windows are not known.
    """
    axes = _axes(op, build)
    kernel = _regular(axes)
    data, tables = op.data, []
    if kernel is None:
        kernel = []
        for axis in axes:
            width, steps, begin = axis.width.array, axis.steps.array, axis.begin.array
            if width is None or steps is None or begin is None:
                raise Error(
                    "unknown-length",
                    "the windows of an adaptive maximum are not known before the program runs",
                    hint="fix the shapes of the inputs",
                )
            kernel.append(steps.shape[1])
            tables.append((begin + np.minimum(steps, width - 1)).astype(np.int32).reshape(-1))
        data = build.make(
            ResampleOp,
            data,
            [build.constant(t) for t in tables],
            attributes={"axes": list(range(2, 2 + len(axes)))},
        )
    values, positions = build.make_all(
        MaxPoolOp,
        data,
        attributes={
            "kernel": kernel,
            "strides": kernel,
            "axis": 2,
            "index_element_type": op.index_element_type,
        },
        results=2,
    )
    return [values, _original(op, build, positions, axes, tables) if tables else positions]


def _original(
    op: AdaptiveMaxPoolOp,
    build: GraphBuilder,
    positions: SSAValue,
    axes: Sequence[_Axis],
    tables: Sequence[np.ndarray],
) -> SSAValue:
    """Flat positions in the data for those in the windows' layout."""
    element = op.index_element_type
    result: SSAValue | None = None
    step = 1
    for axis, table in reversed(list(zip(axes, tables))):
        length = build.scalar(len(table), element)
        place = build.make(ModOp, positions, length)
        positions = build.make(DivideOp, positions, length)
        extent = axis.extent.array
        assert extent is not None
        steps = build.constant((table.astype(np.int64) * step).astype(np.int64))
        term = build.make(GatherOp, steps, place, build.scalar(0, i64))
        result = term if result is None else build.make(AddOp, result, term)
        step *= int(extent)
    assert result is not None
    if element != i64:
        result = build.make(ConvertOp, result, attributes={"destination_type": element})
    return result


class _Axis:
    """Windows of one axis, all as f32.

    `begin` and `width` are `[windows, 1]`; `steps` `[1, widest]` counts up.
    """

    def __init__(self, terms: Terms, extent: Term, count: Term) -> None:
        self.extent = extent
        # Of no windows nothing is computed, but the tables' extents must not follow from a division by 0.
        d, n = extent.to(f32), count.max(1).to(f32)
        i = terms.arange(count)
        begin = (i * d / n).floor()
        width = ((i + 1.0) * d / n).ceil() - begin
        self.begin, self.width = begin.insert_axes(1), width.insert_axes(1)
        self.last = d - 1.0
        widest = (d / n).floor() + 2.0
        if width.array is not None:
            widest = terms.number(float(width.array.max(initial=1)))
        self.steps = terms.arange(widest.to(i64)).insert_axes(0)


def _axes(op: AdaptivePoolingOp, build: GraphBuilder) -> list[_Axis]:
    """Error: `unknown-rank` where the rank is not known."""
    terms, sizes = Terms(build), Sizes(build)
    if build.fact(op.data).shape is None:
        raise Error("unknown-rank", "the rank of the data is not known", hint="fix the shapes of the inputs")
    if build.fact(op.output_shape).value is None:
        op.operands[1] = require_at_least(
            build, op.output_shape, op.output_shape, 0, f"output_shape of {op.name} has a negative extent"
        )
    for size in sizes.of(op.data)[2:]:
        if not isinstance(size, int):
            op.operands[0] = require_at_least(build, op.data, size, 1, f"{op.name} has nothing to pool")
    target = terms.of(op.output_shape)
    extents = terms.extents(op.data)[2:]
    return [_Axis(terms, extent, target.at(k).to(i64)) for k, extent in enumerate(extents)]


def _regular(axes: Sequence[_Axis]) -> list[int] | None:
    """Return the kernel if all windows are equally wide and adjacent.

    This must hold for every axis.
    """
    kernel: list[int] = []
    for axis in axes:
        extent, width = axis.extent.array, axis.width.array
        if extent is None or width is None or not width.size or int(extent) % len(width):
            return None
        kernel.append(int(extent) // len(width))
    return kernel


@decomposes(DeformableConvolutionOp)
def deformable_convolution(op: DeformableConvolutionOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Multiply the filters with a matrix of sampled elements.

    Its columns are the samples of each channel for every element of the kernel. Every sample is taken once, for all output
    channels together.
    """
    return [_Deformable(op, build).result()]


class _Deformable:
    def __init__(self, op: DeformableConvolutionOp, build: GraphBuilder) -> None:
        self.op, self.build, self.terms = op, build, Terms(build)
        filters = build.fact(op.filters).shape
        kernel = [k.static for k in filters[2:]] if filters is not None else []
        if not kernel or any(k is None for k in kernel) or build.fact(op.offsets).shape is None:
            raise Error("unknown-kernel", "the spatial extents of the filters of a convolution are not known")
        self.kernel = [k for k in kernel if k is not None]
        self.windows = op.windows(self.kernel)
        self._require_places()
        self.data = op.data
        if build.fact(op.data).shape is None:
            raise Error("unknown-kernel", "the rank of the data of a convolution is not known")
        self.batch, self.channels, *self.extents = self.terms.extents(op.data)
        self.outputs = self.terms.extents(op.offsets)[2:]
        self.taps = self.kernel[0] * self.kernel[1]
        self.moved = to_int(op.deformable_group)

    def _require_places(self) -> None:
        """There are offsets for as many places as the windows have."""
        op, sizes = self.op, Sizes(self.build)
        for window, extent, places in zip(self.windows, sizes.of(op.data)[2:], sizes.of(op.offsets)[2:]):
            if isinstance(extent, int) and isinstance(places, int):
                continue
            if window.is_same:
                count = sizes.floordiv(sizes.add(extent, window.stride - 1), window.stride)
            else:
                begin, end = window.padding(0)
                room = sizes.add(extent, begin + end - window.span)
                count = sizes.add(sizes.floordiv(room, window.stride), 1)
            reason = f"offsets of {op.name} do not fit the windows"
            op.operands[1] = require_equal(self.build, op.offsets, places, count, reason)
            if not isinstance(count, int):
                fits = f"a window of {op.name} does not fit the data"
                op.operands[1] = require_at_least(
                    self.build, op.offsets, count, 0 if window.is_same else 1, fits
                )

    def _number(self, value: int) -> Term:
        return self.terms.number(value, i64)

    def _reshape(self, value: SSAValue, shape: Sequence[Term]) -> SSAValue:
        return self.build.make(ReshapeOp, value, self.terms.vector(shape).value)

    def _over(self, whole: Term, parts: int) -> Term:
        """An extent divided by a number of groups, which divides it."""
        if whole.array is not None:
            return self._number(int(whole.array) // parts)
        return self._number(-1) if parts > 1 else whole

    def result(self) -> SSAValue:
        build, filters = self.build, self.terms.extents(self.op.filters)
        high, wide = self.outputs
        batches = self.batch * self.moved
        places, outside = zip(*(self._coordinates(axis, batches) for axis in range(2)))
        # GridSample wants the last axis first.
        ends = [build.make(UnsqueezeOp, p, build.integers([-1])) for p in reversed(places)]
        grid = build.make(ConcatOp, ends, attributes={"axis": -1})
        rows = high * self.taps
        grid = self._reshape(grid, [batches, rows, wide, self._number(2)])
        data = self._reshape(self.data, [batches, self._over(self.channels, self.moved), *self.extents])
        pad = to_bool(self.op.bilinear_interpolation_pad)
        samples = build.make(
            GridSampleOp,
            data,
            grid,
            attributes={"padding_mode": "zeros" if pad else "border", "pixels": True},
        )
        flat = [batches, self._number(1), rows, wide]
        if not pad:
            for mask in outside:
                samples = build.make(SelectOp, self._reshape(mask, flat), build.like(0.0, samples), samples)
        if self.op.mask is not None:
            samples = build.make(MultiplyOp, samples, self._reshape(self.op.mask, flat))
        # [N, G, C / G * taps, outputs]: the samples of an offset group's channels lie together.
        group = to_int(self.op.group)
        taken = filters[1] if filters[1].array is not None else self._over(self.channels, group)
        per_group = taken if taken.array is None else taken * self.taps
        area = high * wide
        columns = self._reshape(samples, [self.batch, self._number(group), per_group, area])
        weights = self._reshape(
            self.op.filters, [self._number(group), self._over(filters[0], group), per_group]
        )
        product = build.make(MatMulOp, weights, columns)
        return self._reshape(product, [self.batch, filters[0], high, wide])

    def _coordinates(self, axis: int, batches: Term) -> tuple[SSAValue, SSAValue]:
        """Return the positions of the samples along an axis.

        The second result marks the samples that lie outside of the data. Both are `[N * groups, taps, outputs …]`.
        """
        build, terms = self.build, self.terms
        window, extent = self.windows[axis], self.extents[axis].to(f32)
        shape = [batches, self._number(self.taps), self._number(2), *self.outputs]
        offsets = build.make(
            GatherOp,
            self._reshape(self.op.offsets, shape),
            build.scalar(axis, i64),
            build.scalar(2, i64),
        )
        if build.fact(offsets).element != f32:
            offsets = build.make(ConvertOp, offsets, attributes={"destination_type": f32})
        first = terms.arange(self.outputs[axis]) * float(window.stride) - self._begin(window, axis)
        claim(self.kernel, np.dtype(np.int64))
        taps = np.broadcast_to(along(self.kernel[axis], axis, len(self.kernel)), self.kernel).reshape(-1)
        steps = taps.astype(np.float32) * np.float32(window.dilation)
        base = first.insert_axes(0) + terms.known(steps[:, None])
        # [taps, outputs] beside [N * groups, taps, H outputs, W outputs].
        place = terms.unknown(offsets) + base.insert_axes(1 if axis else 2)
        outside = place.less(0.0).either(place.at_least(extent))
        return place.value, outside.value

    def _begin(self, window: Window, axis: int) -> Term:
        """The padding at the beginning, as a float."""
        terms = self.terms
        if not window.is_same:
            return terms.number(float(0 if window.auto_pad == "valid" else window.pad_begin))
        extent, count = self.extents[axis].to(f32), self.outputs[axis].to(f32)
        total = ((count - 1.0) * float(window.stride) + float(window.span) - extent).max(0.0)
        half = (total * 0.5).floor()
        return half if window.auto_pad == "same_upper" else total - half
