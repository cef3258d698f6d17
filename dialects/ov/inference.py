"""Queries of shape inference about parameter operands, and memoised results.

Parameters are axes, shapes, pads and positions: small integer tensors whose contents may be known, bounded element by
element, or unknown.

Inference results are memoised, and reused while an operation's inputs are unchanged. Inference is repeated for programs in
which little has changed. For an operation without regions, the facts about its results follow from its properties, the types of
its results (those of `ov.check_bounds` specify its check) and the facts about its operands. So an operation whose operands have
the same facts as in an earlier query returns the very same objects as then. The users of its results then detect at once that
nothing has changed for them, either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from operator import is_
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from xdsl.ir import Attribute, Operation

from loomir.dialects.ov.facts import UNBOUNDED_HIGH, UNBOUNDED_LOW, Dim, Fact, check_dimensions
from loomir.dialects.ov.shape_rules import ONE, check_integer, check_rank, may_equal, normalise_axis
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error

Interval = tuple[int, int]
"""Lowest and highest value of an integer."""

_recorded: ContextVar[list[Fact] | None] = ContextVar("asked", default=None)


@contextmanager
def recording() -> Iterator[list[Fact]]:
    """Record queries for contents of parameters that are not wholly known.

    Yields the list of these parameters' facts, which grows for the duration of the context.
    """
    asked: list[Fact] = []
    token = _recorded.set(asked)
    try:
        yield asked
    finally:
        _recorded.reset(token)


def is_recording() -> bool:
    """Return True inside of a `recording` context."""
    return _recorded.get() is not None


def contents(fact: Fact) -> np.ndarray | None:
    """Return the contents of a parameter of any element type, if known."""
    if fact.value is None and (asked := _recorded.get()) is not None:
        asked.append(fact)
    return fact.value


ANYTHING: Interval = (UNBOUNDED_LOW, UNBOUNDED_HIGH)
"""Interval of an integer of which nothing is known."""


def check_one_number(fact: Fact, operand: str, error: str = "operand-rank") -> Fact:
    """Check that an operand can have exactly one element; return its fact.

    Raises `Error("operand-rank")` unless the operand can be a scalar or 1-D, `error` unless it can have one element.
    """
    check_rank(fact, operand, 0, 1)
    if fact.shape and not may_equal(fact.shape[0], ONE):
        raise Error(error, f"{operand} must be one number, not {fact.shape[0]}")
    return fact


def intervals(fact: Fact, operand: str, *ranks: int) -> list[Interval] | None:
    """Return the bounds of each element of an integer operand, flat.

    The operand must have one of these ranks (default: 0 or 1). None if the bounds are unknown.
    """
    check_integer(fact, operand)
    check_rank(fact, operand, *(ranks or (0, 1)))
    contents(fact)
    bounds = fact.bounds
    if bounds is None:
        return None
    return [(int(lo), int(hi)) for lo, hi in zip(bounds[0].reshape(-1), bounds[1].reshape(-1))]


def integers(fact: Fact, operand: str, *ranks: int) -> list[int] | None:
    """The elements of an integer operand, flat, where all are known."""
    check_integer(fact, operand)
    check_rank(fact, operand, *(ranks or (0, 1)))
    known = contents(fact)
    return None if known is None else [int(v) for v in known.reshape(-1)]


def one_interval(fact: Fact, operand: str) -> Interval | None:
    """Bounds of an operand that is one integer; None where unknown."""
    found = intervals(check_one_number(check_integer(fact, operand), operand), operand)
    return found[0] if found else None


def one_integer(fact: Fact, operand: str) -> int | None:
    """An operand that is one integer, where it is known."""
    found = one_interval(fact, operand)
    return found[0] if found is not None and found[0] == found[1] else None


def extent_from(fact: Fact, operand: str) -> Dim:
    """Return the extent that an operand of one integer specifies.

    A negative integer counts as 0.
    """
    low, high = one_interval(fact, operand) or ANYTHING
    return Dim(max(low, 0), None if high == UNBOUNDED_HIGH else max(high, 0))


def axis_from(fact: Fact, rank: int | None) -> int | None:
    """Return the axis that an operand of one integer specifies.

    It is counted from the front; None if the integer or the rank is unknown. Also `Error("axis-range")`.
    """
    given = one_integer(fact, "axis")
    return None if given is None or rank is None else normalise_axis(given, rank)


def from_front(position: int, count: int, end: int) -> int | None:
    """Return a position counted from the front.

    A negative position counts from the end of `count` elements. None unless it is in [-count, end).
    """
    found = position + count if position < 0 else position
    return found if 0 <= found < end else None


def length(fact: Fact) -> int | None:
    """Return the number of elements of a parameter, if it is static.

    The parameter has rank 0 or 1.
    """
    if fact.shape is None:
        return None
    return fact.shape[0].static if fact.shape else 1


def dimensions(fact: Fact) -> int | None:
    """Return the `length` of a parameter with one number per dimension.

    Error: `shape-too-large`, before a shape with so many dimensions is created.
    """
    n = length(fact)
    if n is not None:
        check_dimensions(n)
    return n


def surely_inside(indices: Fact, extents: Sequence[Dim], *, negative: bool = True, end: int = 0) -> bool:
    """Return True if all indices are surely in [-extent, extent + end).

    Without `negative` the range is [0, extent + end).

    With several extents the last dimension holds tuples with an index for each; with one it does not matter. If there are no
    indices, the result is True.
    """
    if indices.shape is not None and any(d.hi == 0 for d in indices.shape):
        return True
    if indices.value is not None:
        low = high = indices.value
    elif indices.lo is not None and indices.hi is not None:
        low, high = indices.lo, indices.hi
    else:
        return False
    parts = [(low[..., i], high[..., i]) for i in range(len(extents))] if len(extents) > 1 else [(low, high)]
    return all(
        int(lowest.min()) >= (-extent.lo if negative else 0) and int(highest.max()) < extent.lo + end
        for (lowest, highest), extent in zip(parts, extents)
    )


def surely_on_axis(data: Fact, axis: Fact, indices: Fact, *, negative: bool = True) -> bool:
    """Return True if indices are `surely_inside` data's extent along an axis.

    The contents of `axis` are known.
    """
    assert data.shape is not None
    assert axis.value is not None
    extent = data.shape[normalise_axis(int(axis.value.reshape(())), len(data.shape))]
    return surely_inside(indices, [extent], negative=negative)


OpT = TypeVar("OpT", bound=Operation)

KEPT = 4
"""Number of cached results per operation.

In a loop, an operation is queried once for each round of the fixpoint.
"""

COMPARED = 1 << 10
"""Maximum number of elements for comparisons of contents.

Contents of more elements count as equal only if they are the same array.
"""


class _CachedInference(NamedTuple):
    """Inputs of a query and its result."""

    names: tuple[str, ...]
    """Of its properties."""
    own: tuple[Attribute, ...]
    """These properties and the result types, compared by identity.

    (They are kept alive here, so that no other attribute can get the identity of one of them.)
    """
    operands: tuple[Fact, ...]
    results: tuple[Fact, ...]


class InferenceCache:
    """Cache of the latest results of one query for each operation.

    An entry lives as long as its operation.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Operation, tuple[_CachedInference, ...]] = WeakKeyDictionary()
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
        if op.regions or is_recording() or any(fact.alternatives for fact in facts):
            return ask(op, facts)
        names = tuple(op.properties)
        own = (*op.properties.values(), *[result.type for result in op.results])
        answers = self._known.get(op, ())
        for answer in answers:
            if answer.names == names and _are(answer.own, own) and _say_the_same(answer.operands, facts):
                return answer.results
        results = tuple(ask(op, facts))
        self._known[op] = (_CachedInference(names, own, tuple(facts), results), *answers[: KEPT - 1])
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


VERIFIED = InferenceCache()
"""Of what operations infer from types, to be verified."""

TRANSFERRED = InferenceCache()
"""Of what the analysis makes of that (`passes/analysis/inference/state.py`)."""


def copy_cached_results(program: Operation, copy: Operation) -> None:
    """Copy all cached results of a program's operations to its clone."""
    for old, new in zip(walk(program), walk(copy), strict=True):
        VERIFIED.hand_on(old, new)
        TRANSFERRED.hand_on(old, new)
