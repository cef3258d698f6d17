"""Lowering of SearchSorted: bisection with one step per bit of the extent."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1
from loomir.dialects.ov.operators.searching import SearchSortedOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.nests import (
    Carried,
    fresh_flat,
    linear,
    nest,
    put,
    shaped_of,
)
from loomir.passes.structured.lowering.places import read
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath
from loomir.passes.structured.lowering.shaped import Shaped


@lowers(SearchSortedOp)
def search_sorted(op: SearchSortedOp, low: Lowering) -> Shaped:
    """A loop over rows and their values, in it the bisection."""
    ordered, values = low.operand(op.sorted), low.operand(op.values)
    element = op.output_type
    outer, extent = values.dims[:-1] if ordered.rank > 1 else (), ordered.dims[-1]
    if 0 in values.dims:
        return low.destination(op.output, values.dims)
    if isinstance(extent, int) and extent == 0:
        zero = low.constant(0, element)
        return (
            low.fill(zero, low.destination(op.output, values.dims))
            if values.dims
            else low.of_scalar(zero, element)
        )
    count = low.product(outer)
    inner = low.product(values.dims[len(outer) :])
    split = len(outer)
    bounds = [prod(values.bounds[:split]), prod(values.bounds[split:])]
    rows = low.reshape(ordered, [count, extent], [bounds[0], ordered.bounds[-1]])
    wanted = low.reshape(values, [count, inner], bounds) if values.dims else values
    for x in (rows, wanted):
        _ = x.splat or x.value
    bisect = _Bisection(op, low, rows, extent)
    if not values.dims:
        found = bisect.find(0, wanted.value)
        return low.of_scalar(low.from_index(found, element), element)
    flat, result_bounds = fresh_flat(low, op.output, values.dims)

    def body(at: list[Extent], carried: Carried) -> Carried:
        found = bisect.find(at[0], read(low, wanted, at))
        to = linear(low, [count, inner], at)
        return [put(low, low.from_index(found, element), carried[0], to)]

    (flat,) = nest(low, [count, inner], [flat], body)
    return shaped_of(low, flat, element, values.dims, result_bounds)


class _Bisection:
    """The search of one value in one row."""

    def __init__(self, op: SearchSortedOp, low: Lowering, rows: Shaped, extent: Extent) -> None:
        self.op, self.low, self.rows, self.extent = op, low, rows, extent
        self.scalars = ScalarMath(low)

    def find(self, row: Extent, value: SSAValue) -> Extent:
        low = self.low
        steps: Extent = self.rows.bounds[-1].bit_length()
        if not isinstance(self.extent, int):
            # Of an empty row nothing can be read.
            some = low.insert(arith.CmpiOp(low.index(0), low.index(self.extent), "slt")).result
            steps = low.select(some, steps, 0)
        limits = [low.index(0), low.index(self.extent)]

        def step(_: SSAValue, carried: Carried) -> Carried:
            first, last = carried
            # Where the limits have met, what is read makes no difference.
            middle = low.insert(arith.ShRUIOp(low.index(low.add(first, last)), low.index(1))).result
            readable = low.min(middle, low.sub(self.extent, 1))
            there = read(low, self.rows, [row, readable])
            behind = self._behind(there, value)
            active = low.insert(arith.CmpiOp(first, last, "slt")).result
            up = low.insert(arith.AndIOp(active, behind)).result
            stay = low.insert(arith.XOrIOp(behind, low.constant(1, i1))).result
            down = low.insert(arith.AndIOp(active, stay)).result
            return [
                low.index(low.select(up, low.add(middle, 1), first)),
                low.index(low.select(down, middle, last)),
            ]

        return low.for_(0, steps, limits, step)[0]

    def _behind(self, there: SSAValue, value: SSAValue) -> SSAValue:
        """Return the condition that the value belongs behind an element."""
        low, s, element = self.low, self.scalars, self.rows.element
        if not self.op.right:
            return s.compare("lt", there, value, element)
        before = s.compare("lt", value, there, element)
        return low.insert(arith.XOrIOp(before, low.constant(1, i1))).result
