"""Limits for unbounded extents.

With a *capacity*, every extent without an upper bound is assumed to be at most the capacity.

Each assumption is noted, and below GRAPH a `capacity:` assertion checks it before anything relies on it:

| unbounded value | assumption noted in | checked |
|---|---|---|
| an extent of an operation's result | `State.limited` | before the result is written |
| an extent of a value that a loop carries | `State.carried_limits` | for each next value, at the end of an iteration |
| the length of a concatenated output | its fact alone | where a part is inserted, as for every such output |

A bound that follows from an assumption needs no assumption of its own: if a carried value has at most 8 rows, a value with one
more row has at most 9.

`State.limits_used` counts the assumptions. It serves to detect a loop in which a value multiplies until something needs a limit;
the carried value itself is limited instead (see `loops`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.ir import Operation

from loomir.dialects.ov.bounds import Bounds
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.failure import FailOp
from loomir.dialects.ovseq.facts import AnyFact, tensor_fact
from loomir.passes.analysis.inference.state import State

MAX_EXTENT = (1 << 31) - 2
"""Greatest upper bound that counts as one.

A larger one comes from a counter's type, not from the program, and no buffer has that size.
"""


def is_unbounded(extent: Dim) -> bool:
    """Return True if an extent has no usable upper bound."""
    return extent.hi is None or extent.hi > MAX_EXTENT


def limit(extent: Dim, most: int) -> Dim:
    """The extent if it is at most this."""
    return Dim(min(extent.lo, most), most if extent.hi is None else min(extent.hi, most))


def limit_results(op: Operation, results: Sequence[Fact], inference: State) -> list[Fact]:
    """Limit the unbounded extents in an operation's result facts.

    The operation has no regions. The assumptions are noted.
    """
    capacity = inference.capacity
    assert capacity is not None
    limited: list[Fact] = []
    for result, fact in zip(op.results, results):
        shape = fact.shape
        if shape is None or not any(map(is_unbounded, shape)) or isinstance(op, FailOp):
            limited.append(fact)
            continue
        inference.limits_used += 1
        inference.limited[result] = Bounds(capacity if is_unbounded(d) else None for d in shape)
        dims = tuple(limit(d, capacity) if is_unbounded(d) else d for d in shape)
        limited.append(replace(fact, shape=dims))
    return limited


class CarriedLimits:
    """Limits of one loop's carried values.

    An extent that was unbounded once stays limited until the fixpoint is reached.
    """

    def __init__(self, op: LoopOp, inference: State, initial: Sequence[AnyFact]) -> None:
        self.capacity = inference.capacity
        self.inference = inference
        self.initial = initial
        self.most: dict[tuple[int, int], int] = {}
        inference.carried_limits[op] = self.most

    def apply(self, facts: Sequence[AnyFact]) -> list[AnyFact]:
        """Return the facts with limits applied.

        They cover each extent that has a limit and each one that is unbounded now.
        """
        if self.capacity is None:
            return list(facts)
        return [self._limited(k, fact, self.capacity) for k, fact in enumerate(facts)]

    def assume(self, guesses: Sequence[AnyFact], sure: Sequence[AnyFact]) -> None:
        """Note the assumptions of guesses that go beyond certain facts."""
        for k, (guess, fact) in enumerate(zip(guesses, sure)):
            if not isinstance(guess, Fact) or not isinstance(fact, Fact):
                continue
            for dimension, (a, b) in enumerate(zip(guess.shape or (), fact.shape or ())):
                if a.hi is not None and a.hi != b.hi:
                    self.most[k, dimension] = a.hi

    def _limited(self, index: int, fact: AnyFact, capacity: int) -> AnyFact:
        # Sequences have no buffers yet, and their elements' extents are limited where they come from.
        if not isinstance(fact, Fact) or fact.shape is None:
            return fact
        shape = list(fact.shape)
        for k, extent in enumerate(shape):
            if is_unbounded(extent) and (index, k) not in self.most:
                start = tensor_fact(self.initial[index]).shape
                first = None if start is None or len(start) != len(shape) else start[k].hi
                self.most[index, k] = capacity if first is None else max(capacity, first)
                self.inference.limits_used += 1
            most = self.most.get((index, k))
            if most is not None:
                shape[k] = limit(extent, most)
        return fact if tuple(shape) == fact.shape else replace(fact, shape=tuple(shape))


def outgrown(before: Sequence[AnyFact], initial: Sequence[AnyFact], capacity: int | None) -> bool:
    """Return True if a carried extent may have outgrown its limits.

    It may then exceed both the capacity and its initial bound.
    """
    if capacity is None:
        return False
    for fact, first in zip(before, initial):
        if not isinstance(fact, Fact) or fact.shape is None:
            continue
        starts = tensor_fact(first).shape
        for k, extent in enumerate(fact.shape):
            start = starts[k].hi if starts is not None and len(starts) == len(fact.shape) else 0
            if extent.hi is not None and extent.hi > max(capacity, start or 0):
                return True
    return False


def limit_concatenation(fact: Fact, axis: int, part: Dim, inference: State) -> Fact:
    """Limit the unbounded axis of a concatenated output's fact.

    The limit is large enough for one part in any case.
    """
    capacity = inference.capacity
    if capacity is None or fact.shape is None or not is_unbounded(fact.shape[axis]):
        return fact
    most = capacity if part.hi is None else max(capacity, part.hi)
    inference.limits_used += 1
    return Fact(fact.element, (*fact.shape[:axis], limit(fact.shape[axis], most), *fact.shape[axis + 1 :]))
