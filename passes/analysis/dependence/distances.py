"""Distances of iterations that access the same element, exact for affine indices.

An access of iteration i reads or writes the positions `begin(i) … begin(i) + size − 1` of each axis, where `begin` is an affine form in
the iteration numbers of loops. Two accesses meet in iterations i and j if they share a position of every axis:

    first · i − second · j  between low and high        for each axis (`Strip`), 0 ≤ i, j < trips

For one loop this is solved exactly: of the strip with the fewest values, each value c gives a line of solutions (extended Euclid)
`i = i₀ + t · second / g`, `j = j₀ + t · first / g`, on which the other strips and the bounds are intervals of t. For several loops each
axis has to depend on one of them; for others the test of the greatest common divisor and that of the bounds (Banerjee) may still show
that they never meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.ir import SSAValue

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.scalars import intervals
from loomir.dialects.scalars.intervals import Interval

UNBOUNDED = 1 << 62
"""Trips that are reckoned with where they are not known."""

MAX_LINES = 1024
"""Lines of solutions that are looked at."""


@dataclass(frozen=True)
class IndexRange:
    """The `size` positions of an axis from `begin` on."""

    begin: AffineForm[SSAValue]
    size: int


@dataclass(frozen=True)
class LoopCounter:
    """Iteration number of a loop, and its largest trip count.

    The count is None if it is unknown.
    """

    symbol: SSAValue
    trips: int | None


@dataclass(frozen=True)
class Distances:
    """Distances from the first access to the second one, in iterations.

    There is an interval for each loop, the outermost first. Its ends occur; numbers in between need not. (0, 0) everywhere means: in the
    same iteration only.
    """

    vector: tuple[Interval, ...]

    @property
    def is_within_an_iteration(self) -> bool:
        """True if no two iterations meet."""
        return all(interval == (0, 0) for interval in self.vector)

    @property
    def constant(self) -> tuple[int, ...] | None:
        """The distance in each loop, if it is one number everywhere."""
        known = all(low == high for low, high in self.vector)
        return tuple(low for low, _ in self.vector) if known else None


@dataclass(frozen=True)
class Independent:
    """The accesses never meet; `reason` says why."""

    reason: str


@dataclass(frozen=True)
class Unknown:
    """Nothing is known; `reason` says why."""

    reason: str


@dataclass(frozen=True)
class Strip:
    """The condition `low ≤ first · i − second · j ≤ high`."""

    first: int
    second: int
    low: int
    high: int

    @property
    def divisor(self) -> int:
        """The greatest common divisor of the factors, 0 if both are 0."""
        return gcd(self.first, self.second)

    @property
    def values(self) -> range:
        """The values of the sum: multiples of the divisor."""
        g = self.divisor
        return range(-(-self.low // g) * g, self.high + 1, g)


def solve(strips: Sequence[Strip], trips: int) -> Interval | Independent | Unknown:
    """Return the least and the greatest distance of all solutions.

    It is j − i, for 0 ≤ i, j < `trips`. Both ends are those of a solution.
    """
    if trips <= 0:
        return Independent("the loop runs no iteration")
    for strip in strips:
        if not strip.divisor and not strip.low <= 0 <= strip.high:
            return Independent("their positions on an axis are different numbers")
        if strip.divisor and not strip.values:
            return Independent(f"no multiple of {strip.divisor} is between {strip.low} and {strip.high}")
    moving = [strip for strip in strips if strip.divisor]
    if not moving:
        return 1 - trips, trips - 1
    main = min(moving, key=lambda strip: len(strip.values))
    if len(main.values) > MAX_LINES:
        return Unknown(f"{len(main.values)} lines of solutions are more than {MAX_LINES}")
    found: list[int] = []
    for value in main.values:
        found += _ends(main, value, moving, trips)
    return (min(found), max(found)) if found else Independent("no two iterations in the loop's range meet")


def _ends(main: Strip, value: int, strips: Sequence[Strip], trips: int) -> Sequence[int]:
    """Return the distances at both ends of a line of solutions."""
    g = main.divisor
    x, y = _bezout(main.first, -main.second)
    i, j = x * (value // g), y * (value // g)
    by_i, by_j = main.second // g, main.first // g
    low, high = -(UNBOUNDED << 64), UNBOUNDED << 64
    conditions = [(i, by_i, 0, trips - 1), (j, by_j, 0, trips - 1)]
    for s in strips:
        at = s.first * i - s.second * j
        conditions.append((at, s.first * by_i - s.second * by_j, s.low, s.high))
    for at, by, least, most in conditions:
        if by == 0:
            if not least <= at <= most:
                return ()
            continue
        least, most = (least - at, most - at) if by > 0 else (at - most, at - least)
        low, high = max(low, -(-least // abs(by))), min(high, most // abs(by))
    return [j - i + t * (by_j - by_i) for t in (low, high)] if low <= high else ()


def _bezout(a: int, b: int) -> tuple[int, int]:
    """Return factors of the sum that is the greatest common divisor.

    They are x and y of `a · x + b · y = gcd(a, b)`.
    """
    x, y, u, v = 1, 0, 0, 1
    while b:
        q = a // b
        a, b, x, y, u, v = b, a - q * b, u, v, x - q * u, y - q * v
    return (x, y) if a > 0 else (-x, -y)


def distances(
    first: Sequence[IndexRange], second: Sequence[IndexRange], loops: Sequence[LoopCounter]
) -> Distances | Independent | Unknown:
    """Return in which iterations two accesses of one tensor meet.

    Both are in the same loops, the outermost first. Any other symbol of their forms has one value in all iterations.
    """
    strips: list[list[Strip]] = [[] for _ in loops]
    unknown: Unknown | None = None
    for axis, (a, b) in enumerate(zip(first, second, strict=True)):
        symbols = [loop.symbol for loop in loops]
        own, other = (range_.begin.without(*symbols) for range_ in (a, b))
        rest = own - other
        varying = set(symbols) & {*own.symbols(), *other.symbols()}
        if rest.number is None or varying:
            unknown = Unknown(f"axis {axis}: the difference {rest} is not a number")
            continue
        low, high = 1 - a.size - rest.number, b.size - 1 - rest.number
        factors = [(a.begin.coefficient(s), b.begin.coefficient(s)) for s in symbols]
        used = [k for k, pair in enumerate(factors) if pair != (0, 0)]
        if len(used) > 1:
            shown = _coupled(factors, loops, low, high)
            if isinstance(shown, Independent):
                return shown
            unknown = Unknown(f"axis {axis}: {shown.reason}")
        elif used:
            strips[used[0]].append(Strip(*factors[used[0]], low, high))
        elif not low <= 0 <= high:
            return Independent(f"axis {axis}: their positions are different numbers")
    vector: list[Interval] = []
    for loop, of_loop in zip(loops, strips, strict=True):
        found = solve(of_loop, UNBOUNDED if loop.trips is None else loop.trips)
        if isinstance(found, Independent):
            return found
        if isinstance(found, Unknown):
            unknown = found
        else:
            vector.append(found)
    return unknown or Distances(tuple(vector))


def _coupled(
    factors: Sequence[tuple[int, int]], loops: Sequence[LoopCounter], low: int, high: int
) -> Independent | Unknown:
    """Test an axis that depends on several loops by divisors and bounds."""
    g = gcd(*(factor for pair in factors for factor in pair))
    if -(-low // g) * g > high:
        return Independent(f"no multiple of {g} is between {low} and {high}")
    total = 0, 0
    for (a, b), loop in zip(factors, loops, strict=True):
        numbers = 0, max(0, (UNBOUNDED if loop.trips is None else loop.trips) - 1)
        for factor in (a, -b):
            total = intervals.add(total, intervals.multiply((factor, factor), numbers))
    if total[1] < low or high < total[0]:
        return Independent("they are too far apart for the iterations of the loops")
    return Unknown("it depends on several loops at once")
