"""Steps of random programs: their kinds, number, and share with regions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any, TypeVar

from loomir.tools.fuzz.builder import Builder
from loomir.tools.fuzz.choices import Choices

MAX_TRIPS = 40
"""How often the innermost region of a program may run, about."""

_T = TypeVar("_T")

Weights = Mapping[Callable[[Any], None], int]
"""Kinds of steps with their relative frequencies."""


class Stepper(Builder):
    """Fills regions with steps, of which some have regions that it fills."""

    def __init__(self, choices: Choices, *, size: int, depth: int, plain: Weights, regions: Weights) -> None:
        super().__init__(choices)
        self.size = size
        self.depth = depth
        self.regions = 0
        self.max_regions = max(2, size)
        self.open_trips = self.chance(0.08)
        """True if unbounded loops may have scan outputs.

        The contents of these scan outputs have no bound either below GRAPH.
        """
        self.open_scans = False
        """True if scan outputs may have extents unknown to ONNX Runtime.

        ONNX Runtime does not know them after no iteration (`OPEN_SCANS`).
        """
        self._plain = _table(plain)
        self._regions = _table(regions)

    def steps(self, count: int, *, wanted: int = 0) -> None:
        """Append steps in the present scope.

        Some are branches and loops: at least about `wanted` of them if there is room.
        """
        deep = self.scope.depth
        made = 0
        for index in range(count):
            room = deep < self.depth and self.regions < self.max_regions
            due = made < wanted and index >= 2 + 2 * made
            if room and (due or self.chance(0.2 if deep == 0 else 0.26)):
                self.regions += 1
                made += 1
                self.feature(f"region depth {deep + 1}")
                self.weighted(self._regions)(self)
            else:
                self.weighted(self._plain)(self)

    def weighted(self, table: tuple[list[_T], list[int]]) -> _T:
        """One of a table's functions, by weight."""
        return self.choices.weighted(*table)

    def trip_limit(self) -> int:
        """Return the maximum trip count of a loop in the present scope.

        The more often the enclosing region runs, the lower it is.
        """
        return max(1, min(5, MAX_TRIPS // self.scope.trips))


def _table(weights: Mapping[_T, int]) -> tuple[list[_T], list[int]]:
    return list(weights), list(accumulate(weights.values()))
