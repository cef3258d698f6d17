"""Extrapolation and widening of loop-carried facts that keep changing.

A fact that grows evenly is extrapolated, any other one is widened.

The length of a sequence is treated like an extent, and the facts of its elements like those of a tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from loomir.dialects.ov.facts import Dim, Fact, Shape, join_shapes
from loomir.dialects.ovseq.facts import (
    AnyFact,
    OptionalFact,
    SequenceFact,
    held_fact,
    join_facts,
    optional_fact,
    same_facts,
    sequence_fact,
    tensor_fact,
)


def extrapolate(facts: Sequence[AnyFact], trips: Dim) -> AnyFact:
    """Extrapolate a fact that grows by the same number in each round.

    The result is the fact after the bounded number of trips; a fact that does not grow evenly is widened.

    `facts` are those before each round so far. The result is a guess: `guess_holds` checks it at the end of the range, and
    `grows_by_steps` (see `increments`) checks that no earlier iteration adds more. Below GRAPH a `capacity:` assertion checks it too
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
        return OptionalFact(held_fact(_follow(values, trips)), last.present)
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
        return OptionalFact(held_fact(value), last.present)
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
