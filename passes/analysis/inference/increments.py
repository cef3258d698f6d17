"""By how much an iteration makes an extent that a loop carries larger, whatever it is before.

Inference gives bounds of extents, no relation between them: that an extent of at most 99 becomes one of at most 100 does not say that
5 becomes at most 6 (a branch may be taken for 5 alone). Here extents are followed through the operations that keep or add to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from xdsl.ir import OpResult, SSAValue

from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.facts import Dim
from loomir.dialects.ov.operators.comparison import LogicalNotOp, SelectOp, TwoToBooleanOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import BinaryOp
from loomir.dialects.ov.operators.elementwise_unary import UnaryOp
from loomir.dialects.ov.operators.failure import RequireOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.operators.slots import RowEraseOp, RowInsertOp
from loomir.dialects.ov.parameters import integers
from loomir.dialects.ov.shape_rules import normalise_axes, normalise_axis
from loomir.dialects.ovseq.facts import AnyFact, OptionalFact, SequenceFact
from loomir.dialects.ovseq.operators.optionals import GetOp, SomeOp
from loomir.dialects.ovseq.operators.sequences import AtOp, ConstructOp, EraseOp, InsertOp
from loomir.errors import Error
from loomir.passes.analysis.inference.state import State

LENGTH = -1
"""The extent of a sequence that is its length; others are those of its elements."""

MAX_DEPTH = 100
"""Operations that are looked back through."""

Extent = tuple[SSAValue, int]
_KEEPS = (UnaryOp, ConvertOp, LogicalNotOp, RequireOp, SliceOp, SomeOp, GetOp, AtOp)
"""No extent of the result is larger than the first operand's."""
_BROADCASTS = (BinaryOp, TwoToBooleanOp, SelectOp)


def grows_by_steps(
    op: LoopOp,
    inference: State,
    history: Sequence[Sequence[AnyFact]],
    before: Sequence[AnyFact],
    joined: Sequence[AnyFact],
    trips_of: Callable[[LoopOp, State], Dim],
) -> bool:
    """Whether no iteration adds more to the extents that grow from `before` to `joined` than from `history[-4]` to `history[-3]`.

    `before` is the guess of what holds before the last iteration, and what `inference` holds follows from it; `history[-2]` are the
    facts that the guess goes on from. By induction it then holds before each iteration.
    """
    steps: dict[Extent, tuple[int, int]] = {}
    nexts: dict[Extent, SSAValue] = {}
    for k, (argument, value) in enumerate(zip(op.carried_arguments, op.next.carried)):
        for key in _keys(joined[k]):
            if largest(before[k], key) == largest(joined[k], key):
                continue
            start = largest(history[-2][k], key)
            first, second = (largest(history[at][k], key) for at in (-4, -3))
            if start is None or first is None or second is None:
                return False
            steps[argument, key] = start, second - first
            nexts[argument, key] = value
    for extent, (start, step) in steps.items():
        # What grows no faster stays below the same line, shifted.
        offsets = {e: other - start for e, (other, each) in steps.items() if each <= step}
        added = _Increments(inference, start, offsets, trips_of).of(nexts[extent], extent[1])
        if added is None or added > step:
            return False
    return True


def largest(fact: AnyFact | None, key: int) -> int | None:
    """The upper bound of an extent."""
    if isinstance(fact, OptionalFact):
        fact = fact.value
    if isinstance(fact, SequenceFact):
        if key == LENGTH:
            return fact.length.hi
        fact = fact.element
    return None if fact is None or fact.shape is None or key >= len(fact.shape) else fact.shape[key].hi


def _keys(fact: AnyFact) -> Iterable[int]:
    if isinstance(fact, OptionalFact):
        fact = fact.value
    rank = (fact.element if isinstance(fact, SequenceFact) else fact).rank or 0
    return range(LENGTH if isinstance(fact, SequenceFact) else 0, rank)


class _Increments:
    """Extents relative to a bound L that is at least `start`: of `extents`, those that are at most L plus a number."""

    def __init__(
        self,
        inference: State,
        start: int,
        extents: Mapping[Extent, int],
        trips_of: Callable[[LoopOp, State], Dim],
        depth: int = 0,
    ) -> None:
        self._inference = inference
        self._start = start
        self._extents = extents
        self._trips_of = trips_of
        self._found: dict[Extent, int | None] = {}
        self._depth = depth

    def of(self, value: SSAValue, key: int) -> int | None:
        """The least d that is found so that the extent is at most L + d; None: none is known."""
        extent = value, key
        if extent not in self._found:
            most = largest(self._inference.known(value), key)
            known = [self._extents.get(extent), None if most is None else most - self._start]
            if isinstance(value, OpResult) and self._depth < MAX_DEPTH:
                self._depth += 1
                known.append(self._followed(value, key))
                self._depth -= 1
            self._found[extent] = min((d for d in known if d is not None), default=None)
        return self._found[extent]

    def _followed(self, value: OpResult, key: int) -> int | None:
        op = value.op
        if isinstance(op, AtOp) or (isinstance(op, _KEEPS) and op.results[0] is value):
            return self.of(op.operands[0], key)
        if isinstance(op, ConcatOp):
            return self._joined(op, key)
        if isinstance(op, _BROADCASTS):
            return self._broadcast(op, key)
        if isinstance(op, IfOp):
            condition = self._inference.fact(op.cond).value
            ends = [op.then_yield, op.else_yield]
            taken = ends if condition is None else [ends[0 if condition.reshape(()) else 1]]
            return self._most((end.values[value.index], key) for end in taken)
        if isinstance(op, LoopOp):
            return self._repeated(op, value.index, key) if value.index < len(op.final) else None
        if isinstance(op, TransposeOp | UnsqueezeOp | SqueezeOp | GatherOp):
            try:
                place = self._place(op, key)
            except Error:
                # Illegal, in a branch that is not meant for these shapes.
                return None
            return None if place is None else self.of(op.operands[0], place)
        if isinstance(op, ConstructOp) and key != LENGTH:
            return self._most((o, key) for o in op.inputs)
        return self._changed(op, key)

    def _place(self, op: TransposeOp | UnsqueezeOp | SqueezeOp | GatherOp, key: int) -> int | None:
        """The first operand's dimension that becomes this one, where it is known."""
        rank = self._inference.fact(op.operands[0]).rank
        parameter = 2 if isinstance(op, GatherOp) else 1
        if rank is None or len(op.operands) <= parameter:
            return None
        numbers = integers(self._inference.fact(op.operands[parameter]), "axes")
        if not numbers:
            return None
        places: list[int | None] = list(range(rank))
        if isinstance(op, TransposeOp):
            places = [*numbers]
        elif isinstance(op, UnsqueezeOp):
            for axis in sorted(normalise_axes(numbers, rank + len(numbers))):
                places.insert(axis, None)
        elif isinstance(op, SqueezeOp):
            removed = normalise_axes(numbers, rank)
            places = [k for k in places if k not in removed]
        else:
            picked, axis = self._inference.fact(op.operands[1]).rank, normalise_axis(numbers[0], rank)
            if picked is None or to_int(op.batch_dims, 0) != 0:
                return None
            places[axis : axis + 1] = [None] * picked
        # A squeeze may leave an axis that it names.
        return places[key] if len(places) == self._inference.fact(op.results[0]).rank else None

    def _changed(self, op: object, key: int) -> int | None:
        """Where an element or a row comes or goes."""
        if isinstance(op, InsertOp):
            if key != LENGTH:
                return self._most([(op.sequence, key), (op.tensor, key)])
            return _plus(self.of(op.sequence, key), 1)
        if isinstance(op, EraseOp):
            return _plus(self.of(op.sequence, key), -1 if key == LENGTH else 0)
        if isinstance(op, RowInsertOp | RowEraseOp):
            change = 1 if isinstance(op, RowInsertOp) else -1
            return _plus(self.of(op.data, key), change if key == 0 else 0)
        return None

    def _joined(self, op: ConcatOp, key: int) -> int | None:
        rank = self._inference.fact(op.output).rank
        if rank is None:
            return None
        each = [self.of(v, key) for v in op.operands]
        if normalise_axis(to_int(op.axis), rank) != key:
            # All are equal.
            return min((d for d in each if d is not None), default=None)
        sums: list[int] = []
        for k, first in enumerate(each):
            others = [largest(self._inference.known(v), key) for j, v in enumerate(op.operands) if j != k]
            if first is not None and None not in others:
                sums.append(first + sum(n for n in others if n is not None))
        return min(sums, default=None)

    def _broadcast(self, op: BinaryOp | TwoToBooleanOp | SelectOp, key: int) -> int | None:
        if op.auto_broadcast.data != "numpy":
            return None
        ranks = [self._inference.fact(v).rank for v in (op.results[0], *op.operands)]
        known = [r for r in ranks if r is not None]
        if len(known) < len(ranks):
            return None
        places = [(v, key - known[0] + r) for v, r in zip(op.operands, known[1:])]
        return self._most((v, place) for v, place in places if place >= 0)

    def _repeated(self, op: LoopOp, index: int, key: int) -> int | None:
        """What each iteration adds at first it adds at most later on: nothing here multiplies."""
        start, trips = self.of(op.carried[index], key), self._trips_of(op, self._inference).hi
        if start is None or trips is None:
            return None
        extents = {**self._extents, (op.carried_arguments[index], key): start}
        inner = _Increments(self._inference, self._start, extents, self._trips_of, self._depth)
        after = inner.of(op.next.carried[index], key)
        return None if after is None else start + trips * max(0, after - start)

    def _most(self, extents: Iterable[Extent]) -> int | None:
        each = [self.of(*extent) for extent in extents]
        known = [d for d in each if d is not None]
        return max(known) if known and len(known) == len(each) else None


def _plus(number: int | None, more: int) -> int | None:
    return None if number is None else number + more
