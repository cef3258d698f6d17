"""Counters of 8 and 16 bits that loops carry, and that end them: towards a bound, or away from it and round.

They leave the range of their type within a few iterations, which is where what is known of them has to end.
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
"""Counters that are tried for one that ends within the trips that there may be."""

MORE = 5
"""Trips beyond those that other loops make."""


@dataclass(frozen=True)
class NarrowCounter:
    """A counter and the relation to `bound` for which its next value (`ahead`), or the present one, lets the loop go on."""

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
    """One that ends a loop after at most so many trips, or some more in a region that runs once; None if none was drawn.

    (Inference goes through a loop a few times before it forgets bounds; a counter has to go round after that.)
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
    """Whether the loop does, by the counter as it came in or its next value; what else a body does may read the former as an i32."""
    wide = g.hidden("Cast", [argument], "i32", (), counter.limit, to="i32")
    g.tamed(wide)
    operands = [value if counter.ahead else argument, g.number(counter.bound, counter.dtype)]
    return g.emit(counter.relation, operands, "bool", (), 1)
