"""Memoised inference results, reused while an operation's inputs are unchanged.

Inference is repeated for programs in which little has changed. For an operation without regions, the facts about its
results follow from its properties, the types of its results (those of `ov.check_bounds` specify its check) and the facts
about its operands. So an operation whose operands have the same facts as in an earlier query returns the very same objects
as then. The users of its results then detect at once that nothing has changed for them, either.
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
"""Number of cached results per operation.

In a loop, an operation is queried once for each round of the fixpoint.
"""

COMPARED = 1 << 10
"""Maximum number of elements for comparisons of contents.

Contents of more elements count as equal only if they are the same array.
"""


class _Answer(NamedTuple):
    """Inputs of a query and its result."""

    names: tuple[str, ...]
    """Of its properties."""
    own: tuple[Attribute, ...]
    """These properties and the result types, compared by identity.

    (They are kept alive here, so that no other attribute can get the identity of one of them.)
    """
    operands: tuple[Fact, ...]
    results: tuple[Fact, ...]


class Answers:
    """Cache of the latest results of one query for each operation.

    An entry lives as long as its operation.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Operation, tuple[_Answer, ...]] = WeakKeyDictionary()
        """Cached results by operation, the latest first.

        An entry is never changed but replaced, because several threads may query at the same time.
        """

    def of(
        self,
        op: OpT,
        facts: Sequence[Fact],
        ask: Callable[[OpT, Sequence[Fact]], Sequence[Fact]],
    ) -> Sequence[Fact]:
        """Return `ask(op, facts)`, or its cached result for equal inputs.

        Exceptions are not cached. Nor are results that depend on more than the inputs: on regions; or on which operands are one
        value (if the operands have several possible ranks, equal operands have the same rank). Nor is anything cached while
        a listener records an operation's reads of its parameters, because the listener must see all of them.
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
        """Copy the cached results of an operation to a clone of it."""
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
    """Copy all cached results of a program's operations to its clone."""
    for old, new in zip(walk(program), walk(copy), strict=True):
        VERIFIED.hand_on(old, new)
        TRANSFERRED.hand_on(old, new)
