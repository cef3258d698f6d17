"""What was found of an operation before: it is asked again and again in programs of which little has changed.

What holds for the results of an operation without regions follows from its properties, the types of its results (those of
`ov.check_bounds` say what it checks) and from what holds for its operands. So an operation that is asked with facts that it was asked with
before gives what it gave, the very same objects; what uses its results then sees at once that nothing has changed for it, either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from xdsl.ir import Attribute, Operation

from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.parameters import is_heard
from loomir.dialects.walking import walk

OpT = TypeVar("OpT", bound=Operation)

KEPT = 4
"""Answers that are kept of an operation: in a loop it is asked once for each round of the fixpoint."""

COMPARED = 1 << 10
"""Contents of more elements are the same only where they are one array."""


class _Answer(NamedTuple):
    """What was asked and what came of it."""

    names: tuple[str, ...]
    """Of its properties."""
    own: tuple[Attribute, ...]
    """These properties and the types of its results, compared by identity. (Held here, none of them is another attribute later.)"""
    operands: tuple[Fact, ...]
    results: tuple[Fact, ...]


class Answers:
    """The latest answers of one question to operations, as long as these exist."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Operation, tuple[_Answer, ...]] = WeakKeyDictionary()
        """The latest first. An entry is never changed but replaced: threads may ask at the same time."""

    def of(
        self,
        op: OpT,
        facts: Sequence[Fact],
        ask: Callable[[OpT, Sequence[Fact]], Sequence[Fact]],
    ) -> Sequence[Fact]:
        """`ask(op, facts)`, or what that gave before for the same. What it raises is not kept.

        Nor is what depends on more: on regions, on which operands are one value (of several ranks, that have the same one then); and
        who listens to what an operation asks of its parameters wants to hear it.
        """
        if op.regions or is_heard() or any(fact.alternatives for fact in facts):
            return ask(op, facts)
        names = tuple(op.properties)
        own = (*op.properties.values(), *[result.type for result in op.results])
        answers = self._known.get(op, ())
        for answer in answers:
            if answer.names == names and _are(answer.own, own) and _say_the_same(answer.operands, facts):
                return answer.results
        results = tuple(ask(op, facts))
        self._known[op] = (_Answer(names, own, tuple(facts), results), *answers[: KEPT - 1])
        return results

    def hand_on(self, op: Operation, copy: Operation) -> None:
        """What an operation answered holds for a copy of it."""
        if (answers := self._known.get(op)) is not None:
            self._known[copy] = answers


def _are(some: Sequence[object], others: Sequence[object]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


def _say_the_same(some: Sequence[Fact], others: Sequence[Fact]) -> bool:
    return len(some) == len(others) and all(a is b or _equal(a, b) for a, b in zip(some, others))


def _equal(a: Fact, b: Fact) -> bool:
    return (a.value is b.value or (_short(a.value) and _short(b.value))) and a.same(b)


def _short(value: np.ndarray | None) -> bool:
    return value is None or value.size <= COMPARED


VERIFIED = Answers()
"""Of what operations infer from types, to be verified."""

TRANSFERRED = Answers()
"""Of what the analysis makes of that (`passes/analysis/inference/transfer.py`)."""


def hand_on_answers(program: Operation, copy: Operation) -> None:
    """What is known of the operations of a program, for those of its copy."""
    for old, new in zip(walk(program), walk(copy), strict=True):
        VERIFIED.hand_on(old, new)
        TRANSFERRED.hand_on(old, new)
