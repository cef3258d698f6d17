"""Facts of `ov.loop`.

The module computes trip-count bounds, the fixpoint over carried values, and the results.

Carried facts start as the initial ones and are joined with the next ones around the back edge. If the trip count has an upper
bound of at most `EXACT_ROUNDS`, the body is analysed that many times without widening: the facts before round t hold before
iteration t, so a value that grows by a row each time has the exact bound. The same is done wherever a value gains ranks, but
not where one multiplies until only the capacity bounds it. Otherwise, a fact that still changes after `FREE_ROUNDS` is
extrapolated if it grows by the same number each round and the trips are bounded, or else widened: contents are dropped, an
upper bound that grows is dropped, a lower bound that falls becomes 0. One more analysis of the body then recovers the bounds
that the body itself sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.loops import types_of_no_trip
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.internal import FailOp, failure_of
from loomir.dialects.ovseq.types import AnyFact, join_facts, same_facts
from loomir.errors import Error
from loomir.passes.analysis.inference.growth import extrapolate, grows_by_steps, guess_holds, widen
from loomir.passes.analysis.inference.state import (
    CarriedLimits,
    InferenceState,
    limit_concatenation,
    outgrown,
)

EXACT_ROUNDS = 64
"""Maximum trip count of loops that are analysed trip by trip.

It applies to outermost loops; for nested ones the maximum is `FREE_ROUNDS`.
"""

FREE_ROUNDS = 3
"""Rounds before what still changes is extrapolated or widened."""


def infer_loop(op: LoopOp, inference: InferenceState) -> Sequence[AnyFact]:
    """Infer the facts of the loop's results.

    The facts of its body remain in `inference`, joined over all iterations.
    """
    try:
        for cut in (*op.slicings, *op.concatenations):
            cut.check_stride()
        trips = _entry_trips(op, inference)
        initial = [inference.any_fact(v) for v in op.carried]
        inference.impossible.pop(op.body.block, None)
        if trips.hi == 0:
            # The body never runs: its values keep what their types say.
            return results_of_no_trip(op, inference, initial)
        inference.depth += 1
        try:
            carried = _fixpoint(op, inference, trips, initial)
        finally:
            inference.depth -= 1
        if op.body.block in inference.impossible:
            return _results_without_body(op, initial)
        return _results(op, inference, trips, carried)
    except Error as error:
        raise located(error, op) from None


def trip_bounds(op: LoopOp, inference: InferenceState) -> Dim:
    """Return the bounds of a loop's trip count.

    They follow from the facts that `inference` holds after the analysis of the loop.
    """
    entry = _entry_trips(op, inference)
    return entry if entry.hi == 0 else _after_condition(op, inference, entry)


def _entry_trips(op: LoopOp, inference: InferenceState) -> Dim:
    """Return the trip count's bounds that follow from the operands alone.

    The operands are the trip count, slices and initial condition. The slices bound the trips beside a trip count too: going beyond
    them is an error. Errors: `loop-axis`, `loop-range`, `loop-stride`, `loop-part-size`.
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


def _after_condition(op: LoopOp, inference: InferenceState, trips: Dim) -> Dim:
    """Refine the trip count's bounds by the body's own condition.

    The body must have facts already.
    """
    condition = op.next.cond
    if condition is None:
        return trips
    value = inference.fact(condition).value
    if value is None:
        return Dim(min(trips.lo, 1), trips.hi)
    if bool(value):
        return trips
    return Dim(min(trips.lo, 1), 1 if trips.hi is None else min(trips.hi, 1))


def _fixpoint(op: LoopOp, inference: InferenceState, trips: Dim, initial: list[AnyFact]) -> list[AnyFact]:
    """Analyse the body until the carried facts are stable.

    Returns the facts of the carried results.
    """
    exact = EXACT_ROUNDS if inference.depth == 1 else FREE_ROUNDS
    bounded = trips.hi is not None and trips.hi <= exact
    found = _rounds(op, inference, trips, initial, bounded=bounded)
    if found is None:
        found = _rounds(op, inference, trips, initial, bounded=False)
        assert found is not None
    return found


def _rounds(
    op: LoopOp, inference: InferenceState, trips: Dim, initial: list[AnyFact], *, bounded: bool
) -> list[AnyFact] | None:
    """Analyse the body until the carried facts are stable, or return None.

    If the trips are `bounded`, the body is analysed trip by trip. The result is None if a value then multiplies until nothing
    bounds it.
    """
    follows = bounded
    high = trips.hi
    iteration_end = high - 1 if high is not None else np.iinfo(np.int64).max
    inference.facts[op.iteration] = Fact.of_ints(i64, np.array(0), np.array(iteration_end))
    for argument, value, cut in zip(op.part_arguments, op.sliced, op.slicings):
        inference.facts[argument] = _part_of(inference.fact(value), cut)

    limits = CarriedLimits(op, inference, initial)
    before = list(initial)
    history: list[list[AnyFact]] = [list(initial)]
    rounds = 0
    usual = 0  # limits that the first iteration needs
    while True:
        used = inference.limits_used
        for argument, fact in zip(op.carried_arguments, before):
            inference.set(argument, fact)
        try:
            _run_body(op, inference)
        except Error as error:
            # What is illegal for the initial values is an error when the loop runs, which it perhaps does not.
            if rounds or trips.lo:
                raise
            inference.impossible[op.body.block] = error
            return before
        used = inference.limits_used - used
        if rounds == 0:
            usual = used
        elif follows and used > usual and outgrown(before, initial, inference.capacity):
            return None
        after = limits.apply([inference.any_fact(v) for v in op.next.carried])
        rounds += 1
        joined = limits.apply([join_facts(b, a) for b, a in zip(before, after)])
        stable = all(same_facts(j, b) for j, b in zip(joined, before))
        if _runs_once(op, inference, trips):
            return after if trips.lo >= 1 else joined
        if bounded and high is not None and rounds >= high:
            # Every iteration has been gone through: `before` holds for each, `joined` for whatever comes out.
            precise = trips.lo == high and op.next.cond is None and high == 1
            return after if precise else _final(op, inference, trips, initial, joined, after)
        if stable and not limits.most:
            joined, after = _narrowed(op, inference, initial, before, after)
        if not stable and rounds == FREE_ROUNDS + 1 and not bounded and guess_holds(history, before, joined):
            stable = grows_by_steps(op, inference, history, before, joined, trip_bounds)
            if stable:
                limits.assume(before, history[-2])
        if stable:
            return _final(op, inference, trips, initial, joined, after)
        history.append(joined)
        if not bounded and rounds == FREE_ROUNDS and high is not None and high <= EXACT_ROUNDS:
            bounded = any(map(_gains_ranks, before, joined))
        if not bounded and rounds >= FREE_ROUNDS:
            joined = limits.apply(
                [
                    extrapolate(facts, trips) if rounds == FREE_ROUNDS else widen(facts[-2], facts[-1])
                    for facts in zip(*history)
                ]
            )
            history.append(joined)
        before = joined


def _run_body(op: LoopOp, inference: InferenceState) -> None:
    """Infer the facts of the body from those of its arguments.

    Errors: if the body is illegal; `forbidden-branch` if it contains an `ov.fail`.
    """
    inference.run_block(op.body.block)
    failure = failure_of(op.body.block)
    if failure is not None and any(
        not isinstance(o, FailOp | ConstantOp | NextOp) for o in op.body.block.ops
    ):
        raise Error("forbidden-branch", failure.reason.data)


def _gains_ranks(before: AnyFact, joined: AnyFact) -> bool:
    """Return True if an iteration adds possible ranks to a fact.

    Widening would not end before every rank is included.
    """
    return isinstance(before, Fact) and isinstance(joined, Fact) and len(joined.shapes) > len(before.shapes)


def _narrowed(
    op: LoopOp, inference: InferenceState, initial: list[AnyFact], stable: list[AnyFact], after: list[AnyFact]
) -> tuple[list[AnyFact], list[AnyFact]]:
    """Narrow stable facts that may have been widened too far.

    Returns the facts before any iteration and the facts after one.

    Widening drops a bound that the body itself sets (`min(n + 1, 8)`). Since inference is monotone, the facts that the body yields
    for stable facts, joined with the initial ones, are stable as well, and at least as precise.
    """
    smaller = [join_facts(i, a) for i, a in zip(initial, after)]
    if all(same_facts(a, b) for a, b in zip(smaller, stable)):
        return stable, after
    for facts in (smaller, stable):
        for argument, fact in zip(op.carried_arguments, facts):
            inference.set(argument, fact)
        inference.run_block(op.body.block)
        again = [inference.any_fact(v) for v in op.next.carried]
        if all(same_facts(join_facts(f, a), f) for f, a in zip(facts, again)):
            return facts, again
    raise AssertionError("facts that were stable are not")


def _runs_once(op: LoopOp, inference: InferenceState, trips: Dim) -> bool:
    return _after_condition(op, inference, trips).hi == 1


def _final(
    op: LoopOp,
    inference: InferenceState,
    trips: Dim,
    initial: list[AnyFact],
    joined: list[AnyFact],
    after: list[AnyFact],
) -> list[AnyFact]:
    """Return the facts of the carried results.

    They are the join over all iterations, without the initial value if at least one iteration is certain to run.
    """
    if _after_condition(op, inference, trips).lo >= 1:
        # `after` follows from the join of all values before an iteration, so it covers each iteration's result.
        return after
    return joined


def _part_of(fact: Fact, cut: Slicing) -> Fact:
    if fact.shape is None:
        return Fact(fact.element, None)
    axis = cut.normalised_axis(len(fact.shape))
    size = Dim(cut.part_size, cut.part_size)
    return Fact(fact.element, (*fact.shape[:axis], size, *fact.shape[axis + 1 :]))


def _results(op: LoopOp, inference: InferenceState, trips: Dim, carried: list[AnyFact]) -> list[AnyFact]:
    trips = _after_condition(op, inference, trips)
    results = [f if trips.lo else join_facts(f, inference.any_fact(v)) for f, v in zip(carried, op.carried)]
    for value in op.next.last:
        fact = inference.fact(value).without_content()
        results.append(fact if trips.lo else _or_empty(fact))
    for value, join in zip(op.next.concat, op.concatenations):
        results.append(_concatenation(inference.fact(value), join, trips, inference))
    return results


def _concatenation(part: Fact, join: Slicing, trips: Dim, inference: InferenceState) -> Fact:
    if part.shape is None:
        return Fact(part.element, None)
    axis = join.normalised_axis(len(part.shape))
    shape = part.shape if trips.lo else _or_empty(part).shape
    assert shape is not None
    whole = Fact(part.element, (*shape[:axis], part.shape[axis] * trips, *shape[axis + 1 :]))
    return limit_concatenation(whole, axis, part.shape[axis], inference)


def _or_empty(fact: Fact) -> Fact:
    """Return the fact of a result after zero iterations.

    An extent is that of the first iteration if it is determined outside of the loop, and 0 otherwise.
    """
    if fact.shape is None:
        return fact.without_content()
    shape = tuple(d if d.static is not None else Dim(0, d.hi) for d in fact.shape)
    return replace(fact.without_content(), shape=shape)


def results_of_no_trip(op: LoopOp, inference: InferenceState, initial: Sequence[AnyFact]) -> list[AnyFact]:
    """Return the result facts of a loop with zero iterations.

    They are initial values, zeros, and concatenations of length 0, with the extents that the first iteration would produce.

    If `inference` knows the values outside of the loop, the extents that remain unknown are 0.
    """
    inference.facts[op.iteration] = Fact.of_ints(i64, np.array(0), np.array(0))
    for argument, fact in zip(op.carried_arguments, initial):
        inference.set(argument, fact)
    for argument, value, cut in zip(op.part_arguments, op.sliced, op.slicings):
        inference.facts[argument] = _part_of(inference.fact(value), cut)
    try:
        _run_body(op, inference)
    except Error as error:
        inference.impossible[op.body.block] = error
        return _results_without_body(op, initial)
    results = list(initial)
    results.extend(_or_empty(inference.fact(v)) for v in op.next.last)
    for value, join in zip(op.next.concat, op.concatenations):
        results.append(_concatenation(inference.fact(value), join, Dim(0, 0), inference))
    return results


def _results_without_body(op: LoopOp, initial: Sequence[AnyFact]) -> list[AnyFact]:
    """Return the result facts of a loop whose first iteration would fail.

    Such a loop yields results only after zero iterations, and only types are known of its body.
    """
    return [*initial, *map(Fact.of_type, types_of_no_trip(op))]
