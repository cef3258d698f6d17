"""Lowering of NonMaxSuppression.

Each class has a heap of candidates, from which boxes are taken until enough are selected. A box whose score is lowered
by soft-NMS returns to the heap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, math, tensor
from xdsl.ir import SSAValue

from loomir.dialects.element_types import f32, i1, i32
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.decoding import NonMaxSuppressionOp
from loomir.dialects.scalars.row import constant_number
from loomir.passes.structured.lib.builder import Extent, extent_of
from loomir.passes.structured.lib.elements import computed, only_element, read
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath
from loomir.passes.structured.lib.sorts import Cells, both, buffer_for, by_key, either_of, negated, packed
from loomir.passes.structured.lib.tensor_builder import Shaped


@lowers(NonMaxSuppressionOp)
def non_max_suppression(op: NonMaxSuppressionOp, low: Lowering) -> list[Shaped]:
    """See `_Suppression`."""
    return _Suppression(op, low).lower()


@dataclass(frozen=True)
class _Box:
    """Least and greatest coordinates, and the area."""

    y1: SSAValue
    x1: SSAValue
    y2: SSAValue
    x2: SSAValue
    area: SSAValue


class _Suppression:
    """Lowering of one NonMaxSuppression.

    Selections are written directly into the results' buffers, whose third column also serves as the list of boxes that
    further candidates are compared with.

    The loop state consists of, in this order: the number of selected boxes, their indices, their scores (if they are used),
    the heap, and for soft-NMS the current scores and, for each candidate, the number of selected boxes that it was compared
    with.
    """

    def __init__(self, op: NonMaxSuppressionOp, low: Lowering) -> None:
        self.op, self.low, self.s = op, low, ScalarMath(low)
        self.boxes, self.scores = low.operand(op.boxes), low.operand(op.scores)
        self.batches, self.classes, self.count = self.scores.dims
        given = low.operand(op.max_output_boxes_per_class)
        most = extent_of(
            low.to_index(only_element(low, given, "max_output_boxes_per_class"), unsigned=given.unsigned)
        )
        self.most = low.min(low.max(most, 0), self.count)
        self.iou_threshold = self._number(op.iou_threshold)
        self.score_threshold = self._number(op.score_threshold)
        known = constant_number(self.score_threshold)
        self.no_threshold: bool | SSAValue = known is not None and known != known
        if known is None:
            self.no_threshold = self.s.compare("ne", self.score_threshold, self.score_threshold, f32)
        sigma = None if op.soft_nms_sigma is None else self._number(op.soft_nms_sigma)
        self.softens = sigma is not None and constant_number(sigma) != 0
        if self.softens:
            assert sigma is not None
            zero = low.constant(0, f32)
            self.soft = self.s.compare("gt", sigma, zero, f32)
            safe = self.s.select(self.soft, sigma, low.constant(1, f32))
            scale = low.insert(arith.DivfOp(low.constant(-0.5, f32), safe)).result
            self.scale = self.s.select(self.soft, scale, zero)
        self.sorts = to_bool(op.sort_result_descending)
        self.tells_scores = self.sorts or op.selected_scores.first_use is not None
        _ = self.boxes.value, self.scores.value  # constants are made here, not inside of the loops
        self.heap = Cells(low, i32)
        self.candidates = max(self.scores.bounds[2], 1)

    def _number(self, operand: SSAValue) -> SSAValue:
        x = self.low.operand(operand)
        return self.s.convert(only_element(self.low, x, "a threshold"), x.element, f32)

    def lower(self) -> list[Shaped]:
        low, op = self.low, self.op
        flat, self.index_type, bounds = buffer_for(low, op.selected_indices)
        told, _, _ = buffer_for(low, op.selected_scores)
        state = [low.index(0), flat]
        if self.tells_scores:
            state.append(told)
        state.append(low.empty(i32, [self.candidates]))
        if self.softens:
            state += [low.empty(f32, [self.candidates]), low.empty(i32, [self.candidates])]
        number, flat, *rest = low.for_(
            0,
            self.batches,
            state,
            lambda b, outer: low.for_(0, self.classes, outer, lambda c, inner: self._class(b, c, inner)),
        )
        valid = low.insert(
            tensor.InsertOp(
                low.from_index(number, self.index_type), low.empty(self.index_type, [1]), [low.index(0)]
            )
        ).result
        count = low.of_tensor(valid, self.index_type, [1], [1])
        indices = packed(low, flat, self.index_type, [number, 3], bounds)
        scores = packed(low, rest[0] if self.tells_scores else told, f32, [number, 3], bounds)
        if not self.sorts:
            return [indices, scores, count]
        order = Cells(low, i32)
        rows = order.filled(low.empty(i32, [max(bounds[0], 1)]), number)
        by_score = by_key(low, lambda p: read(low, scores, [p, 2]), f32, greatest=True)
        rows = order.sorted(rows, number, by_score)

        def in_order(x: Shaped, result: SSAValue) -> Shaped:
            dest = low.destination(result, [number, 3])
            return computed(low, dest, lambda at: read(low, x, [order.load(rows, at[0]), at[1]]))

        return [in_order(indices, op.selected_indices), in_order(scores, op.selected_scores), count]

    # -- one class

    def _class(self, b: SSAValue, c: SSAValue, state: Sequence[SSAValue]) -> Sequence[SSAValue]:
        low = self.low
        count, state = self._candidates(b, c, state)
        started = state[0]
        state = self._with_heap(
            state, self.heap.heapified(self._heap(state), count, self._before(b, c, state))
        )

        def goes_on(now: Sequence[SSAValue]) -> SSAValue:
            left, number = now[0], now[1]
            return both(
                low, low.compare("sgt", left, 0), low.compare("slt", low.sub(number, started), self.most)
            )

        def take(now: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return self._take(b, c, started, now[0], list(now[1:]))

        return low.while_([low.index(count), *state], goes_on, take)[1:]

    def _candidates(
        self, b: SSAValue, c: SSAValue, state: Sequence[SSAValue]
    ) -> tuple[SSAValue, list[SSAValue]]:
        """Put the boxes whose score suffices into the heap's cells."""
        low = self.low

        def each(k: SSAValue, now: Sequence[SSAValue]) -> Sequence[SSAValue]:
            score = self._score(b, c, k)

            def enter() -> Sequence[SSAValue]:
                entered = [low.index(low.add(now[0], 1)), self.heap.store(now[1], now[0], k)]
                if self.softens:
                    entered.append(low.insert(tensor.InsertOp(score, now[2], [k])).result)
                    entered.append(Cells(low, i32).store(now[3], k, 0))
                return entered

            return low.if_(self._passes(score), [v.type for v in now], enter, lambda: now)

        first = 3 if self.tells_scores else 2
        count, *buffers = low.for_(0, self.count, [low.index(0), *state[first:]], each)
        return count, [*state[:first], *buffers]

    def _take(
        self, b: SSAValue, c: SSAValue, started: SSAValue, left: SSAValue, state: list[SSAValue]
    ) -> Sequence[SSAValue]:
        """Take the best candidate from the heap.

        The candidate is selected, left out, or put back with its new score.
        """
        low = self.low
        number = state[0]
        best = self.heap.load(self._heap(state), 0)
        if self.softens:
            dropped, again, score, state = self._judge_softly(b, c, started, best, state)
            selected = negated(low, either_of(low, dropped, again))
        else:
            dropped, again = self._judge(b, started, best, state), None
            score = self._score(b, c, best) if self.tells_scores else None
            selected = negated(low, dropped)
        kept = 3 if self.tells_scores else 2

        def write() -> Sequence[SSAValue]:
            triple = [low.from_index(v, self.index_type) for v in (b, c, best)]
            written = [low.index(low.add(number, 1)), self._write(state[1], number, triple)]
            if score is not None and self.tells_scores:
                told = [self.s.convert(low.from_index(v, i32), i32, f32) for v in (b, c)]
                written.append(self._write(state[2], number, [*told, score]))
            return written

        written = low.if_(selected, [v.type for v in state[:kept]], write, lambda: state[:kept])
        fewer = low.index(low.sub(left, 1))
        heap = self._heap(state)
        last = self.heap.load(heap, fewer)
        if again is not None:
            last = low.index(low.select(again, best, last))
            fewer = low.index(low.select(again, left, fewer))
        heap = self.heap.sift(heap, 0, fewer, last, self._before(b, c, state))
        return [fewer, *self._with_heap([*written, *state[kept:]], heap)]

    def _judge(self, b: SSAValue, started: SSAValue, best: SSAValue, state: Sequence[SSAValue]) -> SSAValue:
        """Return the condition that a box overlaps a selected one too much."""
        low = self.low
        box = self._box(b, best)

        def goes_on(now: Sequence[SSAValue]) -> SSAValue:
            return both(low, low.compare("sgt", now[0], started), negated(low, now[1]))

        def compare(now: Sequence[SSAValue]) -> Sequence[SSAValue]:
            rival = low.index(low.sub(now[0], 1))
            iou = self._overlap(box, self._box(b, self._selected(state[1], rival)))
            return [rival, self.s.compare("gt", iou, self.iou_threshold, f32)]

        return low.while_([state[0], low.constant(0, i1)], goes_on, compare)[1]

    def _judge_softly(
        self, b: SSAValue, c: SSAValue, started: SSAValue, best: SSAValue, state: list[SSAValue]
    ) -> tuple[SSAValue, SSAValue, SSAValue, list[SSAValue]]:
        """Return two flags of a box, its score, and the updated state.

        The flags are: the box is left out; the box returns to the heap.
        """
        low, s = self.low, self.s
        current, seen = state[-2:]
        box, seen_cells = self._box(b, best), Cells(low, i32)
        before = read(low, self._flat(current), [best])
        first = low.index(low.add(started, seen_cells.load(seen, best)))

        def goes_on(now: Sequence[SSAValue]) -> SSAValue:
            open_ = both(low, negated(low, now[1]), self._passes(now[2]))
            return both(low, low.compare("sgt", now[0], first), open_)

        def compare(now: Sequence[SSAValue]) -> Sequence[SSAValue]:
            rival = low.index(low.sub(now[0], 1))
            iou = self._overlap(box, self._box(b, self._selected(state[1], rival)))
            too_much = s.compare("gt", iou, self.iou_threshold, f32)
            if not to_bool(self.op.drop_above_threshold):
                too_much = both(low, too_much, negated(low, self.soft))
            exponent = s.mul(s.mul(self.scale, iou, f32), iou, f32)
            factor = low.insert(math.ExpOp(exponent)).result
            return [rival, too_much, s.select(too_much, now[2], s.mul(now[2], factor, f32))]

        _, dropped, score = low.while_([state[0], low.constant(0, i1), before], goes_on, compare)
        changed = low.insert(arith.CmpfOp(score, before, "one")).result
        # A score that sank too low is neither selected nor put back.
        dropped = either_of(low, dropped, both(low, changed, negated(low, self._passes(score))))
        again = both(low, changed, negated(low, dropped))
        current = low.insert(tensor.InsertOp(score, current, [best])).result
        seen = seen_cells.store(seen, best, low.sub(state[0], started))
        return dropped, again, score, [*state[:-2], current, seen]

    # -- parts of the state

    def _heap(self, state: Sequence[SSAValue]) -> SSAValue:
        return state[3 if self.tells_scores else 2]

    def _with_heap(self, state: Sequence[SSAValue], heap: SSAValue) -> list[SSAValue]:
        place = 3 if self.tells_scores else 2
        return [*state[:place], heap, *state[place + 1 :]]

    def _flat(self, buffer: SSAValue) -> Shaped:
        return self.low.of_tensor(buffer, f32, [self.candidates], [self.candidates])

    def _write(self, flat: SSAValue, row: SSAValue, values: Sequence[SSAValue]) -> SSAValue:
        low = self.low
        for column, value in enumerate(values):
            place = low.index(low.add(low.mul(row, 3), column))
            flat = low.insert(tensor.InsertOp(value, flat, [place])).result
        return flat

    def _selected(self, flat: SSAValue, row: SSAValue) -> SSAValue:
        """The box in a row of the result."""
        return Cells(self.low, self.index_type, 2, 3).load(flat, row)

    # -- scores and boxes

    def _score(self, b: Extent, c: Extent, k: Extent) -> SSAValue:
        return self.s.convert(read(self.low, self.scores, [b, c, k]), self.scores.element, f32)

    def _passes(self, score: SSAValue) -> SSAValue:
        above = self.s.compare("gt", score, self.score_threshold, f32)
        return above if self.no_threshold is False else either_of(self.low, above, self.no_threshold)

    def _before(self, b: SSAValue, c: SSAValue, state: Sequence[SSAValue]):
        """The order of candidates: by the current score."""
        low = self.low

        def key(k: SSAValue) -> SSAValue:
            return read(low, self._flat(state[-2]), [k]) if self.softens else self._score(b, c, k)

        return by_key(low, key, f32, greatest=True)

    def _box(self, b: Extent, k: Extent) -> _Box:
        low, s = self.low, self.s
        given = [s.convert(read(low, self.boxes, [b, k, part]), self.boxes.element, f32) for part in range(4)]
        p, q, r, t = given
        if self.op.centered:
            half = low.constant(0.5, f32)
            half_w, half_h = s.mul(r, half, f32), s.mul(t, half, f32)
            y1, x1 = s.sub(q, half_h, f32), s.sub(p, half_w, f32)
            y2, x2 = s.add(q, half_h, f32), s.add(p, half_w, f32)
        else:
            y1, x1 = self._lesser(p, r), self._lesser(q, t)
            y2, x2 = self._greater(p, r), self._greater(q, t)
        return _Box(y1, x1, y2, x2, s.mul(s.sub(y2, y1, f32), s.sub(x2, x1, f32), f32))

    def _lesser(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return the lesser of two numbers, or b if either is NaN.

        No other treatment of NaN is needed here, and this one is cheaper.
        """
        return self.s.select(self.s.compare("lt", a, b, f32), a, b)

    def _greater(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.s.select(self.s.compare("gt", a, b, f32), a, b)

    def _overlap(self, a: _Box, b: _Box) -> SSAValue:
        """Intersection over union; 0 where one of the two is empty."""
        low, s = self.low, self.s
        zero = low.constant(0, f32)

        def side(low_a: SSAValue, low_b: SSAValue, high_a: SSAValue, high_b: SSAValue) -> SSAValue:
            length = s.sub(self._lesser(high_a, high_b), self._greater(low_a, low_b), f32)
            return self._greater(length, zero)

        shared = s.mul(side(a.y1, b.y1, a.y2, b.y2), side(a.x1, b.x1, a.x2, b.x2), f32)
        union = s.sub(s.add(a.area, b.area, f32), shared, f32)
        real = both(low, s.compare("gt", a.area, zero, f32), s.compare("gt", b.area, zero, f32))
        return s.select(real, low.insert(arith.DivfOp(shared, union)).result, zero)
