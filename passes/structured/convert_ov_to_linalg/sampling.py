"""Lowerings of Resample and GridSample.

Resample becomes a `linalg.generic` whose body reads the data at positions from tables.

GridSample: positions and weights are computed once for each position of the grid; a loop over the channels follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.element_types import f32, i1, i64, is_float
from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.attributes import to_bool, to_ints, to_str
from loomir.dialects.ov.operators.interpolate import ResampleOp
from loomir.dialects.ov.operators.sampling import CUBIC, GridSampleOp
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.passes.structured.lib.builder import Extent
from loomir.passes.structured.lib.elements import (
    coordinates,
    filled_by_loops,
    in_bounds,
    projection,
    read,
    surely_inside,
)
from loomir.passes.structured.lib.generics import reduced
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath, wide
from loomir.passes.structured.lib.tensor_builder import Shaped

UNROLLED = 16
"""Maximum number of terms of a sum that is unrolled.

An unrolled sum needs no accumulator, and the result may be fused with its user.
"""


@lowers(ResampleOp)
def resample(op: ResampleOp, low: Lowering) -> Shaped:
    """See `_Resample`."""
    x = low.operand(op.data)
    axes = normalise_axes(to_ints(op.axes), x.rank)
    tables = [low.operand(t) for t in op.tables]
    weighted = to_bool(op.weighted)
    for table, axis in zip(tables[::2] if weighted else tables, axes):
        _assert_inside(low, table, x.dims[axis])
    work = _Resample(op, low, x, axes, tables)
    if not weighted:
        return work.picked()
    taps = [t.dims[1] for t in tables[::2]]
    if all_static(taps) and 0 < prod(taps) <= UNROLLED:
        return work.written_out(taps)
    return work.summed(taps)


def _assert_inside(low: Lowering, table: Shaped, extent: Extent) -> None:
    """Assert that all positions are in [0, extent), unless they surely are."""
    if surely_inside(table.array, extent, negative=False):
        return
    total = low.product(table.dims)
    flat = low.reshape(table, [total], [int(np.prod(table.bounds))])
    _ = flat.splat or flat.value  # a constant's argument is made here, not inside the loop

    def body(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        place = low.to_index(read(low, flat, [i]), unsigned=flat.unsigned)
        low.assert_(in_bounds(low, place, extent), "index: a resampling reads outside of its axis")
        return carried

    low.for_(0, total, [], body)


class _Resample:
    """Lowering of one Resample.

    The loops are the result's dimensions, possibly followed by one loop per axis for its taps.
    """

    def __init__(
        self, op: ResampleOp, low: Lowering, x: Shaped, axes: Sequence[int], tables: Sequence[Shaped]
    ) -> None:
        self.op, self.low, self.x, self.axes, self.tables = op, low, x, axes, tables
        self.dims: list[Extent] = list(x.dims)
        step = 2 if to_bool(op.weighted) else 1
        for axis, table in zip(axes, tables[::step]):
            self.dims[axis] = table.dims[0]
        if x.array is not None:
            _ = x.splat or x.value  # a constant's argument is made before the body

    def _read(self, picked: Sequence[SSAValue], unsigned: Sequence[bool]) -> SSAValue:
        """Return the data's element at the current coordinates and the picked positions.

        The picked positions replace the coordinates along the axes.
        """
        places: list[Extent] = [*coordinates(self.low, self.x.rank)]
        for axis, position, u in zip(self.axes, picked, unsigned):
            places[axis] = self.low.to_index(position, unsigned=u)
        return read(self.low, self.x, places)

    def picked(self) -> Shaped:
        """Elements as they are."""
        rank = self.x.rank
        dest = self.low.destination(self.op.output, self.dims)
        unsigned = [t.unsigned for t in self.tables]
        body = _taking(len(self.tables), lambda picked: self._read(picked, unsigned))
        return self.low.each(self.tables, dest, body, [projection(rank, [a]) for a in self.axes])

    def _product(self, picked: Sequence[SSAValue]) -> SSAValue:
        """Return the product of the data's element at positions and the weights.

        `picked` holds the position and the weight of each axis in turn.
        """
        unsigned = [t.unsigned for t in self.tables[::2]]
        total = self.wide
        s = ScalarMath(self.low)
        value = s.convert(self._read(picked[::2], unsigned), self.x.element, total)
        for weight, table in zip(picked[1::2], self.tables[1::2]):
            value = s.mul(value, s.convert(weight, table.element, total), total)
        return value

    @property
    def wide(self) -> Attribute:
        """The type that sums are kept in."""
        return wide(self.x.element)

    def written_out(self, taps: Sequence[int]) -> Shaped:
        """Every term by itself: the tables' columns are operands."""
        low, rank = self.low, self.x.rank
        s, total = ScalarMath(low), self.wide
        dest = low.destination(self.op.output, self.dims)
        ins: list[Shaped] = []
        maps: list[AffineMap] = []
        # For each axis and tap the positions of its operands among `ins`.
        for k, (axis, count) in enumerate(zip(self.axes, taps)):
            for t in range(count):
                for table in self.tables[2 * k : 2 * k + 2]:
                    ins.append(table)
                    maps.append(AffineMap(rank, 0, (AffineExpr.dimension(axis), AffineExpr.constant(t))))

        def body(picked: Sequence[SSAValue]) -> SSAValue:
            pairs: list[list[tuple[SSAValue, SSAValue]]] = []
            rest = iter(picked)
            for count in taps:
                pairs.append([(next(rest), next(rest)) for _ in range(count)])
            return s.convert(nested(pairs, []), total, self.x.element)

        def nested(pairs: list[list[tuple[SSAValue, SSAValue]]], picked: list[SSAValue]) -> SSAValue:
            """The sum over the taps of the remaining axes."""
            if len(picked) == len(pairs):
                unsigned = [t.unsigned for t in self.tables[::2]]
                return s.convert(self._read(picked, unsigned), self.x.element, total)
            result: SSAValue | None = None
            for position, weight in pairs[len(picked)]:
                of_weight = self.tables[2 * len(picked) + 1].element
                term = s.mul(nested(pairs, [*picked, position]), s.convert(weight, of_weight, total), total)
                result = term if result is None else s.add(result, term, total)
            assert result is not None
            return result

        return low.each(ins, dest, _taking(len(ins), body), maps)

    def summed(self, taps: Sequence[Extent]) -> Shaped:
        """A loop per axis over its taps."""
        low, rank = self.low, self.x.rank
        s, total = ScalarMath(low), self.wide
        loops = rank + len(taps)
        maps = [
            AffineMap(loops, 0, (AffineExpr.dimension(axis), AffineExpr.dimension(rank + k)))
            for k, axis in enumerate(self.axes)
            for _ in range(2)
        ]

        def body(*elements: SSAValue) -> SSAValue:
            return s.add(elements[-1], self._product(elements[:-1]), total)

        return reduced(
            low,
            self.op.output,
            self.tables,
            maps,
            ["parallel"] * rank + ["reduction"] * len(taps),
            self.dims,
            range(rank),
            initial=0,
            accumulator=total,
            body=body,
        )


def _taking(count: int, body: Callable[[Sequence[SSAValue]], SSAValue]) -> Callable[..., SSAValue]:
    """Return a generic's body that takes its inputs' elements as a list."""
    return lambda *elements: body(elements[:count])


@lowers(GridSampleOp)
def grid_sample(op: GridSampleOp, low: Lowering) -> Shaped:
    """Emit loops over n, the grid's positions, then c.

    Values that depend only on the position are computed outside the last loop.
    """
    x, grid = low.operand(op.data), low.operand(op.grid)
    for extent in x.dims[2:]:
        low.assert_(low.compare("sgt", extent, 0), "shape: there is nothing to sample from")
    rank = x.rank - 2
    outputs = list(grid.dims[1:-1])
    dest = low.destination(op.output, [*x.dims[:2], *outputs])
    _ = x.splat or x.value, grid.splat or grid.value  # constants are made here, not in the loops
    order = [0, *range(2, x.rank), 1]
    axes: list[_Axis] = []
    at: list[SSAValue] = []

    def entered(axis: int, index: SSAValue) -> None:
        if axis == 0:
            at.clear()
        del at[order.index(axis) :]
        at.append(index)
        if axis == x.rank - 1:
            axes[:] = [
                _Axis(op, low, x.dims[2 + k], read(low, grid, [*at, rank - 1 - k]), grid.element)
                for k in range(rank)
            ]

    def element(place: list[SSAValue]) -> SSAValue:
        return _Sum(op, low, x, axes).value(place[0], place[1])

    return filled_by_loops(low, dest, element, order=order, entered=entered)


class _Sum:
    """The value at one place and channel: sums nested axis by axis."""

    def __init__(self, op: GridSampleOp, low: Lowering, x: Shaped, axes: list[_Axis]) -> None:
        self.low, self.x, self.axes, self.s = low, x, axes, ScalarMath(low)
        self.nearest = to_str(op.mode) == "nearest"
        self.total: Attribute = x.element if self.nearest else wide(x.element) if is_float(x.element) else f32

    def value(self, batch: SSAValue, channel: SSAValue) -> SSAValue:
        result = self._nested([batch, channel])
        return self.s.convert(result, self.total, self.x.element)

    def _nested(self, places: list[Extent]) -> SSAValue:
        low, s = self.low, self.s
        if len(places) == self.x.rank:
            return s.convert(read(low, self.x, places), self.x.element, self.total)
        axis = self.axes[len(places) - 2]
        result: SSAValue | None = None
        zero = low.constant(0, self.total)
        for position, inside, weight in axis.taps:
            term = self._nested([*places, position])
            if inside is not None:
                term = s.select(inside, term, zero)
            if not self.nearest:
                term = s.mul(term, s.convert(weight, axis.element, self.total), self.total)
            result = term if result is None else s.add(result, term, self.total)
        assert result is not None
        return result


class _Axis:
    """Emitter of the taps along one axis.

    A tap consists of a position, the condition that it is inside (None if it always is) and a weight. The arithmetic is
    that of `_Axis` in `dialects/ov/operators/sampling.py`, step by step.
    """

    def __init__(
        self, op: GridSampleOp, low: Lowering, extent: Extent, coordinate: SSAValue, given: Attribute
    ) -> None:
        self.low, self.extent, self.s = low, extent, ScalarMath(low)
        self.element = wide(given)
        self.align, self.padding = to_bool(op.align_corners), to_str(op.padding_mode)
        mode = to_str(op.mode)
        x = self.s.convert(coordinate, given, self.element)
        if not to_bool(op.pixels):
            x = self._denormalised(x)
        if mode == "nearest":
            x = low.insert(math.RoundEvenOp(x)).result
        x = self._limited(x)
        below = low.insert(math.FloorOp(x)).result
        part = self._sub(x, below)
        start = low.to_index(self.s.convert(below, self.element, i64))
        first, count = {"nearest": (0, 1), "bilinear": (0, 2), "bicubic": (-1, 4)}[mode]
        self.taps: list[tuple[Extent, SSAValue | None, SSAValue]] = []
        for k in range(first, first + count):
            position = low.add(start, k)
            inside = self._inside(position) if self.padding == "zeros" else None
            self.taps.append((self._position(position), inside, self._weight(part, k, mode)))

    # -- float arithmetic in the grid's type

    def _number(self, value: float) -> SSAValue:
        return self.low.constant(value, self.element)

    def _extent(self, less: int = 0) -> SSAValue:
        """The extent (less something) as a float."""
        whole = self.low.sub(self.extent, less)
        if isinstance(whole, int):
            return self._number(float(whole))
        return self.s.convert(self.low.from_index(whole, i64), i64, self.element)

    def _add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.add(a, b, self.element)

    def _sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.sub(a, b, self.element)

    def _mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.mul(a, b, self.element)

    def _div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.divide(a, b, self.element, floored=False)

    def _is(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.compare(predicate, a, b, self.element)

    # -- steps

    def _denormalised(self, g: SSAValue) -> SSAValue:
        above = self._add(g, self._number(1))
        if self.align:
            return self._mul(self._div(above, self._number(2)), self._extent(1))
        return self._div(self._sub(self._mul(above, self._extent()), self._number(1)), self._number(2))

    def _limited(self, x: SSAValue) -> SSAValue:
        low, high = self._number(-3), self._extent(-2)
        if self.padding == "reflection":
            least = self._number(0.0 if self.align else -0.5)
            span = self._extent(1) if self.align else self._extent()
            low, high = least, self._add(least, span)
            twice = self._add(span, span)
            distance = self.low.insert(math.AbsFOp(self._sub(x, least))).result
            turns = self.low.insert(math.FloorOp(self._div(distance, twice))).result
            rest = self._sub(distance, self._mul(turns, twice))
            folded = self.s.select(self._is("gt", rest, span), self._sub(twice, rest), rest)
            kept = self.low.insert(arith.AndIOp(self._is("ge", x, low), self._is("le", x, high))).result
            x = self.s.select(kept, x, self._add(folded, least))
        x = self.s.select(self._is("ge", x, low), x, low)
        return self.s.select(self._is("le", x, high), x, high)

    def _inside(self, position: Extent) -> SSAValue:
        conditions = [
            self.low.constant(c, i1) if isinstance(c, bool) else c
            for c in (self.low.compare("sge", position, 0), self.low.compare("slt", position, self.extent))
        ]
        return self.low.insert(arith.AndIOp(conditions[0], conditions[1])).result

    def _position(self, position: Extent) -> Extent:
        low = self.low
        last = low.sub(self.extent, 1)
        if self.padding != "reflection":
            return low.max(low.min(position, last), 0)
        period = low.max(low.mul(last, 2), 1) if self.align else low.mul(self.extent, 2)
        rest = low.rem(low.add(position, low.mul(period, 2)), period)
        other = low.sub(period if self.align else low.sub(period, 1), rest)
        return low.select(low.compare("slt", rest, self.extent), rest, other)

    def _weight(self, part: SSAValue, offset: int, mode: str) -> SSAValue:
        one = self._number(1)
        if mode == "nearest":
            return one
        if mode == "bilinear":
            return part if offset else self._sub(one, part)
        place = self._number(float(offset))
        d = self._sub(part, place) if offset <= 0 else self._sub(place, part)
        a = CUBIC
        if offset in (0, 1):
            near = self._sub(self._mul(self._number(a + 2), d), self._number(a + 3))
            return self._add(self._mul(self._mul(near, d), d), one)
        far = self._sub(self._mul(self._number(a), d), self._number(5 * a))
        far = self._add(self._mul(far, d), self._number(8 * a))
        return self._sub(self._mul(far, d), self._number(4 * a))
