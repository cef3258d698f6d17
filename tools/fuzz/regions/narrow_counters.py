"""Loop-carried counters of 8 and 16 bits that end loops.

They count towards a bound, or away from it and wrap round. They leave the range of their type within a few iterations,
and that is where the knowledge of their range has to end.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from loomir.tools.fuzz.program import DTYPES, NARROW, Value
from loomir.tools.fuzz.stepper import Stepper

RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "Less": operator.lt,
    "LessOrEqual": operator.le,
    "Greater": operator.gt,
    "GreaterOrEqual": operator.ge,
    "Equal": operator.eq,
}
SIZES = (1, 1, 3, 100)
DRAWS = 12
"""Number of counters to try.

One is sought that ends within the allowed number of iterations.
"""

MORE = 5
"""Trips beyond those that other loops make."""


@dataclass(frozen=True)
class NarrowCounter:
    """Counter, with the relation to `bound` for which the loop continues.

    The relation is that of the counter's next value (`ahead`), or of the present one.
    """

    dtype: str
    begin: int
    kind: str
    size: int
    relation: str
    bound: int
    ahead: bool
    trips: int = 0
    """How many iterations it lets run where one does."""

    @property
    def limit(self) -> float:
        """The largest absolute value that it can have."""
        info = np.iinfo(DTYPES[self.dtype])
        return float(max(-int(info.min), int(info.max)))

    def counted(self, most: int) -> int:
        """Its trips; 0 where they are more than `most`."""
        info = np.iinfo(DTYPES[self.dtype])
        least, span = int(info.min), int(info.max) - int(info.min) + 1
        step = self.size if self.kind == "Add" else -self.size
        value = self.begin
        for trips in range(1, most + 1):
            present, value = value, (value + step - least) % span + least
            if not RELATIONS[self.relation](value if self.ahead else present, self.bound):
                return trips
        return 0


def narrow_counter(g: Stepper, most: int) -> NarrowCounter | None:
    """Return a counter that ends a loop after at most `most` iterations.

    In a region that runs once, it may allow some more iterations: inference goes through a loop a few times before it
    forgets bounds, and a counter has to wrap round after that. The result is None if no suitable counter was drawn.
    """
    allowed = most + MORE if g.scope.trips == 1 else most
    found: NarrowCounter | None = None
    for _ in range(DRAWS):
        drawn = _drawn(g, allowed)
        trips = drawn.counted(allowed)
        if trips > (0 if found is None else found.trips):
            found = replace(drawn, trips=trips)
    if found is not None:
        g.feature("narrow counter")
        g.feature(f"type {found.dtype}")
    return found


def _drawn(g: Stepper, most: int) -> NarrowCounter:
    dtype = g.choose(NARROW)
    info = np.iinfo(DTYPES[dtype])
    low, high = int(info.min), int(info.max)
    kind, size = g.choose(("Add", "Sub")), g.choose(SIZES)
    # So far from the end that it goes to.
    far = min(size * g.integer(0, most), high)
    begin = g.choose((high - far if kind == "Add" else low + far, g.integer(0, 9)))
    bound = g.choose((low + g.integer(0, 99), high - g.integer(0, 99), g.integer(0, 9)))
    return NarrowCounter(dtype, begin, kind, size, g.choose(tuple(RELATIONS)), bound, g.chance(0.5))


def following(g: Stepper, counter: NarrowCounter, argument: Value) -> Value:
    """The next value."""
    operands = [argument, g.number(counter.size, counter.dtype)]
    return g.hidden(counter.kind, operands, counter.dtype, (), counter.limit)


def goes_on(g: Stepper, counter: NarrowCounter, argument: Value, value: Value) -> Value:
    """Return the condition on which the loop continues, by its counter.

    The condition depends on the counter's incoming or next value. Other operations of the body may read the incoming value
    as an i32.
    """
    wide = g.hidden("Cast", [argument], "i32", (), counter.limit, to="i32")
    g.tamed(wide)
    operands = [value if counter.ahead else argument, g.number(counter.bound, counter.dtype)]
    return g.emit(counter.relation, operands, "bool", (), 1)
