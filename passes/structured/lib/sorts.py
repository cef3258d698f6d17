"""Sorting by heaps of positions: what TopK, Unique and NonMaxSuppression share.

What is sorted are positions, in place, in a flat buffer of integers; what they stand for stays where it is and
is looked at by the functions that compare two positions. Nothing here needs memory of its own, and all of it
is n log n. Buffers are SSA tensors: every function takes one and returns its next version.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, tensor
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import i1, is_float, signless, tensor_type_of
from loomir.dialects.index_builder import all_static
from loomir.passes.structured.lib.builder import Extent, capacity_of
from loomir.passes.structured.lib.lowering import Lowering
from loomir.passes.structured.lib.scalars import ScalarMath
from loomir.passes.structured.lib.tensor_builder import Shaped

Before = Callable[[SSAValue, SSAValue], SSAValue]
"""Emitter of the condition that one position (`index`) precedes another."""


def truth(low: Lowering, value: bool | SSAValue) -> SSAValue:
    """A condition as a value."""
    return low.constant(int(value), i1) if isinstance(value, bool) else value


def both(low: Lowering, a: bool | SSAValue, b: bool | SSAValue) -> SSAValue:
    """a and b."""
    return low.insert(arith.AndIOp(truth(low, a), truth(low, b))).result


def either_of(low: Lowering, a: bool | SSAValue, b: bool | SSAValue) -> SSAValue:
    """a or b."""
    return low.insert(arith.OrIOp(truth(low, a), truth(low, b))).result


def negated(low: Lowering, a: SSAValue) -> SSAValue:
    """Not a."""
    return low.insert(arith.XOrIOp(a, low.constant(1, i1))).result


def greater(low: Lowering, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
    """`a > b` in the total order where NaN is less than every number."""
    if not is_float(element):
        return ScalarMath(low).compare("gt", a, b, element)
    above = low.insert(arith.CmpfOp(a, b, "ugt")).result
    return both(low, above, low.insert(arith.CmpfOp(a, a, "ord")).result)


def by_key(
    low: Lowering, key: Callable[[SSAValue], SSAValue], element: Attribute, *, greatest: bool
) -> Before:
    """Return the order of positions by keys, best first.

    Equal keys keep the order of their positions; NaN is the least key.
    """

    def before(p: SSAValue, q: SSAValue) -> SSAValue:
        a, b = (key(p), key(q)) if greatest else (key(q), key(p))
        first, second = greater(low, a, b, element), greater(low, b, a, element)
        return either_of(low, first, both(low, negated(low, second), low.compare("slt", p, q)))

    return before


@dataclass(frozen=True)
class Cells:
    """Positions in a flat buffer: cell `j` is element `base + j * step`."""

    low: Lowering
    element: Attribute
    base: Extent = 0
    step: Extent = 1

    def _place(self, cell: Extent) -> SSAValue:
        return self.low.index(self.low.add(self.base, self.low.mul(cell, self.step)))

    def load(self, buffer: SSAValue, cell: Extent) -> SSAValue:
        """The position in a cell, as `index`."""
        op = tensor.ExtractOp(buffer, [self._place(cell)], signless(self.element))
        return self.low.to_index(self.low.insert(op).result)

    def store(self, buffer: SSAValue, cell: Extent, position: Extent) -> SSAValue:
        """The buffer with a position put into a cell."""
        value = self.low.from_index(position, self.element)
        return self.low.insert(tensor.InsertOp(value, buffer, [self._place(cell)])).result

    def filled(self, buffer: SSAValue, count: Extent) -> SSAValue:
        """The buffer with the positions 0 … count - 1 in order."""
        (result,) = self.low.for_(0, count, [buffer], lambda j, c: [self.store(c[0], j, j)])
        return result

    def sift(
        self,
        buffer: SSAValue,
        start: Extent,
        end: Extent,
        item: SSAValue,
        above: Before,
        *,
        wanted: SSAValue | None = None,
    ) -> SSAValue:
        """Put `item` where it belongs in the heap, at `start` or below.

        The heap consists of cells 0 … end - 1; everything below `start` is a heap already. If `wanted` is false, the item stays
        at `start`. `above(p, q)` is the condition that p belongs nearer to the root.
        """
        low = self.low
        go = truth(low, low.compare("slt", _left(low, start), end))
        if wanted is not None:
            go = both(low, go, wanted)

        def body(state: Sequence[SSAValue]) -> Sequence[SSAValue]:
            at, _, cells = state
            left = _left(low, at)
            right = low.min(low.add(left, 1), low.sub(end, 1))
            a, b = self.load(cells, left), self.load(cells, right)
            to_right = above(b, a)
            child, other = low.select(to_right, right, left), low.select(to_right, b, a)
            moves = above(low.index(other), item)
            # What does not move is put where it is; then the loop ends.
            cells = self.store(cells, at, low.select(moves, other, item))
            place = low.select(moves, child, at)
            more = both(low, moves, low.compare("slt", _left(low, place), end))
            return [low.index(place), more, cells]

        at, _, buffer = low.while_([low.index(start), go, buffer], lambda state: state[1], body)
        return self.store(buffer, at, item)

    def heapified(self, buffer: SSAValue, count: Extent, above: Before) -> SSAValue:
        """Cells 0 … count - 1 made a heap."""
        low = self.low
        half = low.floordiv(count, 2)

        def body(t: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            start = low.sub(low.sub(half, 1), t)
            return [self.sift(carried[0], start, count, self.load(carried[0], start), above)]

        (result,) = low.for_(0, half, [buffer], body)
        return result

    def heap_sorted(self, buffer: SSAValue, count: Extent, before: Before) -> SSAValue:
        """Sort the heap in cells 0 … count - 1.

        The root of the heap comes last in the order.
        """
        low = self.low

        def above(p: SSAValue, q: SSAValue) -> SSAValue:
            return before(q, p)

        def body(t: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            end = low.sub(low.sub(count, 1), t)
            item = self.load(carried[0], end)
            root = self.load(carried[0], 0)
            return [self.sift(self.store(carried[0], end, root), 0, end, item, above)]

        (result,) = low.for_(0, low.max(low.sub(count, 1), 0), [buffer], body)
        return result

    def sorted(self, buffer: SSAValue, count: Extent, before: Before) -> SSAValue:
        """Sort cells 0 … count - 1 by a total order.

        The order is total if, of two different positions, one always comes before the other. The sort is a heapsort in one
        loop: while t < n/2 it builds the heap, then it removes the root repeatedly, so that the code to sift is emitted once.
        """
        low = self.low
        half = low.floordiv(count, 2)

        def above(p: SSAValue, q: SSAValue) -> SSAValue:
            return before(q, p)

        def body(t: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            (cells,) = carried
            building = low.compare("slt", t, half)
            left = low.sub(low.sub(low.add(count, half), 1), t)
            start = low.select(building, low.sub(low.sub(half, 1), t), 0)
            end = low.select(building, count, left)
            source = low.select(building, start, left)
            item = self.load(cells, source)
            root = self.load(cells, 0)
            cells = self.store(cells, source, low.select(building, item, root))
            return [self.sift(cells, start, end, item, above)]

        turns = low.max(low.sub(low.add(count, half), 1), 0)
        (result,) = low.for_(0, turns, [buffer], body)
        return result


def _left(low: Lowering, cell: Extent) -> Extent:
    """The first child of a cell of a heap."""
    return low.add(low.mul(cell, 2), 1)


def packed(
    low: Lowering, flat: SSAValue, element: Attribute, dims: Sequence[Extent], bounds: Sequence[int]
) -> Shaped:
    """Return a value that was computed flat, in its shape.

    The value is at the front of a tensor of its capacity.
    """
    if all_static(dims):
        total = prod(dims)
        part = low.of_tensor(low.extract_slice(flat, [0], [total], [1]), element, [total], [total])
        return low.reshape(part, dims)
    return Shaped(low, low.view_of_flat(flat, dims), element, dims, bounds, flat=flat)


def buffer_for(low: Lowering, result: SSAValue) -> tuple[SSAValue, Attribute, Sequence[int]]:
    """Return an undefined flat tensor for a GRAPH result.

    The result's element type and bounds are returned as well.
    """
    element = tensor_type_of(result).element_type
    bounds = low.bounds_of(result)
    return low.empty(element, [capacity_of(bounds)]), element, bounds
