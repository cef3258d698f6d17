"""Lowerings of NonZero, Unique and CTCGreedyDecoderSeqLen.

The data selects the elements that are written, one behind the other.

- NonZero: the elements are counted, then their coordinates are written. The rows of the result are as long as there are elements, so the
  count must be known first.
- Unique: positions are sorted (see `sorts`) and walked through.
- CTCGreedyDecoderSeqLen: one walk through each sequence writes the elements that are kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.element_types import i1, i32, is_float
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.decoding import CTCGreedyDecoderSeqLenOp
from loomir.dialects.ov.operators.sorting import NonZeroOp, UniqueOp
from loomir.passes.structured.convert_ov_to_linalg.reshape import declared
from loomir.passes.structured.lib.builder import Extent
from loomir.passes.structured.lib.elements import computed, constant_axes, only_element, read
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath
from loomir.passes.structured.lib.sorts import Cells, both, buffer_for, either_of, negated, packed, truth
from loomir.passes.structured.lib.tensor_builder import Shaped


@lowers(NonZeroOp)
def non_zero(op: NonZeroOp, low: Lowering) -> Shaped:
    """Two walks through the operand."""
    x = low.operand(op.data)
    if not x.dims:
        x = low.reshape(x, [1])
    s = ScalarMath(low)
    zero = low.constant(0, x.element)
    total = low.product(x.dims)
    elements = low.reshape(x, [total], [math.prod(x.bounds)])
    _ = elements.value, x.value  # constants are made here, not inside of the loops

    def one_more(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        counts = s.compare("ne", read(low, elements, [i]), zero, x.element)
        return [low.index(low.add(carried[0], low.select(counts, 1, 0)))]

    (number,) = low.for_(0, total, [low.index(0)], one_more)
    flat, element, bounds = buffer_for(low, op.output)
    rows = [Cells(low, element, low.mul(d, number)) for d in range(x.rank)]

    def walk(at: list[SSAValue], carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        if len(at) < x.rank:
            return low.for_(0, x.dims[len(at)], carried, lambda i, c: walk([*at, i], c))
        found, buffer = carried

        def write() -> Sequence[SSAValue]:
            written = buffer
            for row, coordinate in zip(rows, at):
                written = row.store(written, found, coordinate)
            return [low.index(low.add(found, 1)), written]

        counts = s.compare("ne", read(low, x, at), zero, x.element)
        return low.if_(counts, [v.type for v in carried], write, lambda: carried)

    _, flat = walk([], [low.index(0), flat])
    return packed(low, flat, element, [x.rank, number], bounds)


@lowers(UniqueOp)
def unique(op: UniqueOp, low: Lowering) -> list[Shaped]:
    """See `_Unique`."""
    return _Unique(op, low).lower()


class _Unique:
    """Lowering of one Unique.

    The positions are sorted, so that equal elements are neighbours, and counted in one walk through them.

    If the result is not to be sorted, that walk only records for each position the first one that is equal to it; a second
    walk, in the order of the operand, numbers these. Elements and slices are treated alike: the operand is viewed as
    [outer, n, inner], or as [1, n, 1] if it is flattened.
    """

    def __init__(self, op: UniqueOp, low: Lowering) -> None:
        self.op, self.low = op, low
        self.x = x = low.operand(op.data)
        self.axis: int | None = None
        if op.axis is not None:
            (self.axis,) = constant_axes(low.operand(op.axis), x.rank, "axis")
        if self.axis is None:
            self.outer, self.n, self.inner = 1, low.product(x.dims), 1
            bounds = (1, math.prod(x.bounds), 1)
        else:
            a = self.axis
            self.outer, self.inner = low.product(x.dims[:a]), low.product(x.dims[a + 1 :])
            self.n = x.dims[a]
            bounds = (math.prod(x.bounds[:a]), x.bounds[a], math.prod(x.bounds[a + 1 :]))
        self.slices = low.reshape(x, [self.outer, self.n, self.inner], bounds)
        self.most = bounds[1]
        _ = self.slices.value  # a constant is made here, not inside of the loops

    def lower(self) -> list[Shaped]:
        low, op = self.low, self.op
        self.buffers = {r: buffer_for(low, r) for r in (op.indices, op.inverse_indices, op.counts)}
        order = Cells(low, i32)
        positions = order.filled(low.empty(i32, [max(self.most, 1)]), self.n)
        positions = order.sorted(positions, self.n, self._before)
        walk = self._numbered_sorted if to_bool(op.sorted) else self._numbered_in_order
        number, first, inverse, counts = walk(order, positions)
        shaped: dict[SSAValue, Shaped] = {}
        for result, flat, extent in (
            (op.indices, first, number),
            (op.inverse_indices, inverse, self.n),
            (op.counts, counts, number),
        ):
            _, element, bounds = self.buffers[result]
            shaped[result] = packed(low, flat, element, self._exact(result, [extent]), bounds)
        found = self._found(shaped[op.indices], number)
        return [found, *(shaped[r] for r in (op.indices, op.inverse_indices, op.counts))]

    def _exact(self, result: SSAValue, dims: Sequence[Extent]) -> list[Extent]:
        """Numbers where the type has them."""
        return [d if k is None else k for d, k in zip(dims, declared(result), strict=True)]

    def _before(self, p: SSAValue, q: SSAValue) -> SSAValue:
        """The order to sort in: total, equal ones as they stand."""
        less, more = self._compared(p, q)
        return either_of(
            self.low, less, both(self.low, negated(self.low, more), self.low.compare("slt", p, q))
        )

    def _compared(self, p: SSAValue, q: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Return two conditions: the first is less; the first is greater."""
        low = self.low
        length = low.mul(self.outer, self.inner)
        if isinstance(length, int) and length == 1:
            return self._elements(p, q, 0, 0)
        false = low.constant(0, i1)

        def goes_on(state: Sequence[SSAValue]) -> SSAValue:
            e, less, more = state
            return both(low, low.compare("slt", e, length), negated(low, either_of(low, less, more)))

        def compare(state: Sequence[SSAValue]) -> Sequence[SSAValue]:
            e = state[0]
            outer_one = isinstance(self.outer, int) and self.outer == 1
            o, i = (0, e) if outer_one else (low.floordiv(e, self.inner), low.rem(e, self.inner))
            return [low.index(low.add(e, 1)), *self._elements(p, q, o, i)]

        _, less, more = low.while_([low.index(0), false, false], goes_on, compare)
        return less, more

    def _elements(self, p: SSAValue, q: SSAValue, o: Extent, i: Extent) -> tuple[SSAValue, SSAValue]:
        low, element = self.low, self.x.element
        a, b = read(low, self.slices, [o, p, i]), read(low, self.slices, [o, q, i])
        return _less(low, a, b, element), _less(low, b, a, element)

    def _numbered_sorted(self, order: Cells, positions: SSAValue) -> tuple[SSAValue, ...]:
        """Return the number of unique elements, first positions, inverse and counts.

        The first positions are those at which each unique element occurs first; the inverse maps each position to its unique
        element; the counts say how often each occurs.
        """
        low = self.low
        first, inverse, counts = self._cells()

        def each(t: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            number, first_now, inverse_now, counts_now = carried
            p = order.load(positions, t)
            new = self._starts(order, positions, t, p)
            index = low.index(low.select(new, number, low.sub(number, 1)))
            number, first_now, counts_now = self._count(
                new, index, p, (number, first_now, counts_now), (first, counts)
            )
            return [number, first_now, inverse.store(inverse_now, p, index), counts_now]

        buffers = [self.buffers[r][0] for r in (self.op.indices, self.op.inverse_indices, self.op.counts)]
        return low.for_(0, self.n, [low.index(0), *buffers], each)

    def _numbered_in_order(self, order: Cells, positions: SSAValue) -> tuple[SSAValue, ...]:
        """The same in the order of the operand."""
        low = self.low
        first, inverse, counts = self._cells()

        def note(t: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            leader, inverse_now = carried
            p = order.load(positions, t)
            leader = low.index(low.select(self._starts(order, positions, t, p), p, leader))
            return [leader, inverse.store(inverse_now, p, leader)]

        _, noted = low.for_(0, self.n, [low.index(0), self.buffers[self.op.inverse_indices][0]], note)

        def each(p: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            number, first_now, inverse_now, counts_now = carried
            leader = inverse.load(inverse_now, p)
            new = truth(low, low.compare("eq", leader, p))
            # The leader comes before: it has its number already.
            index = low.index(low.select(new, number, inverse.load(inverse_now, leader)))
            number, first_now, counts_now = self._count(
                new, index, p, (number, first_now, counts_now), (first, counts)
            )
            return [number, first_now, inverse.store(inverse_now, p, index), counts_now]

        start = [low.index(0), self.buffers[self.op.indices][0], noted, self.buffers[self.op.counts][0]]
        return low.for_(0, self.n, start, each)

    def _cells(self) -> tuple[Cells, Cells, Cells]:
        op = self.op
        first, inverse, counts = (
            Cells(self.low, self.buffers[r][1]) for r in (op.indices, op.inverse_indices, op.counts)
        )
        return first, inverse, counts

    def _starts(self, order: Cells, positions: SSAValue, t: SSAValue, p: SSAValue) -> SSAValue:
        """Return the condition that sorted position t differs from the one before."""
        low = self.low
        before = order.load(positions, low.max(low.sub(t, 1), 0))
        return either_of(low, low.compare("eq", t, 0), self._compared(before, p)[0])

    def _count(
        self,
        new: SSAValue,
        index: SSAValue,
        p: SSAValue,
        state: tuple[SSAValue, SSAValue, SSAValue],
        cells: tuple[Cells, Cells],
    ) -> tuple[SSAValue, ...]:
        """Begin number `index` with position p, or count one more of it."""
        low = self.low
        number, first_now, counts_now = state
        first, counts = cells
        return low.if_(
            new,
            [v.type for v in state],
            lambda: [
                low.index(low.add(number, 1)),
                first.store(first_now, index, p),
                counts.store(counts_now, index, 1),
            ],
            lambda: [
                number,
                first_now,
                counts.store(counts_now, index, low.add(counts.load(counts_now, index), 1)),
            ],
        )

    def _found(self, first: Shaped, number: Extent) -> Shaped:
        """The unique elements or slices."""
        low, x = self.low, self.x
        dims = [number] if self.axis is None else [*x.dims[: self.axis], number, *x.dims[self.axis + 1 :]]
        out = low.destination(self.op.output, self._exact(self.op.output, dims))

        def picked(at: list[SSAValue]) -> SSAValue:
            place = low.to_index(read(low, first, [at[self.axis or 0]]))
            if self.axis is None:
                return read(low, self.slices, [0, place, 0])
            return read(low, x, [*at[: self.axis], place, *at[self.axis + 1 :]])

        return computed(low, out, picked)


def _less(low: Lowering, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
    """`a < b` in the total order where NaN is greater than every number."""
    if not is_float(element):
        return ScalarMath(low).compare("lt", a, b, element)
    below = low.insert(arith.CmpfOp(a, b, "ult")).result
    return both(low, below, low.insert(arith.CmpfOp(a, a, "ord")).result)


@lowers(CTCGreedyDecoderSeqLenOp)
def ctc_greedy_decoder_seq_len(op: CTCGreedyDecoderSeqLenOp, low: Lowering) -> list[Shaped]:
    """Sequence by sequence, step by step."""
    x, lengths = low.operand(op.data), low.operand(op.sequence_length)
    n, t, classes = x.dims
    low.assert_(low.compare("sge", classes, 1), "shape: sequences without classes")
    blank: Extent = low.sub(classes, 1)
    if op.blank_index is not None:
        given = low.operand(op.blank_index)
        blank = low.to_index(only_element(low, given, "blank_index"), unsigned=given.unsigned)
    _ = x.value, lengths.value  # constants are made here, not inside of the loops
    found, found_type, bounds = buffer_for(low, op.classes)
    counts, count_type, count_bounds = buffer_for(low, op.lengths)

    def best(k: SSAValue, step: SSAValue) -> SSAValue:
        """The best class; NaN is, if there is one."""

        def better(c: SSAValue, now: Sequence[SSAValue]) -> Sequence[SSAValue]:
            value, _ = now
            element = read(low, x, [k, step, c])
            above = low.insert(arith.CmpfOp(element, value, "ugt")).result
            takes = both(low, above, low.insert(arith.CmpfOp(value, value, "ord")).result)
            chosen = low.insert(arith.SelectOp(takes, element, value)).result
            return [chosen, low.index(low.select(takes, c, now[1]))]

        return low.for_(1, classes, [read(low, x, [k, step, 0]), low.index(0)], better)[1]

    def sequence(k: SSAValue, buffers: Sequence[SSAValue]) -> Sequence[SSAValue]:
        row = Cells(low, found_type, low.mul(k, t))
        length = low.to_index(read(low, lengths, [k]), unsigned=lengths.unsigned)
        length = low.min(low.max(length, 0), t)

        def step(at: SSAValue, now: Sequence[SSAValue]) -> Sequence[SSAValue]:
            before, number, flat = now
            class_ = best(k, at)
            kept = truth(low, low.compare("ne", class_, blank))
            if to_bool(op.merge_repeated):
                kept = both(low, kept, low.compare("ne", class_, before))
            number, flat = low.if_(
                kept,
                [number.type, flat.type],
                lambda: [low.index(low.add(number, 1)), row.store(flat, number, class_)],
                lambda: [number, flat],
            )
            return [class_, number, flat]

        _, number, flat = low.for_(0, length, [low.index(-1), low.index(0), buffers[0]], step)
        (flat,) = low.for_(number, t, [flat], lambda at, now: [row.store(now[0], at, -1)])
        value = low.from_index(number, count_type)
        return [flat, low.insert(tensor.InsertOp(value, buffers[1], [k])).result]

    found, counts = low.for_(0, n, [found, counts], sequence)
    return [
        packed(low, found, found_type, [n, t], bounds),
        packed(low, counts, count_type, [n], count_bounds),
    ]
