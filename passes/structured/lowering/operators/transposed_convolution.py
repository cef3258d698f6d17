"""Lowering of transposed convolutions.

Each element of the result sums over the elements that reach it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.ov.operators.transposed_convolution import (
    ConvolutionBackpropDataOp,
    GroupConvolutionBackpropDataOp,
    TransposedConvolution,
    TransposedWindow,
)
from loomir.errors import Error
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.filling import filled_by_loops, summed
from loomir.passes.structured.lowering.places import read
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath, wide
from loomir.passes.structured.lowering.shaped import Shaped
from loomir.passes.structured.lowering.sums import multiply_add


@lowers(ConvolutionBackpropDataOp, GroupConvolutionBackpropDataOp)
def transposed_convolution(op: TransposedConvolution, low: Lowering) -> Shaped:
    """Emit loops over n, o, the result's positions, c and the kernel.

    The inner loops run over c and the elements of the kernel that meet data at the position. Several o are computed at
    once; they share the reads of the data and have neighbouring weights.

    There are no scattered sums, no multiplications by zeros, and no code for each phase of the strides: the part of the
    kernel that an element needs is computed once per axis (see `_Taps`), outside the loops over channels and kernel.
    Compared to a convolution of data with zeros inserted, this takes half to a quarter of the time with strides of 2 (gcc
    -O2, x86-64).
    """
    return _TransposedConvolution(op, low).lower()


class _TransposedConvolution:
    def __init__(self, op: TransposedConvolution, low: Lowering) -> None:
        self.op, self.low = op, low
        self.x = low.operand(op.data)
        f = low.operand(op.filters)
        self.rank = self.x.rank - 2
        kernel = f.dims[-self.rank :]
        numbers = [k for k in kernel if isinstance(k, int)]
        if len(numbers) != self.rank:
            raise Error("unknown-kernel", "the spatial extents of the filters of a convolution are not known")
        self.windows = op.windows(numbers)
        self.groups: Extent = f.dims[0] if op.GROUPED else 1
        self.channels, self.produced = f.dims[-self.rank - 2], f.dims[-self.rank - 1]
        low.assert_(
            low.compare("eq", self.x.dims[1], low.mul(self.groups, self.channels)),
            "shape: the channels of a convolution differ",
        )
        self.filters = self._ordered(f)

    def _ordered(self, f: Shaped) -> Shaped:
        """Return constant filters in the order in which they are read.

        The order is [(G,) C_in, kernel …, C_out].
        """
        array = f.array
        self.packed = array is not None and f.splat is None
        if array is None or not self.packed:
            return f
        return self.low.of_array(
            np.ascontiguousarray(np.moveaxis(array, f.rank - self.rank - 1, -1)), anchor=f.anchor
        )

    @property
    def _together(self) -> int:
        """How many output channels of a group are computed at once."""
        if not isinstance(self.produced, int):
            return 1
        return next(n for n in (8, 4, 2, 1) if self.produced % n == 0)

    def lower(self) -> Shaped:
        low, x = self.low, self.x
        given = [None] * self.rank if self.op.output_shape is None else self._given(self.op.output_shape)
        taps = [_Taps(low, w, d, _begin(low, w, d, e)) for w, d, e in zip(self.windows, x.dims[2:], given)]
        extents = [
            e if e is not None else low.max(low.add(low.mul(low.sub(d, 1), w.stride), w.kept), 0)
            for w, d, e in zip(self.windows, x.dims[2:], given)
        ]
        dest = low.destination(self.op.output, [x.dims[0], low.mul(self.groups, self.produced), *extents])
        _ = x.value, self.filters.splat or self.filters.value  # constants are made here, not in the loops

        def entered(axis: int, index: SSAValue) -> None:
            if axis >= 2:
                taps[axis - 2].enter(index)

        return filled_by_loops(
            low, dest, lambda at: self._elements(at, taps), entered=entered, block=(1, self._together)
        )

    def _given(self, output_shape: SSAValue) -> list[Extent | None]:
        extents: list[Extent | None] = [*self.low.ints(self.low.operand(output_shape))]
        for extent in extents:
            assert extent is not None
            self.low.assert_(self.low.compare("sge", extent, 0), "shape: an output shape is negative")
        return extents

    def _elements(self, at: list[SSAValue], taps: list[_Taps]) -> list[SSAValue]:
        """The result's elements of some neighbouring channels at one place."""
        low, element = self.low, self.x.element
        total_type = wide(element)
        step = multiply_add(low, element)
        group: list[Extent] = []
        produced: Extent = at[1]
        if self.op.GROUPED:
            group, produced = [low.floordiv(at[1], self.produced)], low.rem(at[1], self.produced)
        first = low.mul(group[0], self.channels) if group else 0
        channels = [low.add(produced, k) for k in range(self._together)]

        def term(indices: list[SSAValue], totals: Sequence[SSAValue]) -> Sequence[SSAValue]:
            c, pairs = indices[0], [t.at(j) for t, j in zip(taps, indices[1:])]
            a = read(low, self.x, [at[0], low.add(first, c), *(i for _, i in pairs)])
            kernel = [k for k, _ in pairs]
            places = [[c, *kernel, o] if self.packed else [c, o, *kernel] for o in channels]
            return [step(a, read(low, self.filters, [*group, *p]), t) for p, t in zip(places, totals)]

        zero = low.constant(0, total_type)
        totals = summed(
            low,
            [zero] * len(channels),
            [(0, self.channels), *((t.lower, t.upper) for t in taps)],
            term,
        )
        return [ScalarMath(low).convert(t, total_type, element) for t in totals]


def _begin(low: Lowering, window: TransposedWindow, extent: Extent, given: Extent | None) -> Extent:
    """The padding at the beginning, as `TransposedWindow.padding`."""
    if given is None:
        return window.padding(0, None)
    if isinstance(extent, int) and isinstance(given, int):
        return window.padding(extent, given)
    whole = low.add(low.mul(low.sub(extent, 1), window.stride), window.span + window.output_padding)
    total = low.max(low.sub(whole, given), 0)
    half = low.floordiv(total, 2)
    return low.sub(total, half) if window.auto_pad == "same_upper" else half


@dataclass
class _Taps:
    """Kernel elements that meet data at position y of a result axis.

    They are the k with `k * dilation + i * stride = y + begin` for an i inside the data. Let g be the greatest common
    divisor of stride and dilation. If g does not divide y + begin, there are none; otherwise they are every `stride / g`-th
    from the first, while i decreases by `dilation / g`. `lower` and `upper` bound the number j of such steps. With a stride
    of 1 there is no division, with a dilation of 1 there is one only once per position.
    """

    low: Lowering
    window: TransposedWindow
    extent: Extent
    begin: Extent
    lower: Extent = 0
    upper: Extent = 0
    _first: tuple[Extent, Extent] = (0, 0)

    def enter(self, place: SSAValue) -> None:
        """Emit what depends on the place only."""
        low, w = self.low, self.window
        common = gcd(w.stride, w.dilation)
        k_step, i_step = w.stride // common, w.dilation // common
        y = low.add(place, self.begin)
        reduced = low.floordiv(y, common)
        inverse = pow(i_step, -1, k_step)
        k = self._modulo(reduced, k_step)
        if inverse > 1:
            k = low.rem(low.mul(k, inverse), k_step)
        i = low.floordiv(low.sub(y, low.mul(k, w.dilation)), w.stride)
        self._first = (k, i)
        self.lower = low.max(low.ceildiv(low.sub(low.add(i, 1), self.extent), i_step), 0)
        count = low.ceildiv(low.sub(w.kernel, k), k_step)
        self.upper = low.min(low.add(low.floordiv(i, i_step), 1), count)
        if common > 1:
            missed = low.compare("ne", low.sub(y, low.mul(reduced, common)), 0)
            self.upper = low.select(missed, 0, self.upper)

    def _modulo(self, a: Extent, by: int) -> Extent:
        """The remainder that is not negative."""
        if by == 1:
            return 0
        if isinstance(self.begin, int) and self.begin >= 0:
            return self.low.rem(a, by)
        return self.low.sub(a, self.low.mul(self.low.floordiv(a, by), by))

    def at(self, step: SSAValue) -> tuple[Extent, Extent]:
        """The kernel's and the data's element of a step."""
        low, w = self.low, self.window
        common = gcd(w.stride, w.dilation)
        k, i = self._first
        return (
            low.add(k, low.mul(step, w.stride // common)),
            low.sub(i, low.mul(step, w.dilation // common)),
        )
