"""Lowerings of ROIAlign and ROIPooling: loops over regions and bins.

What depends on a sample's place only is computed once for all channels; the sums or maxima of a bin are kept in a
buffer with one element per channel.

`Rois` has what both share.
"""

from __future__ import annotations

import math as _math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, math, tensor
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i32
from loomir.dialects.ov.attributes import to_float
from loomir.dialects.ov.operators.roi import MOST_SAMPLES, ROIAlignOp, RoiOp, ROIPoolingOp
from loomir.passes.structured.lib.builder import Extent
from loomir.passes.structured.lib.elements import read
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath, wide
from loomir.passes.structured.lib.sorts import both, buffer_for, either_of, packed, truth
from loomir.passes.structured.lib.tensor_builder import Shaped


class Rois:
    """Operands, arithmetic in the computation's type, and the destination of results."""

    def __init__(self, op: RoiOp, low: Lowering) -> None:
        self.low, self.s = low, ScalarMath(low)
        self.image, self.rois = low.operands(op)[:2]
        self.element = self.image.element
        self.acc = wide(self.element)
        self.batches, self.channels, self.height, self.width = self.image.dims
        self.regions = self.rois.dims[0]
        for extent in (self.height, self.width):
            low.assert_(low.compare("sge", extent, 1), "shape: regions of an image without pixels")
        self.rows, self.columns = op.pooled
        self.scale = self.number(to_float(op.spatial_scale))
        self.result = op.output
        _ = self.image.value, self.rois.value  # constants are made here, not inside of the loops

    # -- scalars

    def number(self, value: float) -> SSAValue:
        return self.low.constant(value, self.acc)

    def coordinate(self, r: Extent, k: int) -> SSAValue:
        """A number of a region's description."""
        return self.s.convert(read(self.low, self.rois, [r, k]), self.element, self.acc)

    def pixel(self, b: Extent, c: Extent, y: Extent, x: Extent) -> SSAValue:
        return self.s.convert(read(self.low, self.image, [b, c, y, x]), self.element, self.acc)

    def real(self, extent: Extent) -> SSAValue:
        """An extent as a float."""
        if isinstance(extent, int):
            return self.number(extent)
        return self.s.convert(self.low.from_index(extent, i32), i32, self.acc)

    def whole(self, value: SSAValue) -> SSAValue:
        """Convert a float to an index.

        It is rounded towards zero and limited to 32 bits; NaN becomes 0.
        """
        return self.low.to_index(self.s.convert(value, self.acc, i32))

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.add(a, b, self.acc)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.sub(a, b, self.acc)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.mul(a, b, self.acc)

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.low.insert(arith.DivfOp(a, b)).result

    def outside(self, value: SSAValue, least: SSAValue, greatest: SSAValue) -> SSAValue:
        """Return the condition that a number is outside a range.

        It holds below and above the range; a NaN is neither.
        """
        below = self.s.compare("lt", value, least, self.acc)
        return either_of(self.low, below, self.s.compare("gt", value, greatest, self.acc))

    # -- loops

    def check_batch(self, batch: Extent) -> None:
        low = self.low
        inside = both(low, low.compare("sge", batch, 0), low.compare("slt", batch, self.batches))
        low.assert_(inside, "index: a region of a batch that is not there")

    def place(self, r: Extent, c: Extent, p: Extent, q: Extent) -> SSAValue:
        """Where an element is in the flat result."""
        low = self.low
        row = low.add(low.mul(low.add(low.mul(r, self.channels), c), self.rows), p)
        return low.index(low.add(low.mul(row, self.columns), q))

    def store(self, flat: SSAValue, value: SSAValue, at: SSAValue) -> SSAValue:
        value = self.s.convert(value, self.acc, self.element)
        return self.low.insert(tensor.InsertOp(value, flat, [at])).result

    def finished(self, flat: SSAValue, bounds: Sequence[int]) -> Shaped:
        dims = [self.regions, self.channels, self.rows, self.columns]
        return packed(self.low, flat, self.element, dims, bounds)


_Rows = Callable[[SSAValue], Callable[[SSAValue], Callable[[SSAValue], SSAValue]]]
"""Curried emitter of a region's values.

The arguments are a row of bins, a column of bins, and a channel. Each stage emits the code that it needs only once.
"""


@lowers(ROIAlignOp)
def roi_align(op: ROIAlignOp, low: Lowering) -> Shaped:
    """See `_Align`."""
    return _Align(op, low).lower()


@dataclass(frozen=True)
class _Sample:
    """Position of a sample on one axis.

    It consists of the pixels on both sides, the weight of the second, and the condition that the sample is outside.
    """

    first: SSAValue
    second: SSAValue
    weight: SSAValue
    outside: SSAValue


@dataclass(frozen=True)
class _Bins:
    """The bins of one region along one axis."""

    start: SSAValue
    length: SSAValue
    grid: Extent
    extent: Extent


class _Align(Rois):
    """Loops over regions, bins, samples, channels; `sums` holds one accumulator per channel."""

    def __init__(self, op: ROIAlignOp, low: Lowering) -> None:
        super().__init__(op, low)
        self.op = op
        self.indices = low.operand(op.batch_indices)
        _ = self.indices.value

    def lower(self) -> Shaped:
        low = self.low
        flat, _, bounds = buffer_for(low, self.op.output)
        sums = low.empty(self.acc, [max(bounds[1], 1)])
        flat, _ = low.for_(0, self.regions, [flat, sums], self._region)
        return self.finished(flat, bounds)

    def _region(self, r: SSAValue, buffers: Sequence[SSAValue]) -> Sequence[SSAValue]:
        low = self.low
        batch = low.to_index(read(low, self.indices, [r]), unsigned=self.indices.unsigned)
        self.check_batch(batch)
        before, after = (self.number(o) for o in self.op.offsets)
        x1, y1, x2, y2 = (
            self.add(self.mul(self.add(self.coordinate(r, k), before), self.scale), after) for k in range(4)
        )
        height, width = self.sub(y2, y1), self.sub(x2, x1)
        if not any(self.op.offsets):
            height, width = (self.s.maximum(d, self.number(1), self.acc) for d in (height, width))
        y = self._bins(y1, height, self.rows, self.height)
        x = self._bins(x1, width, self.columns, self.width)
        samples = low.mul(y.grid, x.grid)
        some = low.compare("sgt", samples, 0)
        start = self.number(0 if self.op.averages else -_math.inf)
        if not self.op.averages and some is not True:
            start = self.s.select(truth(low, some), start, self.number(0))
        divisor = self.s.maximum(self.mul(self.real(y.grid), self.real(x.grid)), self.number(1), self.acc)

        def bin_(p: SSAValue, q: SSAValue, flat: SSAValue, sums: SSAValue) -> Sequence[SSAValue]:
            sums = self._each_channel(sums, lambda c, _: start)
            (sums,) = low.for_(0, y.grid, [sums], lambda i, s: self._row(batch, y, x, p, q, i, s[0]))

            def write(c: SSAValue, now: Sequence[SSAValue]) -> Sequence[SSAValue]:
                total = low.insert(tensor.ExtractOp(sums, [c], self.acc)).result
                value = self.div(total, divisor) if self.op.averages else total
                return [self.store(now[0], value, self.place(r, c, p, q))]

            return [*low.for_(0, self.channels, [flat], write), sums]

        return low.for_(
            0,
            self.rows,
            buffers,
            lambda p, outer: low.for_(0, self.columns, outer, lambda q, inner: bin_(p, q, *inner)),
        )

    def _bins(self, start: SSAValue, length: SSAValue, pooled: int, extent: Extent) -> _Bins:
        low = self.low
        length = self.div(length, self.number(pooled))
        grid: Extent = self.op.ratio
        if not grid:
            grid = low.max(self.whole(low.insert(math.CeilOp(length)).result), 0)
            low.assert_(low.compare("sle", grid, MOST_SAMPLES), "limit: a region of interest is too large")
        return _Bins(start, length, grid, extent)

    def _each_channel(
        self, sums: SSAValue, value: Callable[[SSAValue, SSAValue | None], SSAValue], *, reads: bool = False
    ) -> SSAValue:
        """Every accumulator replaced by `value(channel, accumulator)`."""
        low = self.low

        def body(c: SSAValue, now: Sequence[SSAValue]) -> Sequence[SSAValue]:
            old = low.insert(tensor.ExtractOp(now[0], [c], self.acc)).result if reads else None
            return [low.insert(tensor.InsertOp(value(c, old), now[0], [c])).result]

        return low.for_(0, self.channels, [sums], body)[0]

    def _sample(self, bins: _Bins, p: SSAValue, i: SSAValue) -> _Sample:
        """Sample i of bin p."""
        low, s = self.low, self.s
        within = self.mul(self.add(self.real(i), self.number(0.5)), bins.length)
        within = self.div(within, self.real(bins.grid))
        place = self.add(self.add(bins.start, self.mul(self.real(p), bins.length)), within)
        outside = self.outside(place, self.number(-1), self.real(bins.extent))
        place = s.maximum(place, self.number(0), self.acc)
        last = low.sub(bins.extent, 1)
        first = low.index(low.min(self.whole(place), last))
        at_end = truth(low, low.compare("sge", first, last))
        second = low.index(low.select(at_end, first, low.add(first, 1)))
        weight = s.select(at_end, self.number(0), self.sub(place, self.real(first)))
        return _Sample(first, second, weight, outside)

    def _row(
        self, batch: Extent, ys: _Bins, xs: _Bins, p: SSAValue, q: SSAValue, i: SSAValue, sums: SSAValue
    ) -> Sequence[SSAValue]:
        """Take in one row of samples."""
        low = self.low
        y = self._sample(ys, p, i)

        def take(j: SSAValue, now: Sequence[SSAValue]) -> Sequence[SSAValue]:
            x = self._sample(xs, q, j)
            outside = either_of(low, y.outside, x.outside)
            return low.if_(
                outside,
                [sums.type],
                lambda: [self._nothing(now[0])],
                lambda: [self._interpolate(batch, y, x, now[0])],
            )

        return low.for_(0, xs.grid, [sums], take)

    def _nothing(self, sums: SSAValue) -> SSAValue:
        """Take in a 0."""
        if self.op.averages:
            return sums
        zero = self.number(0)
        return self._each_channel(sums, lambda _, old: self._greater(old, zero), reads=True)

    def _greater(self, old: SSAValue | None, value: SSAValue) -> SSAValue:
        assert old is not None
        return self.s.maximum(old, value, self.acc)

    def _interpolate(self, batch: Extent, y: _Sample, x: _Sample, sums: SSAValue) -> SSAValue:
        """Take in the pixels around a sample."""
        one = self.number(1)
        before_y, before_x = self.sub(one, y.weight), self.sub(one, x.weight)
        corners = [
            (row, column, self.mul(a, b))
            for row, a in ((y.first, before_y), (y.second, y.weight))
            for column, b in ((x.first, before_x), (x.second, x.weight))
        ]

        def value(c: SSAValue, old: SSAValue | None) -> SSAValue:
            parts = [self.mul(self.pixel(batch, c, row, column), w) for row, column, w in corners]
            corner_maxima = not self.op.averages and self.op.of_corners
            total = parts[0]
            for part in parts[1:]:
                total = self._greater(total, part) if corner_maxima else self.add(total, part)
            assert old is not None
            return self.add(old, total) if self.op.averages else self._greater(old, total)

        return self._each_channel(sums, value, reads=True)


@lowers(ROIPoolingOp)
def roi_pooling(op: ROIPoolingOp, low: Lowering) -> Shaped:
    """See `_Pooling`."""
    return _Pooling(op, low).lower()


class _Pooling(Rois):
    """Lowering of one ROIPooling.

    It loops over regions, bins and channels, and for maxima also over the pixels of a bin.
    """

    def __init__(self, op: ROIPoolingOp, low: Lowering) -> None:
        super().__init__(op, low)
        self.op = op

    def lower(self) -> Shaped:
        low = self.low
        flat, _, bounds = buffer_for(low, self.op.output)
        (flat,) = low.for_(0, self.regions, [flat], self._region)
        return self.finished(flat, bounds)

    def _region(self, r: SSAValue, flat: Sequence[SSAValue]) -> Sequence[SSAValue]:
        low = self.low
        batch = self.whole(self.coordinate(r, 0))
        self.check_batch(batch)
        corners = [self.coordinate(r, k) for k in range(1, 5)]
        channel = self._interpolated(batch, corners) if self.op.interpolates else self._maxima(batch, corners)

        def row(p: SSAValue, outer: Sequence[SSAValue]) -> Sequence[SSAValue]:
            in_row = channel(p)

            def column(q: SSAValue, inner: Sequence[SSAValue]) -> Sequence[SSAValue]:
                value = in_row(q)
                return low.for_(
                    0,
                    self.channels,
                    inner,
                    lambda c, now: [self.store(now[0], value(c), self.place(r, c, p, q))],
                )

            return low.for_(0, self.columns, outer, column)

        return low.for_(0, self.rows, flat, row)

    def _maxima(self, batch: SSAValue, corners: Sequence[SSAValue]) -> _Rows:
        """The maximum of each bin's pixels, 0 where it has none."""
        low = self.low
        x1, y1, x2, y2 = (
            self.whole(low.insert(math.RoundOp(self.mul(v, self.scale))).result) for v in corners
        )
        height, width = self._bin_length(y1, y2, self.rows), self._bin_length(x1, x2, self.columns)

        def in_row(p: SSAValue) -> Callable[[SSAValue], Callable[[SSAValue], SSAValue]]:
            top, bottom = self._edges(p, y1, height, self.height)

            def in_column(q: SSAValue) -> Callable[[SSAValue], SSAValue]:
                left, right = self._edges(q, x1, width, self.width)
                some = both(low, low.compare("slt", top, bottom), low.compare("slt", left, right))
                start = self.s.select(some, self.number(-_math.inf), self.number(0))

                def greatest(c: SSAValue) -> SSAValue:
                    def pixel(y: SSAValue, x: SSAValue, most: SSAValue) -> Sequence[SSAValue]:
                        return [self.s.maximum(most, self.pixel(batch, c, y, x), self.acc)]

                    return low.for_(
                        top,
                        bottom,
                        [start],
                        lambda y, outer: low.for_(left, right, outer, lambda x, most: pixel(y, x, most[0])),
                    )[0]

                return greatest

            return in_column

        return in_row

    def _bin_length(self, start: Extent, end: Extent, pooled: int) -> SSAValue:
        pixels = self.low.max(self.low.add(self.low.sub(end, start), 1), 1)
        return self.div(self.real(pixels), self.number(pooled))

    def _edges(self, p: SSAValue, start: Extent, length: SSAValue, extent: Extent) -> tuple[Extent, Extent]:
        """The pixels of bin p, within the image."""
        low = self.low
        first = self.whole(low.insert(math.FloorOp(self.mul(self.real(p), length))).result)
        behind = self.whole(low.insert(math.CeilOp(self.mul(self.real(low.add(p, 1)), length))).result)

        def limited(place: Extent) -> Extent:
            return low.min(low.max(low.add(place, start), 0), extent)

        return limited(first), limited(behind)

    def _interpolated(self, batch: SSAValue, corners: Sequence[SSAValue]) -> _Rows:
        """One interpolated value for each bin, 0 outside of the image."""
        low, s = self.low, self.s
        x1, y1, x2, y2 = corners

        def in_row(p: SSAValue) -> Callable[[SSAValue], Callable[[SSAValue], SSAValue]]:
            top, bottom, down, in_y = self._point(p, y1, y2, self.rows, self.height)

            def in_column(q: SSAValue) -> Callable[[SSAValue], SSAValue]:
                left, right, across, in_x = self._point(q, x1, x2, self.columns, self.width)
                inside = both(low, in_y, in_x)

                def between(a: SSAValue, b: SSAValue, weight: SSAValue) -> SSAValue:
                    return self.add(a, self.mul(self.sub(b, a), weight))

                def value(c: SSAValue) -> SSAValue:
                    high, deep = (
                        between(self.pixel(batch, c, y, left), self.pixel(batch, c, y, right), across)
                        for y in (top, bottom)
                    )
                    return s.select(inside, between(high, deep, down), self.number(0))

                return value

            return in_column

        return in_row

    def _point(
        self, p: SSAValue, start: SSAValue, end: SSAValue, pooled: int, extent: Extent
    ) -> tuple[Extent, Extent, SSAValue, SSAValue]:
        """Return the position of point p.

        It consists of the pixels on both sides, the weight of the second, and the condition that the point is inside.
        """
        low, s = self.low, self.s
        last = low.sub(extent, 1)
        span = self.real(last)
        if pooled == 1:
            place = self.mul(self.mul(self.number(0.5), self.add(start, end)), span)
        else:
            step = self.div(self.mul(self.sub(end, start), span), self.number(pooled - 1))
            place = self.add(self.mul(self.real(p), step), self.mul(start, span))
            at_end = truth(low, low.compare("eq", p, pooled - 1))
            place = s.select(at_end, self.mul(end, span), place)
        inside = both(
            low, s.compare("ge", place, self.number(0), self.acc), s.compare("le", place, span, self.acc)
        )
        first = self.whole(low.insert(math.FloorOp(place)).result)
        first = low.min(low.max(first, 0), last)
        return first, low.min(low.add(first, 1), last), self.sub(place, self.real(first)), inside
