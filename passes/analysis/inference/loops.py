"""Facts of `ov.loop`: trip-count bounds, the fixpoint over carried values, and the results.

Carried facts start as the initial ones and are joined with the next ones around the back edge. Where the trip count has
an upper bound of at most `EXACT_ROUNDS`, the body is gone through that often without widening: the facts before round t hold
before iteration t, so a value that grows by a row each time gets the exact bound. Otherwise what still changes after
`FREE_ROUNDS` is extrapolated, if it grows by the same number each round and the trips are bounded, or else widened: contents
are forgotten, an upper bound that grows is dropped, a lower bound that falls becomes 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from loomir.dialects.element_types import i64
from loomir.dialects.ov.control_flow import LoopOp
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.loop_slices import Slicing
from loomir.errors import Error
from loomir.passes.analysis.inference.transfer import layer_name

if TYPE_CHECKING:
    from loomir.passes.analysis.inference.solver import Inference

EXACT_ROUNDS = 64
"""Loops of at most this many trips are followed trip by trip (outermost loops; `FREE_ROUNDS` inside others)."""

FREE_ROUNDS = 3
"""Rounds before what still changes is extrapolated or widened."""


def infer_loop(op: LoopOp, inference: Inference) -> Sequence[Fact]:
    """Facts of the loop's results; those of its body are left in `inference`, joined over all iterations."""
    try:
        trips = _entry_trips(op, inference)
        initial = [inference.fact(v) for v in op.carried]
        if trips.hi == 0:
            # The body never runs: its values keep what their types say.
            return _results_of_no_trip(op, inference, initial)
        inference.depth += 1
        try:
            carried = _fixpoint(op, inference, trips, initial)
        finally:
            inference.depth -= 1
        return _results(op, inference, trips, carried)
    except Error as error:
        raise error.at(layer=layer_name(op), op=op.name) from None


def trip_bounds(op: LoopOp, inference: Inference) -> Dim:
    """How often the body may run, given the facts that `inference` holds after it went through the loop."""
    entry = _entry_trips(op, inference)
    return entry if entry.hi == 0 else _after_condition(op, inference, entry)


def _entry_trips(op: LoopOp, inference: Inference) -> Dim:
    """Bounds of the trips from the operands alone: trip count, slices, initial condition.

    The slices bound the trips beside a trip count too: going beyond them is an error. Errors: `loop-axis`, `loop-range`, `loop-stride`,
    `loop-part-size`.
    """
    limits: list[Dim] = []
    unlimited = op.trip is None
    if op.trip is not None:
        bounds = inference.fact(op.trip).bounds
        lo, hi = (-1, None) if bounds is None else (int(bounds[0].reshape(())), int(bounds[1].reshape(())))
        if hi is not None and hi < 0:
            unlimited = True  # a negative count is none
        elif lo >= 0:
            limits.append(Dim(lo, hi))
        else:
            limits.append(Dim())
    slices = [_slice_trips(inference.fact(v).shape, cut) for v, cut in zip(op.sliced, op.slicings)]
    if (
        op.cond is not None
        and (condition := inference.fact(op.cond).value) is not None
        and not bool(condition)
    ):
        return Dim(0, 0)
    his = [d.hi for d in (*limits, *slices) if d.hi is not None]
    high = min(his) if his else None
    if unlimited:
        # The condition alone ends it, or the slices do.
        low = min((d.lo for d in slices), default=1)
    else:
        low = limits[0].lo
    if op.cond is not None and inference.fact(op.cond).value is None:
        low = 0
    return Dim(low if high is None else min(low, high), high)


def _slice_trips(shape: Shape | None, cut: Slicing) -> Dim:
    return Dim() if shape is None else cut.trip_bounds(shape[cut.normalised_axis(len(shape))])


def _after_condition(op: LoopOp, inference: Inference, trips: Dim) -> Dim:
    """The same, with what is known of the body's own condition after the body has facts."""
    condition = op.next.cond
    if condition is None:
        return trips
    value = inference.fact(condition).value
    if value is None:
        return Dim(min(trips.lo, 1), trips.hi)
    if bool(value):
        return trips
    return Dim(min(trips.lo, 1), 1 if trips.hi is None else min(trips.hi, 1))


def _fixpoint(op: LoopOp, inference: Inference, trips: Dim, initial: list[Fact]) -> list[Fact]:
    """Go through the body until the carried facts are stable; returns the facts of the carried results."""
    exact = EXACT_ROUNDS if inference.depth == 1 else FREE_ROUNDS
    bounded = trips.hi is not None and trips.hi <= exact
    high = trips.hi
    iteration_end = high - 1 if high is not None else np.iinfo(np.int64).max
    inference.facts[op.iteration] = Fact.of_ints(i64, np.array(0), np.array(iteration_end))
    for argument, value, cut in zip(op.part_arguments, op.sliced, op.slicings):
        inference.facts[argument] = _part_of(inference.fact(value), cut)

    before = list(initial)
    history: list[list[Fact]] = [list(initial)]
    rounds = 0
    while True:
        for argument, fact in zip(op.carried_arguments, before):
            inference.facts[argument] = fact
        inference.run_block(op.body.block)
        after = [inference.fact(v) for v in op.next.carried]
        rounds += 1
        joined = [b.join(a) for b, a in zip(before, after)]
        stable = all(j.same(b) for j, b in zip(joined, before))
        if _runs_once(op, inference, trips):
            return after if trips.lo >= 1 else joined
        if bounded and high is not None and rounds >= high:
            # Every iteration has been gone through: `before` holds for each, `joined` for whatever comes out.
            precise = trips.lo == high and op.next.cond is None and high == 1
            return after if precise else _final(op, inference, trips, initial, joined, after)
        if stable or (rounds == FREE_ROUNDS + 1 and not bounded and _guess_holds(history, before, joined)):
            return _final(op, inference, trips, initial, joined, after)
        history.append(joined)
        if not bounded and rounds >= FREE_ROUNDS:
            joined = [
                _extrapolate(facts, trips) if rounds == FREE_ROUNDS else _widen(facts[-2], facts[-1])
                for facts in zip(*history)
            ]
            history.append(joined)
        before = joined


def _runs_once(op: LoopOp, inference: Inference, trips: Dim) -> bool:
    return _after_condition(op, inference, trips).hi == 1


def _final(
    op: LoopOp, inference: Inference, trips: Dim, initial: list[Fact], joined: list[Fact], after: list[Fact]
) -> list[Fact]:
    """Carried results: the join of every iteration's, without the initial value where an iteration surely ran."""
    if _after_condition(op, inference, trips).lo >= 1:
        # `after` follows from the join of all values before an iteration, so it covers each iteration's result.
        return after
    return joined


def _extrapolate(facts: Sequence[Fact], trips: Dim) -> Fact:
    """What a value that grows by the same number in each round comes to within the bounded trips; else widened.

    It is a guess where the growth is not linear: `_guess_holds` checks it at the end of the range, and below GRAPH a value that
    outgrows its capacity nevertheless is a `capacity:` error when the program runs.
    """
    last, previous, first = facts[-1], facts[-2], facts[-3]
    if trips.hi is None or any(f.shape is None for f in (last, previous, first)):
        return _widen(previous, last)
    assert last.shape is not None
    assert previous.shape is not None
    assert first.shape is not None
    if not len(last.shape) == len(previous.shape) == len(first.shape):
        return _widen(previous, last)
    shape: list[Dim] = []
    for a, b, c in zip(first.shape, previous.shape, last.shape):
        if c.hi is not None and b.hi is not None and a.hi is not None and c.hi - b.hi == b.hi - a.hi > 0:
            # `last` is what holds before iteration len(facts) - 1; the last iteration is number trips - 1.
            remaining = trips.hi - (len(facts) - 1) - 1
            shape.append(Dim(c.lo if c.lo == b.lo else 0, c.hi + max(0, remaining) * (c.hi - b.hi)))
        else:
            shape.append(_widen_dim(b, c))
    return Fact(last.element, tuple(shape))


def _guess_holds(history: Sequence[Sequence[Fact]], before: Sequence[Fact], joined: Sequence[Fact]) -> bool:
    """Whether the last iteration adds to an extrapolated extent what each one before did, and nothing else changes.

    `before` is the guess of what holds before the last iteration, `joined` that and what comes out of it.
    """
    for first, second, guess, after in zip(history[-4], history[-3], before, joined):
        if after.same(guess):
            continue
        shapes = [f.shape for f in (first, second, guess, after)]
        if any(s is None or len(s) != len(shapes[0] or ()) for s in shapes):
            return False
        for a, b, g, x in zip(*(s or () for s in shapes)):
            if x == g:
                continue
            if None in (a.hi, b.hi, g.hi, x.hi) or x.lo != g.lo or x.hi - g.hi > b.hi - a.hi:
                return False
        if not after.without_content().join(guess.without_content()).same(after):
            return False
    return True


def _widen(previous: Fact, last: Fact) -> Fact:
    """Forget what changed, so that a fixpoint comes: a dimension's bound, or bounds of contents."""
    if last.same(previous):
        return last
    if last.shape is None or previous.shape is None or len(last.shape) != len(previous.shape):
        return Fact(last.element, None)
    shape: Shape = tuple(_widen_dim(p, c) for p, c in zip(previous.shape, last.shape))
    a, b = previous.bounds, last.bounds
    if a is None or b is None or a[0].shape != b[0].shape:
        return Fact(last.element, shape)
    lo = np.where(b[0] < a[0], np.iinfo(np.int64).min, b[0])
    hi = np.where(b[1] > a[1], np.iinfo(np.int64).max, b[1])
    return Fact(last.element, shape, lo=lo, hi=hi)


def _widen_dim(previous: Dim, last: Dim) -> Dim:
    lo = last.lo if last.lo == previous.lo else 0
    return Dim(lo, last.hi if last.hi == previous.hi else None)


def _part_of(fact: Fact, cut: Slicing) -> Fact:
    if fact.shape is None:
        return Fact(fact.element, None)
    axis = cut.normalised_axis(len(fact.shape))
    size = Dim(cut.part_size, cut.part_size)
    return Fact(fact.element, (*fact.shape[:axis], size, *fact.shape[axis + 1 :]))


def _results(op: LoopOp, inference: Inference, trips: Dim, carried: list[Fact]) -> list[Fact]:
    trips = _after_condition(op, inference, trips)
    results = [f if trips.lo else f.join(inference.fact(v)) for f, v in zip(carried, op.carried)]
    for value in op.next.last:
        fact = inference.fact(value).without_content()
        results.append(fact if trips.lo else _or_empty(fact))
    for value, join in zip(op.next.concat, op.concatenations):
        results.append(_concatenation(inference.fact(value), join, trips))
    return results


def _concatenation(part: Fact, join: Slicing, trips: Dim) -> Fact:
    if part.shape is None:
        return Fact(part.element, None)
    axis = join.normalised_axis(len(part.shape))
    shape = part.shape if trips.lo else _or_empty(part).shape
    assert shape is not None
    return Fact(part.element, (*shape[:axis], part.shape[axis] * trips, *shape[axis + 1 :]))


def _or_empty(fact: Fact) -> Fact:
    """After zero iterations an extent that is not known from the types is 0."""
    if fact.shape is None:
        return fact.without_content()
    return Fact(fact.element, tuple(d if d.static is not None else Dim(0, d.hi) for d in fact.shape))


def _results_of_no_trip(op: LoopOp, inference: Inference, initial: list[Fact]) -> list[Fact]:
    """Zero iterations: initial values, zeros, and concatenations of length 0."""
    none = Dim(0, 0)
    # The body's shapes are still wanted: they are those of one iteration that does not happen.
    inference.facts[op.iteration] = Fact.of_ints(i64, np.array(0), np.array(0))
    for argument, fact in zip(op.carried_arguments, initial):
        inference.facts[argument] = fact.without_content()
    for argument, value, cut in zip(op.part_arguments, op.sliced, op.slicings):
        inference.facts[argument] = _part_of(inference.fact(value), cut)
    inference.run_block(op.body.block)
    results = list(initial)
    results.extend(_known_empty(inference.fact(v)) for v in op.next.last)
    for value, join in zip(op.next.concat, op.concatenations):
        fact = _known_empty(inference.fact(value))
        if fact.shape is None:
            results.append(fact)
            continue
        axis = join.normalised_axis(len(fact.shape))
        results.append(Fact(fact.element, (*fact.shape[:axis], none, *fact.shape[axis + 1 :])))
    return results


def _known_empty(fact: Fact) -> Fact:
    """The shape after no iteration at all: what is not one number is 0."""
    if fact.shape is None:
        return fact.without_content()
    return Fact(fact.element, tuple(d if d.static is not None else Dim(0, 0) for d in fact.shape))
