"""Lowerings of MatMul, convolutions and transposed convolutions.

Each element of a transposed convolution's result sums over the elements that reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.convolution import (
    ConvolutionBackpropDataOp,
    ConvolutionOp,
    GroupConvolutionBackpropDataOp,
    GroupConvolutionOp,
    TransposedConvolution,
    TransposedWindow,
)
from loomir.errors import Error
from loomir.passes.structured.lib.builder import Extent
from loomir.passes.structured.lib.elements import filled_by_loops, read, summed
from loomir.passes.structured.lib.generics import (
    access,
    broadcast_extents,
    broadcast_to,
    dims_map,
    multiply_add,
    padded,
    reduced,
    window_count,
    window_exprs,
)
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath, wide
from loomir.passes.structured.lib.tensor_builder import Shaped


@lowers(MatMulOp)
def mat_mul(op: MatMulOp, low: Lowering) -> Shaped:
    """Emit one generic over batch …, M, N, K.

    A dimension that a 1-D operand lacks has no loop.
    """
    a, b = low.operand(op.a), low.operand(op.b)
    # What a batch dimension is at run time has to be known for a map: widen an operand where it is not.
    batch = broadcast_extents(low, [a.dims[:-2], b.dims[:-2]])
    bounds = low.bounds_of(op.output)[: len(batch)]
    a, b = (_definite(low, x, batch, bounds) for x in (a, b))
    swap_a = to_bool(op.transpose_a) and a.rank > 1
    swap_b = to_bool(op.transpose_b) and b.rank > 1
    inner_a = a.dims[-2] if swap_a else a.dims[-1]
    inner_b = b.dims[-1] if swap_b or b.rank == 1 else b.dims[-2]
    low.assert_(low.compare("eq", inner_a, inner_b), "shape: the inner extents of a matrix product differ")

    rows: list[Extent] = [] if a.rank == 1 else [a.dims[-1] if swap_a else a.dims[-2]]
    columns: list[Extent] = [] if b.rank == 1 else [b.dims[-2] if swap_b else b.dims[-1]]
    dims = [*batch, *rows, *columns]
    loops = len(dims) + 1
    row, column, inner = len(batch), len(batch) + len(rows), loops - 1
    a_places = [inner] if a.rank == 1 else [inner, row] if swap_a else [row, inner]
    b_places = [inner] if b.rank == 1 else [column, inner] if swap_b else [inner, column]
    return reduced(
        low,
        op.output,
        [a, b],
        [_map(low, x, batch, places, loops) for x, places in ((a, a_places), (b, b_places))],
        ["parallel"] * len(dims) + ["reduction"],
        dims,
        range(len(dims)),
        initial=0,
        accumulator=wide(a.element),
        body=multiply_add(low, a.element),
    )


def _batch(low: Lowering, x: Shaped) -> Shaped:
    """Return a stand-in with only the batch dimensions, to determine their access."""
    return Shaped(low, None, x.element, x.dims[:-2], x.bounds[:-2])


def _definite(low: Lowering, x: Shaped, batch: Sequence[Extent], bounds: Sequence[int]) -> Shaped:
    if x.rank <= 2 or access(low, _batch(low, x), batch).map is not None:
        return x
    return broadcast_to(low, x, [*batch, *x.dims[-2:]], [*bounds, *x.bounds[-2:]])


def _map(low: Lowering, x: Shaped, batch: Sequence[Extent], places: Sequence[int], loops: int) -> AffineMap:
    leading: tuple[AffineExpr, ...] = ()
    if x.rank > 2:
        found = access(low, _batch(low, x), batch, count=loops).map
        assert found is not None
        leading = found.results
    return AffineMap(loops, 0, (*leading, *(AffineExpr.dimension(p) for p in places)))


@lowers(ConvolutionOp)
def convolution(op: ConvolutionOp, low: Lowering) -> Shaped:
    """Pad the data, then emit a generic.

    Its loops are n, o, windows …, c, kernel ….
    """
    x, f = low.operand(op.data), low.operand(op.filters)
    rank = x.rank - 2
    windows = op.windows(_kernel(f, 2))
    low.assert_(low.compare("eq", x.dims[1], f.dims[1]), "shape: the channels of a convolution differ")
    counts = [window_count(low, w, d) for w, d in zip(windows, x.dims[2:])]
    data, _ = padded(low, x, windows, counts, 2, 0)
    loops = 3 + 2 * rank
    n, o, c = 0, 1, 2 + rank
    outer, inner = range(2, 2 + rank), range(3 + rank, loops)
    read = AffineMap(
        loops, 0, (AffineExpr.dimension(n), AffineExpr.dimension(c), *window_exprs(windows, outer, inner))
    )
    shape, shape_maps = _extents_of_splat(low, f, 1, loops, [c, *inner])
    return reduced(
        low,
        op.output,
        [data, f, *shape],
        [read, dims_map(loops, [o, c, *inner]), *shape_maps],
        ["parallel"] * (2 + rank) + ["reduction"] * (1 + rank),
        [x.dims[0], f.dims[0], *counts],
        [n, o, *outer],
        initial=0,
        accumulator=wide(x.element),
        body=_products(low, x.element),
    )


def _extents_of_splat(
    low: Lowering, filters: Shaped, first: int, loops: int, places: Sequence[int]
) -> tuple[list[SSAValue], list[AffineMap]]:
    """Return an operand that only conveys loop extents, and its map.

    It conveys the extents of the loops over channels and kernel. It is needed if the filters are a splat: they are then
    passed as a scalar, which does not convey these extents.
    """
    if filters.splat is None:
        return [], []
    extents = [d for d in filters.dims[first:] if isinstance(d, int)]
    return [low.empty(low.index(0).type, extents)], [dims_map(loops, places)]


def _products(low: Lowering, element: Attribute) -> Callable[..., SSAValue]:
    """`multiply_add` of the first two elements and the last."""
    step = multiply_add(low, element)
    return lambda *elements: step(elements[0], elements[1], elements[-1])


@lowers(GroupConvolutionOp)
def group_convolution(op: GroupConvolutionOp, low: Lowering) -> Shaped:
    """Emit a generic over n, g, o, windows …, c, kernel ….

    The lowering is that of a convolution, on data and result whose channels are split into g and c.
    """
    x, f = low.operand(op.data), low.operand(op.filters)
    rank = x.rank - 2
    windows = op.windows(_kernel(f, 3))
    groups, produced, channels = f.dims[:3]
    low.assert_(
        low.compare("eq", x.dims[1], low.mul(groups, channels)), "shape: the channels of a convolution differ"
    )
    counts = [window_count(low, w, d) for w, d in zip(windows, x.dims[2:])]
    split = low.reshape(
        x,
        [x.dims[0], groups, channels, *x.dims[2:]],
        [x.bounds[0], f.bounds[0], f.bounds[2], *x.bounds[2:]],
    )
    data, _ = padded(low, split, windows, counts, 3, 0)
    dims: list[Extent] = [x.dims[0], groups, produced, *counts]
    bounds = low.bounds_of(op.output)
    out = low.new(dims, wide(x.element), [bounds[0], f.bounds[0], f.bounds[1], *bounds[2:]])
    loops = 4 + 2 * rank
    outer, c, inner = range(3, 3 + rank), 3 + rank, range(4 + rank, loops)
    read = AffineMap(
        loops,
        0,
        (
            AffineExpr.dimension(0),
            AffineExpr.dimension(1),
            AffineExpr.dimension(c),
            *window_exprs(windows, outer, inner),
        ),
    )
    shape, shape_maps = _extents_of_splat(low, f, 2, loops, [c, *inner])
    (made,) = low.generic(
        [data, f, *shape],
        [low.fill(low.constant(0, wide(x.element)), out)],
        [read, dims_map(loops, [1, 2, c, *inner]), *shape_maps, dims_map(loops, range(3 + rank))],
        ["parallel"] * (3 + rank) + ["reduction"] * (1 + rank),
        _products(low, x.element),
    )
    joined = low.reshape(made, [x.dims[0], low.mul(groups, produced), *counts], bounds)
    return _narrowed(low, op, joined)


def _narrowed(low: Lowering, op: GroupConvolutionOp, total: Shaped) -> Shaped:
    from loomir.passes.structured.lib.generics import elementwise
    from loomir.passes.structured.lib.scalars import ScalarMath

    element = op.output.type.element_type
    if total.element == element:
        return total
    return elementwise(low, op.output, [total], lambda v: ScalarMath(low).convert(v, total.element, element))


def _kernel(filters: Shaped, first: int) -> list[int]:
    """The spatial extents of the filters, which must be numbers."""
    extents = filters.dims[first:]
    if not all_static(extents):
        raise Error("unknown-kernel", "the spatial extents of the filters of a convolution are not known")
    return list(extents)


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
