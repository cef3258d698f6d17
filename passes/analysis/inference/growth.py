"""Growth of loop-carried facts: extrapolation, widening, and linear bounds of extents.

A fact that grows evenly is extrapolated, any other one that keeps changing is widened. The length of a sequence is treated like an
extent, and the facts of its elements like those of a tensor.

Inference computes bounds of extents, not relations between them: if an extent of at most 99 becomes one of at most 100, it does
not follow that 5 becomes at most 6 (a branch may be taken for 5 alone). For growth per iteration that holds for any extent before
the iteration (`grows_by_steps`), `LinearBounds` follows the extents through operations: upper bounds that are linear in a number L. An
extent is at most slope · L + offset, for every L from `start` on.

Inference alone, which knows one bound of an extent, cannot express a bound for each L. Extents are followed back through
operations. The caller chooses the slope and passes it on, so that turning each row into three elements and then each three
elements into a row restores the original bound: the search is for the offset. Numbers of elements are followed like extents,
because a Reshape preserves nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

import numpy as np
from xdsl.ir import Block, OpResult, SSAValue

from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.facts import Dim, Fact, Shape, join_shapes
from loomir.dialects.ov.operators.comparison import LogicalNotOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_unary import UnaryOp
from loomir.dialects.ov.operators.internal import CheckBoundsOp, FailOp, RequireOp
from loomir.dialects.ov.operators.joining import SplitOp, VariadicSplitOp
from loomir.dialects.ov.operators.scattering import ScatterOperation
from loomir.dialects.ovseq.sequences import AtOp, ConstructOp, EraseOp, GetOp, InsertOp, SomeOp
from loomir.dialects.ovseq.types import (
    AnyFact,
    OptionalFact,
    SequenceFact,
    join_facts,
    optional_fact,
    payload_fact,
    same_facts,
    sequence_fact,
    tensor_fact,
)
from loomir.errors import Error
from loomir.passes.analysis.inference.state import InferenceState
from loomir.passes.analysis.inference.tensor_lines import (
    ELEMENTS,
    LENGTH,
    ExtentKey,
    TensorLines,
    largest,
    least,
    tensor_in,
)


def extrapolate(facts: Sequence[AnyFact], trips: Dim) -> AnyFact:
    """Extrapolate a fact that grows by the same number in each round.

    The result is the fact after the bounded number of trips; a fact that does not grow evenly is widened.

    `facts` are those before each round so far. The result is a guess: `guess_holds` checks it at the end of the range, and
    `grows_by_steps` checks that no earlier iteration adds more. Below GRAPH a `capacity:` assertion checks it too
    (`carried_limits`).
    """
    last, previous, first = facts[-1], facts[-2], facts[-3]
    if isinstance(last, SequenceFact):
        previous, first = sequence_fact(previous), sequence_fact(first)
        if last.same(previous):
            return last
        # The elements of a sequence that is surely empty say nothing.
        elements = [f.element for f in facts if isinstance(f, SequenceFact) and f.length.hi != 0]
        # `last` is what holds before iteration len(facts) - 1; the last iteration is number trips - 1.
        length = _extrapolate_dim(first.length, previous.length, last.length, trips, len(facts))
        return SequenceFact.of(tensor_fact(_follow(elements, trips)) if elements else last.element, length)
    if isinstance(last, OptionalFact):
        values = [f.value for f in facts if isinstance(f, OptionalFact) and f.present is not False]
        if last.same(previous) or not values:
            return last
        return OptionalFact(payload_fact(_follow(values, trips)), last.present)
    previous, first = tensor_fact(previous), tensor_fact(first)
    if trips.hi is None or last.shape is None or previous.shape is None or first.shape is None:
        return widen(previous, last)
    if not len(last.shape) == len(previous.shape) == len(first.shape):
        return widen(previous, last)
    shapes = zip(first.shape, previous.shape, last.shape)
    shape = tuple(_extrapolate_dim(a, b, c, trips, len(facts)) for a, b, c in shapes)
    return Fact(last.element, shape, count=_widen_count(previous, last))


def _extrapolate_dim(a: Dim, b: Dim, c: Dim, trips: Dim, rounds: int) -> Dim:
    if a.hi is None or b.hi is None or c.hi is None or trips.hi is None:
        return _widen_dim(b, c)
    if not c.hi - b.hi == b.hi - a.hi > 0:
        return _widen_dim(b, c)
    remaining = trips.hi - (rounds - 1) - 1
    return Dim(c.lo if c.lo == b.lo else 0, c.hi + max(0, remaining) * (c.hi - b.hi))


def _follow(parts: Sequence[AnyFact], trips: Dim) -> AnyFact:
    """Extrapolate the contents of sequences or optionals, or widen them.

    Some rounds provide no facts of the contents.
    """
    return extrapolate(parts, trips) if len(parts) >= 3 else widen(parts[0], parts[-1])


def guess_holds(
    history: Sequence[Sequence[AnyFact]], before: Sequence[AnyFact], joined: Sequence[AnyFact]
) -> bool:
    """Return True if an extrapolated guess holds for the last iteration.

    The last iteration must add to an extrapolated extent what each earlier one did, and nothing else may change.

    `before` is the guess of the facts before the last iteration, `joined` its join with the facts after that iteration; the three
    entries before the last one of `history` are the basis of the extrapolation.
    """
    return all(map(_adds_alike, history[-4], history[-3], history[-2], before, joined))


def _adds_alike(first: AnyFact, second: AnyFact, third: AnyFact, guess: AnyFact, after: AnyFact) -> bool:
    if same_facts(after, guess):
        return True
    if isinstance(after, SequenceFact):
        first, second, third, guess = map(sequence_fact, (first, second, third, guess))
        if guess.items is not None:
            # Something is said of each element, and not that any more.
            return False
        start = second.element if first.length.hi == 0 else first.element
        return _grows_alike(
            first.length, second.length, third.length, guess.length, after.length
        ) and _adds_alike(start, second.element, third.element, guess.element, after.element)
    if isinstance(after, OptionalFact):
        guess = optional_fact(guess)
        return after.present == guess.present and same_facts(after.value, guess.value)
    guess = tensor_fact(guess)
    if not guess.same(guess.without_content()):
        # An iteration leaves the bounds of contents that it is to keep: what its operations say holds for those alone.
        return False
    shapes = [tensor_fact(f).shape for f in (first, second, third, guess, after)]
    if any(s is None or len(s) != len(shapes[0] or ()) for s in shapes):
        return False
    if not all(map(_grows_alike, *(s or () for s in shapes))):
        return False
    if guess.count is not None and (after.elements.hi is None or after.elements.hi > guess.count):
        return False
    return join_facts(after.without_content(), guess).same(after)


def _grows_alike(a: Dim, b: Dim, c: Dim, guess: Dim, after: Dim) -> bool:
    """Return True if the last iteration adds no more than earlier ones.

    (An extent that did not grow evenly was not extrapolated: if it grows now, it exceeds the guess.)
    """
    if after == guess:
        return True
    if a.hi is None or b.hi is None or c.hi is None or guess.hi is None or after.hi is None:
        return False
    step = b.hi - a.hi
    return after.lo == guess.lo and after.hi - guess.hi <= step == c.hi - b.hi


def widen(previous: AnyFact, last: AnyFact) -> AnyFact:
    """Widen a fact to guarantee a fixpoint.

    The parts that changed are dropped: a dimension's bound, or bounds of contents.
    """
    if same_facts(last, previous):
        return last
    if isinstance(last, SequenceFact):
        previous = sequence_fact(previous)
        element = last.element if previous.length.hi == 0 else widen(previous.element, last.element)
        return SequenceFact.of(tensor_fact(element), _widen_dim(previous.length, last.length))
    if isinstance(last, OptionalFact):
        previous = optional_fact(previous)
        value = last.value if previous.present is False else widen(previous.value, last.value)
        return OptionalFact(payload_fact(value), last.present)
    previous = tensor_fact(previous)
    if last.shape is None or previous.shape is None or len(last.shape) != len(previous.shape):
        # There are so many ranks: what grows in rank comes to an end, or to a shape that no tensor can have.
        shapes = join_shapes(previous.shapes, last.shapes, _widen_dim)
        return Fact.of_shapes(last.element, shapes, _widen_count(previous, last))
    shape: Shape = tuple(_widen_dim(p, c) for p, c in zip(previous.shape, last.shape))
    widened = Fact(last.element, shape, count=_widen_count(previous, last))
    a, b = previous.bounds, last.bounds
    if a is None or b is None or a[0].shape != b[0].shape:
        return widened
    lo = np.where(b[0] < a[0], np.iinfo(np.int64).min, b[0])
    hi = np.where(b[1] > a[1], np.iinfo(np.int64).max, b[1])
    return replace(widened, lo=lo, hi=hi)


def _widen_count(previous: Fact, last: Fact) -> int | None:
    most = last.elements.hi
    return most if most == previous.elements.hi else None


def _widen_dim(previous: Dim, last: Dim) -> Dim:
    lo = last.lo if last.lo == previous.lo else 0
    return Dim(lo, last.hi if last.hi == previous.hi else None)


MAX_LINE_DEPTH = 100
"""Operations that are looked back through."""

MAX_LINE_QUERIES = 5000
"""Maximum number of extents followed for one query.

A chain of operations may request one extent with ever different slopes.
"""

_KEEPS = (
    UnaryOp,
    ConvertOp,
    LogicalNotOp,
    RequireOp,
    CheckBoundsOp,
    ScatterOperation,
    SplitOp,
    VariadicSplitOp,
    SomeOp,
    GetOp,
    AtOp,
)
"""No extent of a result is larger than the first operand's."""


@dataclass(frozen=True, slots=True)
class LinearBound:
    """At most slope · L + offset."""

    slope: Fraction
    offset: Fraction


class LinearBounds(TensorLines):
    """Extents bounded by lines, and the bounds of others derived from them.

    The facts of `inference` hold for each L. `trips_of` returns the bounds of a loop's trip count.
    """

    def __init__(
        self,
        inference: InferenceState,
        start: int,
        extents: Mapping[ExtentKey, LinearBound],
        trips_of: Callable[[LoopOp, InferenceState], Dim],
        outer: LinearBounds | None = None,
    ) -> None:
        super().__init__(inference, start)
        self._extents = extents
        self._trips_of = trips_of
        self._found: dict[tuple[SSAValue, int, Fraction], Fraction | None] = {}
        self._questions = iter(range(MAX_LINE_QUERIES)) if outer is None else outer._questions
        self._depth = 0 if outer is None else outer._depth
        self._rounds = outer is None

    def offset(self, value: SSAValue, key: int, slope: Fraction) -> Fraction | None:
        asked = value, key, slope
        if asked not in self._found:
            fact, line = self.inference.known(value), self._extents.get((value, key))
            most = largest(fact, key)
            known = [
                None
                if line is None or line.slope > slope
                else line.offset - (slope - line.slope) * self.start,
                None if most is None else most - slope * self.start,
            ]
            if self._depth < MAX_LINE_DEPTH and next(self._questions, None) is not None:
                self._depth += 1
                with suppress(Error):  # illegal, in a branch that is not meant for these shapes
                    known.append(self._through(value, key, slope))
                tensor = tensor_in(fact)
                if key == ELEMENTS and tensor is not None and tensor.shape is not None:
                    known.append(self.product(value, range(len(tensor.shape)), slope))
                self._depth -= 1
            found = least(known)
            if found is not None and self._rounds and slope.denominator == 1:
                # Extents and L are whole numbers.
                found = Fraction(floor(found))
            self._found[asked] = found
        return self._found[asked]

    def _through(self, value: SSAValue, key: int, slope: Fraction) -> Fraction | None:
        if not isinstance(value, OpResult):
            return self._of_part(value, key, slope)
        op = value.op
        if isinstance(op, IfOp):
            return self._of_branches(op, value.index, key, slope)
        if isinstance(op, LoopOp):
            made = value.index - len(op.final)
            return (
                self._repeated(op, value.index, key, slope) if made < 0 else self._made(op, made, key, slope)
            )
        if isinstance(op, _KEEPS):
            return self.offset(op.operands[0], key, slope)
        if isinstance(op, ConstructOp | InsertOp | EraseOp):
            return self._of_sequence(op, key, slope)
        return self.of_elements(op, slope) if key == ELEMENTS else self.of_extent(op, key, slope)

    def _of_branches(self, op: IfOp, index: int, key: int, slope: Fraction) -> Fraction | None:
        """A branch that surely fails gives nothing."""
        condition = self.inference.fact(op.cond).value
        ends = [op.then_yield, op.else_yield]
        taken = ends if condition is None else [ends[0 if condition.reshape(()) else 1]]
        values = [end.values[index] for end in taken if not isinstance(end.values[index].owner, FailOp)]
        return self.most(((value, key) for value in values), slope)

    def _of_part(self, value: SSAValue, key: int, slope: Fraction) -> Fraction | None:
        """Return the offset of a slice of a sliced loop input.

        A slice has the full extent of the input on all axes but the sliced one.
        """
        loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
        if key == ELEMENTS or not isinstance(loop, LoopOp) or value not in loop.part_arguments:
            return None
        index = loop.part_arguments.index(value)
        axis = self._axis(loop.sliced[index], loop.slicings[index])
        return None if axis in (None, key) else self.offset(loop.sliced[index], key, slope)

    def _made(self, op: LoopOp, index: int, key: int, slope: Fraction) -> Fraction | None:
        """Return the offset of a loop's last value or concatenated output.

        On the axis of concatenation there are as many parts as can be cut from each of the sliced inputs.
        """
        values, lasts = [*op.next.last, *op.next.concat], len(op.next.last)
        if index < lasts:
            return self.offset(values[index], key, slope)
        axis = self._axis(values[index], op.concatenations[index - lasts])
        if key == ELEMENTS or axis is None:
            return None
        if key != axis:
            return self.offset(values[index], key, slope)
        part = largest(self.inference.known(values[index]), key)
        found: list[Fraction | None] = []
        for value, cut in zip(op.sliced, op.slicings):
            if part and (place := self._axis(value, cut)) is not None:
                times = Fraction(part, max(1, abs(cut.stride)))
                offset = self.offset(value, place, slope / times)
                found.append(None if offset is None else offset * times)
        return least(found)

    def _axis(self, value: SSAValue, cut: Slicing) -> int | None:
        rank = self.inference.fact(value).rank
        return None if rank is None else cut.normalised_axis(rank)

    def _repeated(self, op: LoopOp, index: int, key: int, slope: Fraction) -> Fraction | None:
        """Return the offset of a carried value after all iterations.

        A later iteration adds at most what the first one adds: an offset passes through sums and is divided in some places. Where it
        would be multiplied, a smaller slope is requested, for which no bound of the carried values is known. Nothing is rounded:
        rounding would increase the offset, which is multiplied afterwards.
        """
        start, trips = self.offset(op.carried[index], key, slope), self._trips_of(op, self.inference).hi
        if start is None or trips is None:
            return None
        extents = {**self._extents, (op.carried_arguments[index], key): LinearBound(slope, start)}
        inner = LinearBounds(self.inference, self.start, extents, self._trips_of, self)
        after = inner.offset(op.next.carried[index], key, slope)
        return None if after is None else start + trips * max(Fraction(0), after - start)

    def _of_sequence(
        self, op: ConstructOp | InsertOp | EraseOp, key: int, slope: Fraction
    ) -> Fraction | None:
        """Where an element comes or goes."""
        if isinstance(op, ConstructOp):
            return None if key == LENGTH else self.most(((o, key) for o in op.inputs), slope)
        if isinstance(op, EraseOp):
            return self.longer(op.sequence, key, slope, -1 if key == LENGTH else 0)
        if key == LENGTH:
            return self.longer(op.sequence, key, slope, 1)
        return self.most([(op.sequence, key), (op.tensor, key)], slope)


def grows_by_steps(
    op: LoopOp,
    inference: InferenceState,
    history: Sequence[Sequence[AnyFact]],
    before: Sequence[AnyFact],
    joined: Sequence[AnyFact],
    trips_of: Callable[[LoopOp, InferenceState], Dim],
) -> bool:
    """Return True if no iteration adds more than the first step.

    The extents are those that grow from `before` to `joined`; the first step is the growth from `history[-4]` to `history[-3]`.

    `before` is the guess of the facts before the last iteration, and the facts in `inference` follow from it; `history[-2]` are the
    facts from which the guess was extrapolated. By induction the guess then holds before each iteration.
    """
    steps: dict[ExtentKey, tuple[int, int]] = {}
    nexts: dict[ExtentKey, SSAValue] = {}
    for k, (argument, value) in enumerate(zip(op.carried_arguments, op.next.carried)):
        for key in _keys(joined[k]):
            if largest(before[k], key) == largest(joined[k], key):
                continue
            start = largest(history[-2][k], key)
            first, second = (largest(history[at][k], key) for at in (-4, -3))
            if start is None or first is None or second is None or second <= first:
                return False
            steps[argument, key] = start, second - first
            nexts[argument, key] = value
    for extent, (start, step) in steps.items():
        # Where this one has come to L, others have gone as many steps.
        slopes = {e: (other, Fraction(each, step)) for e, (other, each) in steps.items()}
        extents = {e: LinearBound(slope, other - slope * start) for e, (other, slope) in slopes.items()}
        added = LinearBounds(inference, start, extents, trips_of).offset(
            nexts[extent], extent[1], Fraction(1)
        )
        if added is None or added > step:
            return False
    return True


def _keys(fact: AnyFact) -> Iterable[int]:
    tensor, held = tensor_in(fact), fact.value if isinstance(fact, OptionalFact) else fact
    rank = None if tensor is None else tensor.rank
    return range(LENGTH if isinstance(held, SequenceFact) else 0, rank or 0)
