"""Transfer function of one operation without regions.

It maps the facts of the operands to the facts of the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np
from xdsl.ir import Operation

from loomir.dialects.locations import located
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.evaluation import evaluate, has_evaluator
from loomir.dialects.ov.facts import CONTENT_LIMIT, UNBOUNDED_HIGH, UNBOUNDED_LOW, Fact, is_tracked
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ovseq.base import SeqOperation
from loomir.dialects.ovseq.facts import AnyFact, SequenceFact
from loomir.dialects.ovseq.operators.splitting import ConcatOp as JoinOp
from loomir.dialects.ovseq.operators.splitting import SplitOp
from loomir.dialects.speculation import succeeds
from loomir.errors import Error

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
