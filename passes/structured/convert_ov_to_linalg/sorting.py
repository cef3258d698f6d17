"""Lowerings of TopK, ArgMax and SearchSorted.

TopK and ArgMax: loops over rows keep the best positions found so far. SearchSorted: bisection with one step per bit of the extent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1, is_float, tensor_type_of
from loomir.dialects.ov.attributes import to_bool, to_int
from loomir.dialects.ov.operators.sorting import ArgMaxOp, SearchSortedOp, TopKOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.passes.structured.lib.builder import Extent, extent_of
from loomir.passes.structured.lib.elements import (
    Carried,
    computed,
    fresh_flat,
    insert_flat,
    linear,
    nest,
    only_element,
    read,
    shaped_of,
)
from loomir.passes.structured.lib.generics import dims_map
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath, neutral_maximum, neutral_minimum
from loomir.passes.structured.lib.sorts import (
    Before,
    Cells,
    both,
    buffer_for,
    by_key,
    either_of,
    greater,
    packed,
    truth,
)
from loomir.passes.structured.lib.tensor_builder import Shaped

INSERTED = 16
"""Maximum number of elements that are kept in order by insertion.

More elements are kept in a heap.
"""


@lowers(TopKOp)
def top_k(op: TopKOp, low: Lowering) -> list[Shaped]:
    """See `_TopK`; one element is found as ArgMax finds it."""
    return _TopK(op, low).lower()


class _TopK:
    """Lowering of one TopK.

    The operand is viewed as [outer, n, inner], the result as [outer, k, inner]. The positions of the best elements so far
    are kept in the buffer of the result's indices: no other memory is used.
    """

    def __init__(self, op: TopKOp, low: Lowering) -> None:
        self.op, self.low = op, low
        self.x = low.operand(op.data)
        self.axis = normalise_axis(to_int(op.axis), self.x.rank)
        self.n = self.x.dims[self.axis]
        k = low.operand(op.k)
        self.k = extent_of(low.to_index(only_element(low, k, "k of top_k"), unsigned=k.unsigned))
        low.assert_(
            low.compare("sle", self.k, self.n), "shape: k is larger than the axis that top_k works on"
        )
        low.assert_(low.compare("sge", self.k, 0), "shape: k of top_k is negative")
        self.outer = low.product(self.x.dims[: self.axis])
        self.inner = low.product(self.x.dims[self.axis + 1 :])
        before, behind = self.x.bounds[: self.axis], self.x.bounds[self.axis + 1 :]
        bound = math.prod(before), self.x.bounds[self.axis], math.prod(behind)
        self.rows = low.reshape(self.x, [self.outer, self.n, self.inner], bound)
        _ = self.rows.value  # a constant is made here, not inside of the loops
        self.most = low.bounds_of(op.indices)[self.axis]
        """The largest k."""

    def lower(self) -> list[Shaped]:
        low, op = self.low, self.op
        dims = [*self.x.dims[: self.axis], self.k, *self.x.dims[self.axis + 1 :]]
        flat, element, bounds = buffer_for(low, op.indices)
        if 0 in bounds:
            return [low.destination(op.output, dims), low.destination(op.indices, dims)]
        if isinstance(self.k, int) and self.k == 1:
            return self._with_values(self._single(), dims)
        # Cell 0 is looked at before anything is found: without cells there are no rows.
        rows = low.select(low.compare("sgt", self.k, 0), self.outer, 0)

        def column(i: SSAValue, o: SSAValue, flat: SSAValue) -> Sequence[SSAValue]:
            base = low.add(low.mul(low.mul(o, self.k), self.inner), i)
            return [self._row(o, i, Cells(low, element, base, self.inner), flat)]

        def row(o: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            if isinstance(self.inner, int) and self.inner == 1:
                return column(low.index(0), o, carried[0])
            return low.for_(0, self.inner, carried, lambda i, c: column(i, o, c[0]))

        (flat,) = low.for_(0, rows, [flat], row)
        return self._with_values(packed(low, flat, element, dims, bounds), dims)

    def _single(self) -> Shaped:
        """Return the single best element.

        NaN stands for the absence of an element: every number is better than NaN.
        """
        low, element, greatest = self.low, self.x.element, self.op.greatest
        nothing = neutral_maximum(element) if greatest else neutral_minimum(element)
        return first_best(
            low,
            self.x,
            self.axis,
            self.op.indices,
            keep_dims=True,
            initial=math.nan if greatest and is_float(element) else nothing,
            takes=lambda v, best: (
                greater(low, v, best, element) if greatest else greater(low, best, v, element)
            ),
        )

    def _with_values(self, indices: Shaped, dims: Sequence[Extent]) -> list[Shaped]:
        """The elements at these places, and the places."""
        low = self.low
        values = low.destination(self.op.output, dims)

        def picked(at: list[SSAValue]) -> SSAValue:
            place = low.to_index(read(low, indices, at))
            return read(low, self.x, [*at[: self.axis], place, *at[self.axis + 1 :]])

        return [computed(low, values, picked), indices]

    def _row(self, o: SSAValue, i: SSAValue, cells: Cells, flat: SSAValue) -> SSAValue:
        """The best positions of one row, in order."""
        low, element = self.low, self.x.element

        def key(position: SSAValue) -> SSAValue:
            return read(low, self.rows, [o, position, i])

        before = by_key(low, key, element, greatest=self.op.greatest)

        def better(p: SSAValue, q: SSAValue) -> SSAValue:
            a, b = (key(p), key(q)) if self.op.greatest else (key(q), key(p))
            return greater(low, a, b, element)

        def in_place(p: SSAValue, q: SSAValue) -> SSAValue:
            return truth(low, low.compare("slt", p, q))

        if self.most <= INSERTED:
            flat = self._inserted(cells, flat, better)
            return cells.sorted(flat, self.k, in_place) if self.op.by_index and self.most > 1 else flat

        def worst_first(p: SSAValue, q: SSAValue) -> SSAValue:
            """The heap's root is the worst of the best."""
            return before(q, p)

        flat = cells.heapified(cells.filled(flat, self.k), self.k, worst_first)

        def consider(p: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            root = cells.load(carried[0], 0)
            enters = better(p, root)
            item = low.index(low.select(enters, p, root))
            return [cells.sift(carried[0], 0, self.k, item, worst_first, wanted=enters)]

        (flat,) = low.for_(self.k, self.n, [flat], consider)
        return (
            cells.sorted(flat, self.k, in_place)
            if self.op.by_index
            else cells.heap_sorted(flat, self.k, before)
        )

    def _inserted(self, cells: Cells, flat: SSAValue, better: Before) -> SSAValue:
        """Insert each position where it belongs among those found so far.

        The positions arrive in order, and equal elements stay in order.
        """
        low, k = self.low, self.k

        def insert(p: SSAValue, flat: SSAValue, free: Extent) -> SSAValue:
            """Cell `free` may be overwritten; move those that are worse behind it."""

            def goes_on(state: Sequence[SSAValue]) -> SSAValue:
                at, cells_now = state
                before = cells.load(cells_now, low.max(low.sub(at, 1), 0))
                return both(low, low.compare("sgt", at, 0), better(p, before))

            def move(state: Sequence[SSAValue]) -> Sequence[SSAValue]:
                at, cells_now = state
                previous = low.index(low.sub(at, 1))
                return [previous, cells.store(cells_now, at, cells.load(cells_now, previous))]

            if self.most == 1:
                return cells.store(flat, 0, p)
            at, flat = low.while_([low.index(free), flat], goes_on, move)
            return cells.store(flat, at, p)

        flat = cells.store(flat, 0, 0)

        def each(p: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            last = cells.load(carried[0], low.sub(low.min(p, k), 1))
            enters = better(p, last)
            more = low.compare("slt", p, k)
            if more is not False and self.most > 1:
                enters = either_of(low, enters, more)
            return low.if_(
                enters,
                [carried[0].type],
                lambda: [insert(p, carried[0], low.min(p, low.sub(k, 1)))],
                lambda: [carried[0]],
            )

        (flat,) = low.for_(1, self.n, [flat], each)
        return flat


def first_best(
    low: Lowering,
    x: Shaped,
    axis: int,
    result: SSAValue,
    *,
    keep_dims: bool,
    initial: float | int,
    takes: Callable[[SSAValue, SSAValue], SSAValue],
) -> Shaped:
    """Return the positions of the best elements along an axis.

    A generic keeps the element and the position of the best so far; the position is initially 0. `takes(v, best)` is the
    condition that element `v` replaces the best element, whose initial value is `initial`.
    """
    element = tensor_type_of(result).element_type
    kept = [k for k in range(x.rank) if k != axis]
    dims: list[Extent] = [x.dims[k] for k in kept]
    bounds = [x.bounds[k] for k in kept]
    iterators = ["reduction" if k == axis else "parallel" for k in range(x.rank)]
    places = list(kept)
    if keep_dims or not dims:
        # The extent 1 is a loop of its own; one element also stands for a scalar meanwhile.
        at = axis if keep_dims else 0
        dims.insert(at, 1)
        bounds.insert(at, 1)
        places.insert(at, x.rank)
        iterators.append("parallel")
    scalar = not keep_dims and x.rank == 1
    best = low.fill(low.constant(initial, x.element), low.new(dims, x.element, bounds))
    where = low.new(dims, element) if scalar else low.destination(result, dims)
    where = low.fill(low.constant(0, element), where)
    s = ScalarMath(low)

    def body(v: SSAValue, most: SSAValue, place: SSAValue) -> list[SSAValue]:
        here = low.from_index(low.insert(IndexOp(axis)).result, element)
        taken = takes(v, most)
        return [s.select(taken, v, most), s.select(taken, here, place)]

    count = len(iterators)
    out_map = dims_map(count, places)
    _, found = low.generic(
        [x], [best, where], [dims_map(count, range(x.rank)), out_map, out_map], iterators, body
    )
    return low.reshape(found, []) if scalar else found


@lowers(ArgMaxOp)
def arg_max(op: ArgMaxOp, low: Lowering) -> Shaped:
    """Lower ArgMax; see `first_best`.

    NaN is taken whatever the best element is, unless the best element is a NaN that should stay.
    """
    x = low.operand(op.data)
    axis = normalise_axis(to_int(op.axis), x.rank)
    low.assert_(low.compare("sge", x.dims[axis], 1), "shape: the axis of arg_max is empty")
    s = ScalarMath(low)

    def takes(v: SSAValue, best: SSAValue) -> SSAValue:
        strict = "gt" if op.greatest else "lt"
        weak = "ge" if op.greatest else "le"
        if not is_float(x.element):
            return s.compare(weak if op.last else strict, v, best, x.element)
        if op.last:
            nan = s.compare("ne", v, v, x.element)
            return either_of(low, s.compare(weak, v, best, x.element), nan)
        number = s.compare("eq", best, best, x.element)
        return both(low, low.insert(arith.CmpfOp(v, best, f"u{strict}")).result, number)

    initial = neutral_maximum(x.element) if op.greatest else neutral_minimum(x.element)
    return first_best(low, x, axis, op.indices, keep_dims=to_bool(op.keep_dims), initial=initial, takes=takes)


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
        return [insert_flat(low, low.from_index(found, element), carried[0], to)]

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
