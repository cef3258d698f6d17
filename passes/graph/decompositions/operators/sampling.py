"""Deformable convolution from GridSample and MatMul."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import f32, i64
from loomir.dialects.numerics.workspace import along, claim
from loomir.dialects.ov.attributes import to_bool, to_int
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, UnsqueezeOp
from loomir.dialects.ov.operators.sampling import DeformableConvolutionOp, GridSampleOp
from loomir.dialects.ov.windows import Window
from loomir.errors import Error
from loomir.passes.graph.decompositions import decomposes
from loomir.passes.graph.decompositions.extents import Sizes
from loomir.passes.graph.decompositions.requirements import require_at_least, require_equal
from loomir.passes.graph.decompositions.terms import Term, Terms


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
