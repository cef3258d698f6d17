"""Sources of the choices of a random program.

A source is a seeded generator, or hypothesis, which records and shrinks the choices.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

_T = TypeVar("_T")


class Choices(Protocol):
    """Source of all random choices.

    Small numbers and first items are the simple ones: hypothesis shrinks towards them.
    """

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        ...

    def chance(self, probability: float) -> bool:
        """True with about this probability (in 64ths)."""
        ...

    def pick(self, items: Sequence[_T]) -> _T:
        """One of the items."""
        ...

    def weighted(self, items: Sequence[_T], cumulative: Sequence[int]) -> _T:
        """One of the items, by sums of weights."""
        ...


class SeededChoices:
    """Choices of a pseudo-random number generator.

    They are the same for the same seed, in every version of Python.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def pick(self, items: Sequence[_T]) -> _T:
        """One of the items."""
        return items[int(self._random() * len(items))]

    def weighted(self, items: Sequence[_T], cumulative: Sequence[int]) -> _T:
        """One of the items, by sums of weights."""
        number = int(self._random() * cumulative[-1])
        return items[next(i for i, c in enumerate(cumulative) if number < c)]
