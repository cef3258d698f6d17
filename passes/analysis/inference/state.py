"""State and transfer functions of inference, and limits for unbounded extents.

The state is also the final result of the analysis. The transfer function of an operation without regions maps the facts of the
operands to the facts of the results.

With a *capacity*, every extent without an upper bound is assumed to be at most the capacity. Each assumption is noted, and below
GRAPH a `capacity:` assertion checks it before anything relies on it:

| unbounded value | assumption noted in | checked |
|---|---|---|
| an extent of an operation's result | `InferenceState.limited` | before the result is written |
| an extent of a value that a loop carries | `InferenceState.carried_limits` | for each next value, at the end of an iteration |
| the length of a concatenated output | its fact alone | where a part is inserted, as for every such output |

A bound that follows from an assumption needs no assumption of its own: if a carried value has at most 8 rows, a value with one
more row has at most 9.

`InferenceState.limits_used` counts the assumptions. It serves to detect a loop in which a value multiplies until something needs a limit;
the carried value itself is limited instead (see `loops`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.attributes import Bounds
from loomir.dialects.diagnostics import describe_location, located
from loomir.dialects.element_types import AnyTensor, dtype_of
from loomir.dialects.ov.base import OvOperation, evaluate, has_evaluator
from loomir.dialects.ov.facts import CONTENT_LIMIT, UNBOUNDED_HIGH, UNBOUNDED_LOW, Dim, Fact, is_tracked
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.internal import FailOp
from loomir.dialects.ovseq import SeqOperation
from loomir.dialects.ovseq.splitting import ConcatOp as JoinOp
from loomir.dialects.ovseq.splitting import SplitOp
from loomir.dialects.ovseq.types import (
    AnyFact,
    OptionalFact,
    SeqType,
    SequenceFact,
    fact_of_type,
    same_facts,
    tensor_fact,
)
from loomir.dialects.speculation import succeeds
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error


@dataclass
class InferenceState(ABC):
    """The facts of a module, complete or while they are computed."""

    facts: dict[SSAValue, Fact] = field(default_factory=dict)
    """Of tensors."""
    seq_facts: dict[SSAValue, SequenceFact | OptionalFact] = field(default_factory=dict)
    """Of sequences and optionals."""
    impossible: dict[Block, Error] = field(default_factory=dict)
    """Branches and loop bodies that are illegal for the shapes.

    Each comes with its error. The facts of their values are meaningless.
    """
    taken: dict[IfOp, bool] = field(default_factory=dict)
    """Branches with known conditions, and the conditions' values.

    A condition is known if it is constant, or because of the branches around it.
    """
    assumed: dict[Block, dict[SSAValue, np.ndarray]] = field(default_factory=dict)
    """Contents of outside values that hold only in an `ov.if` branch.

    See `assumptions`.
    """
    keep_shapeof: bool = False
    depth: int = 0
    capacity: int | None = None
    """Upper bound assumed for otherwise unbounded extents (see the module's docstring).

    With None such extents stay unbounded.
    """
    limited: dict[SSAValue, Bounds[int | None]] = field(default_factory=dict)
    """Assumed bounds of operations' results.

    They are the capacity for unbounded extents, and bounds that the result types note but that cannot be inferred.
    """
    carried_limits: dict[LoopOp, dict[tuple[int, int], int]] = field(default_factory=dict)
    """Assumed extents of loop-carried values.

    The map is (carried value, dimension) → largest extent in the body.
    """
    limits_used: int = 0
    """Number of assumptions due to the capacity, over all rounds so far."""

    def definition_fact(self, value: SSAValue) -> Fact:
        """Return the fact found for a tensor at its definition.

        If the analysis did not reach it, return the fact of its type.
        """
        known = self.facts.get(value)
        return Fact.of_type(value.type) if known is None else known

    def fact(self, value: SSAValue) -> Fact:
        """Return the fact of a tensor at the analysis' current position.

        After the analysis it is the fact that was found at the definition.
        """
        return self.definition_fact(value)

    def any_fact(self, value: SSAValue) -> AnyFact:
        """The same of any value."""
        if isinstance(value.type, SeqType):
            return self.seq_facts.get(value) or fact_of_type(value.type)
        return self.fact(value)

    def known(self, value: SSAValue) -> AnyFact | None:
        """Return the fact found for a value, or None.

        The result is None if the analysis did not reach the value.
        """
        return self.facts.get(value) or self.seq_facts.get(value)

    def set(self, value: SSAValue, fact: AnyFact) -> None:
        """Note what is known of a value."""
        if isinstance(fact, Fact):
            self.facts[value] = fact
        else:
            self.seq_facts[value] = fact

    def difference(self, other: InferenceState, module: ModuleOp) -> str | None:
        """Return the first difference from another state for the module, or None."""
        for op in walk(module):
            arguments = [a for region in op.regions for block in region.blocks for a in block.args]
            for value in (*op.results, *arguments):
                ours, others = self.known(value), other.known(value)
                same = ours is others if ours is None or others is None else same_facts(ours, others)
                if not same or self.limited.get(value) != other.limited.get(value):
                    return f"a value of {describe_location(op)} is {others}, not {ours}"
        return None if self._decisions == other._decisions else "other branches are taken"

    @property
    def _decisions(self) -> tuple[object, ...]:
        return self.impossible.keys(), self.taken, self.assumed.keys(), self.carried_limits

    @abstractmethod
    def run_block(self, block: Block) -> None:
        """Compute the facts of every operation of a block.

        The block's arguments must have facts already.
        """


def elements_at_most(value: SSAValue, inference: InferenceState) -> int | None:
    """Return the maximum number of elements of a tensor, or None.

    The result is None if the number is unbounded or the value is no tensor.
    """
    return inference.fact(value).elements.hi if isinstance(value.type, AnyTensor) else None


def bytes_at_most(value: SSAValue, inference: InferenceState) -> int | None:
    """The same in bytes."""
    elements = elements_at_most(value, inference)
    return None if elements is None else elements * dtype_of(inference.fact(value).element).itemsize


EVALUATED_INPUT = 1 << 16
"""Operands of more elements are not evaluated here (`ov-fold-constants` folds weights, once)."""

MAX_COMBINATIONS = 64
"""Maximum number of combinations of operand ranks that are tried."""


def transfer(op: Operation, facts: Sequence[Fact]) -> Sequence[Fact]:
    """Facts of the results of an `ov` operation without regions.

    Contents follow, in this order: by the operation's own `infer`; by evaluating it where all operands are known and
    the result is small; by evaluating it on the bounds of the operands that it only moves about. Raises what
    `infer` raises, with the operation's place.

    What may stop the program when it runs has no contents that are known: a constant in its place would stop nothing.
    """
    assert isinstance(op, OvOperation), op.name
    try:
        results = _of_each_rank(op, facts) if any(f.alternatives for f in facts) else op.results_of(facts)
    except Error as error:
        raise located(error, op) from None
    if isinstance(op, ConstantOp):
        return results
    if (
        has_evaluator(type(op))
        and not all(r.value is not None for r in results)
        and all(map(_small, results))
    ):
        known = _evaluated(op, facts)
        if known is not None:
            return known
        results = _moved(op, facts, results) or results
    if any(r.value is not None for r in results) and not succeeds(op, facts):
        return [r if r.value is None else r.without_content() for r in results]
    return results


def _of_each_rank(op: OvOperation, facts: Sequence[Fact]) -> Sequence[Fact]:
    """Return the join of the result facts over all possible operand ranks.

    Ranks that the operation does not accept are left out.

    Error: if it accepts none, that of the first ranks.
    """
    possible = {operand: fact.possible for operand, fact in zip(op.operands, facts)}
    if prod(map(len, possible.values())) > MAX_COMBINATIONS:
        return op.results_of(facts)
    results: Sequence[Fact] | None = None
    refused: Error | None = None
    for chosen in product(*possible.values()):
        facts_of = dict(zip(possible, chosen))
        try:
            found = op.results_of([facts_of[operand] for operand in op.operands])
        except Error as error:
            refused = refused or error
            continue
        results = found if results is None else [a.join(b) for a, b in zip(results, found)]
    if results is None:
        assert refused is not None
        raise refused
    return results


def transfer_seq(op: SeqOperation, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
    """Return the result facts of an `ovseq` operation.

    They come from its `infer`; splits and joins of tensors with known contents are evaluated. Raises what `infer` raises, with the
    operation's location.
    """
    try:
        results = op.infer(facts)
    except Error as error:
        raise located(error, op) from None
    if type(op) not in (SplitOp, JoinOp):
        return results
    values = [_contents(f) for f in facts]
    if any(v is None for v in values):
        return results
    try:
        made = op.evaluate(*values)
    except Error:
        # It fails when it runs, if it runs: that is not a fact about its result.
        return results
    if isinstance(made, np.ndarray):
        return [Fact.of_array(made)] if made.size <= CONTENT_LIMIT else results
    assert isinstance(made, list)
    assert isinstance(results[0], SequenceFact)
    return [SequenceFact.of_items(results[0].element_type, map(Fact.of_array, made))]


def _contents(fact: AnyFact) -> np.ndarray | list[np.ndarray] | None:
    """The value where it is wholly known and small."""
    if isinstance(fact, Fact):
        return fact.value if fact.value is not None and fact.value.size <= CONTENT_LIMIT else None
    if not isinstance(fact, SequenceFact) or fact.items is None:
        return None
    values = [f.value for f in fact.items if f.value is not None and f.value.size <= CONTENT_LIMIT]
    return values if len(values) == len(fact.items) else None


def _small(fact: Fact) -> bool:
    return is_tracked(fact.static)


def _evaluated(op: OvOperation, facts: Sequence[Fact]) -> Sequence[Fact] | None:
    if not all(f.value is not None and f.value.size <= EVALUATED_INPUT for f in facts):
        return None
    try:
        return [Fact.of_array(a) for a in evaluate(op, [f.value for f in facts if f.value is not None])]
    except Error:
        # It fails when it runs, if it runs: that is not a fact about its result.
        return None


def _moved(op: OvOperation, facts: Sequence[Fact], results: Sequence[Fact]) -> Sequence[Fact] | None:
    """Return the content bounds of an operation that only moves elements.

    They follow from the bounds of the operands that it moves.
    """
    moved = range(len(facts)) if op.moves == (-1,) else op.moves
    if not moved or any(r.static is not None and not _small(r) for r in results):
        return None
    ends: list[tuple[np.ndarray, ...]] = []
    for side in (0, 1):
        arrays: list[np.ndarray] = []
        for index, fact in enumerate(facts):
            if index in moved and (bounds := fact.bounds) is not None:
                arrays.append(bounds[side])
            elif fact.value is not None:
                arrays.append(fact.value)
            elif (
                index in moved
                and fact.static is not None
                and _small(fact)
                and fact.element == results[0].element
            ):
                arrays.append(np.full(fact.static, (UNBOUNDED_LOW, UNBOUNDED_HIGH)[side], np.int64))
            else:
                return None
        if any(arrays[m].dtype != np.int64 for m in moved if m < len(arrays)):
            return None
        try:
            ends.append(evaluate(op, arrays))
        except Error:
            return None
    return [Fact(r.element, r.shape, lo=low, hi=high) for r, low, high in zip(results, ends[0], ends[1])]


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


def limit_results(op: Operation, results: Sequence[Fact], inference: InferenceState) -> list[Fact]:
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

    def __init__(self, op: LoopOp, inference: InferenceState, initial: Sequence[AnyFact]) -> None:
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


def limit_concatenation(fact: Fact, axis: int, part: Dim, inference: InferenceState) -> Fact:
    """Limit the unbounded axis of a concatenated output's fact.

    The limit is large enough for one part in any case.
    """
    capacity = inference.capacity
    if capacity is None or fact.shape is None or not is_unbounded(fact.shape[axis]):
        return fact
    most = capacity if part.hi is None else max(capacity, part.hi)
    inference.limits_used += 1
    return Fact(fact.element, (*fact.shape[:axis], limit(fact.shape[axis], most), *fact.shape[axis + 1 :]))
