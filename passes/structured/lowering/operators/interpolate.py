"""Lowering of Resample.

Resample becomes a `linalg.generic` whose body reads the data at positions from tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.attributes import to_bool, to_ints
from loomir.dialects.ov.operators.interpolate import ResampleOp
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.indices import inside, surely_inside
from loomir.passes.structured.lowering.places import coordinates, projection, read
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath, wide
from loomir.passes.structured.lowering.shaped import Shaped
from loomir.passes.structured.lowering.sums import reduced

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
        low.assert_(inside(low, place, extent), "index: a resampling reads outside of its axis")
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
