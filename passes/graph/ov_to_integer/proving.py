"""Choice and proof of requantisation parameters, for tensors and for sums.

Multipliers, an addend and a shift requantise integers; the proof shows that this rounds as exact arithmetic does:

    round(ratio · a)  =  (a · m + c) >> s        for all a from `low` to `high`

Both sides grow with a, so each result k begins at some least a; in exact arithmetic, at a_k. The program computes the
same results if

    a_k · m + c ≥ k · 2^s   and   (a_k − 1) · m + c < k · 2^s        for all k

This leaves an interval for c, for each channel and multiplier. Usually 2^(s−1) is in all intervals. Otherwise, a number
that is in one interval of each channel is the addend of all channels. If there is none, each channel has its own
addend, and if that is not enough, its own shift.

A half, ratio · a = k + 1/2, is rounded to even. Where halves occur, c is increased such that they all lie above an odd
number, by no more than w. Nothing else lies there, since any other value is at least 1 / (2 q) away from a half, with
ratio = p / q. In the conditions above, k · 2^s becomes k · 2^s + w + 1 for odd k.

If a bias is no multiple of the sum's steps, its rest is part of a channel's addend:

    round(ratio · (a + rest))  =  (a · m + c) >> s        with c near ratio · rest · 2^s + 2^(s−1)

The results then begin at other a_k; everything else stays the same.

The sum of two quantised tensors is requantised likewise; the proof goes pair by pair:

    round(ratio_a · a + ratio_b · b)  =  (a · m + b · n + c) >> s        for all pairs of a and b

Each pair bounds c from below or above, and halves are identified as above.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import ClassVar, TypeAlias

import numpy as np

from loomir.passes.graph.ov_to_integer.scaled import Numbers, integers, single

_BITS = 31
"""Of a multiplier: the product with 32 bits fits in 64."""
_MOST_SHIFT = 62
_NONE = Fraction(0)


_Choices: TypeAlias = list[tuple[int, int, int]]
"""Multipliers of a channel, each with an interval of addends.

With the addends in the interval, all values are rounded exactly.
"""


@dataclass(frozen=True)
class Requantisation:
    """Multipliers, addends and shifts of a requantisation.

    Each of them is one number, or one for each channel. `window` is the maximum distance of a half above an odd number, or
    None if no halves occur. Of the `values` that may occur, `wrong` are not rounded exactly.
    """

    AS_FLOATS: ClassVar[bool] = True

    multipliers: np.ndarray
    addends: np.ndarray
    shifts: np.ndarray
    window: int | None
    values: int
    wrong: int
    channels: int = 1

    @property
    def text(self) -> str:
        """Text of the remark on this requantisation."""
        return f"requantised: {self.channels} channels, {self.values} values proved, {self.wrong} rounded otherwise"

    @property
    def figures(self) -> dict[str, int]:
        """The numbers in the text, by name."""
        return {"channels": self.channels, "values": self.values, "wrong": self.wrong}


@dataclass(frozen=True)
class _Channel:
    """Requirements of one channel: the value at which each result begins."""

    ratio: Fraction
    low: int
    high: int
    rest: Fraction
    lowest: int
    """The result of `low`."""
    numbers: np.ndarray
    """Results of the channel.

    The first result may begin at or before `low`, the last behind `high`, unless limits hide that.
    """
    begins: np.ndarray
    """Least value of each result; `high` + 1 if it has none."""

    @staticmethod
    def of(ratio: Fraction, low: int, high: int, rest: Fraction, least: int, most: int) -> _Channel:
        p, q = ratio.numerator, ratio.denominator
        if rest:
            # What is behind the limits wherever it is may as well be near them.
            rest = min(max(rest, (least - 1) / ratio - high), (most + 1) / ratio - low)
        u, v = rest.numerator, rest.denominator
        begins = list[int]()
        first, last = round(ratio * (low + rest)), round(ratio * (high + rest))
        numbers = range(max(first, least + 1), min(last + 1, most) + 1)
        step, of = q * v, 2 * p * v
        odd = (2 * numbers.start - 1) * step - 2 * p * u
        for k in numbers:
            # ratio · (a + rest) ≥ k − 1/2, where a half belongs to an even k.
            begin = -(-odd // of) if k % 2 == 0 else odd // of + 1
            begins.append(low if begin < low else high + 1 if begin > high else begin)
            odd += 2 * step
        lowest = min(max(first, least), most)
        return _Channel(
            ratio, low, high, rest, lowest, np.array(numbers, np.int64), np.array(begins, np.int64)
        )

    @property
    def greatest(self) -> int:
        return max(abs(self.low), abs(self.high))

    def results(self) -> tuple[np.ndarray, np.ndarray]:
        """Each result that occurs, and where it begins."""
        ends = np.append(self.begins[1:], self.high + 1)
        occurs = self.begins < ends
        return self.numbers[occurs], self.begins[occurs]

    @property
    def has_halves(self) -> bool:
        """True if some value lies midway between two results."""
        p, q = self.ratio.numerator, self.ratio.denominator
        if not self.rest:
            return q % 2 == 0 and q // 2 <= self.greatest
        # 2 p (a + rest) is an odd multiple of q for the least such a that is not below `low`.
        doubled = 2 * p * self.rest
        if doubled.denominator != 1 or (q - int(doubled)) % 2:
            return False
        first = (q - int(doubled)) // 2 * pow(p, -1, q) if q > 1 else 0
        return self.low + (first - self.low) % q <= self.high

    @property
    def shift(self) -> int:
        """The largest that this channel may have."""
        return shift_of(self.ratio, self.greatest, abs(self.ratio * self.rest))

    def first(self, shift: int) -> int:
        """The addend of a value that is cut off instead of rounded."""
        return round(self.ratio * self.rest * (1 << shift))

    def interval(self, m: int, shift: int, window: int | None) -> tuple[int, int]:
        """Return the least and greatest addend that round all values exactly.

        The least addend is greater than the greatest if there is no such addend.
        """
        least = self.first(shift)
        greatest = least + (1 << shift) - 1
        bounds, begins = self._bounds(m, shift, window)
        first, last = begins <= self.high, begins > self.low
        if first.any():
            least = max(least, int((bounds - begins * m)[first].max()))
        if last.any():
            greatest = min(greatest, int((bounds - (begins - 1) * m)[last].min()) - 1)
        return least, greatest

    def wrong(self, m: int, c: int, shift: int, window: int | None) -> int:
        """How many values are rounded otherwise than exactly."""
        bounds, begins = self._bounds(m, shift, window)
        bounds = bounds - c
        # A channel whose weights are next to nothing may have the multiplier 0: all its results are the same.
        found = -(-bounds // m) if m else np.where(bounds > 0, self.high + 1, self.low)
        return int(np.abs(begins - np.clip(found, self.low, self.high + 1)).sum())

    def _bounds(self, m: int, shift: int, window: int | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the least `a · m + c` of each result, and where it begins.

        The numbers have 64 bits, or are Python integers where 64 bits cannot hold the sums.
        """
        most = max(
            (int(abs(end)) + 2 << shift for end in self.numbers[[0, -1]]) if self.numbers.size else [0]
        )
        fit = max(most, self.greatest * (m + 1)) < 1 << 61
        numbers, begins = (part.astype(np.int64 if fit else object) for part in (self.numbers, self.begins))
        bounds = numbers * (1 << shift)
        return (bounds if window is None else bounds + numbers % 2 * (window + 1)), begins


def requantisation(
    ratio: Numbers,
    low: Numbers,
    high: Numbers,
    least: Numbers | int,
    most: Numbers | int,
    rest: Numbers | None = None,
) -> Requantisation:
    """Choose the requantisation of values from `low` to `high`.

    `rest` is the rest of a bias, in steps of these values (None: 0). Results below `least` and above `most` are limited to
    these.
    """
    ends, rest = (integers(least), integers(most)), single(0) if rest is None else rest
    shape = np.broadcast_shapes(*(part.shape for part in (ratio, low, high, rest, *ends)))
    channels = _channels(shape, ratio, low, high, single(0), *ends)
    if rest.any():
        exact = _channels(shape, ratio, low, high, rest, *ends)
        if any(_differ(a, b) for a, b in zip(exact, channels, strict=True)):
            channels = exact
    if any(channel.rest for channel in channels):
        common = min(channel.shift for channel in channels)
    else:
        common = shift_of(max(c.ratio for c in channels), max(c.greatest for c in channels))
    found = _with_shifts(channels, [common] * len(channels), shape, one_each=ratio.size > 1)
    if found.wrong and len(channels) > 1:
        # Beside a channel with a much larger ratio little is left of a multiplier.
        shifts = [channel.shift for channel in channels]
        found = min(found, _with_shifts(channels, shifts, shape, one_each=True), key=lambda each: each.wrong)
    return found


def _differ(a: _Channel, b: _Channel) -> bool:
    """Return True if some value has different results in the two channels."""
    # (Where all values are behind one limit, none of the results between both occurs.)
    same = (np.array_equal(p, q) for p, q in zip(a.results(), b.results(), strict=True))
    return a.lowest != b.lowest or not all(same)


def _channels(shape: tuple[int, ...], *parts: Numbers) -> list[_Channel]:
    """Of ratios, least and greatest values, rests, least and greatest results."""
    given = zip(*(np.broadcast_to(part, shape).reshape(-1) for part in parts))
    return [
        _Channel.of(Fraction(ratio), int(low), int(high), Fraction(rest), int(least), int(most))
        for ratio, low, high, rest, least, most in given
    ]


def _with_shifts(
    channels: list[_Channel], shifts: list[int], shape: tuple[int, ...], *, one_each: bool
) -> Requantisation:
    if len(set(shifts)) == 1:
        shifts = [_without_common_factors(channels, shifts[0])] * len(shifts)
    window = _window(channels, shifts)
    multipliers, addends = _chosen(channels, shifts, window)
    wrong = sum(
        channel.wrong(m, c, shift, window)
        for channel, m, c, shift in zip(channels, multipliers, addends, shifts, strict=True)
    )
    return Requantisation(
        _array(multipliers, shape, one_each=one_each),
        _array(addends, shape),
        _array(shifts, shape),
        window,
        sum(channel.high - channel.low + 1 for channel in channels),
        wrong,
        len(channels),
    )


def _array(numbers: list[int], shape: tuple[int, ...], *, one_each: bool = False) -> np.ndarray:
    """Return one number for each channel, or one if all are equal."""
    if one_each or len(set(numbers)) > 1:
        return np.array(numbers, np.int64).reshape(shape)
    return np.array(numbers[:1], np.int64)


def shift_of(ratio: Fraction, greatest: int, offset: Fraction = _NONE) -> int:
    """Return the largest shift with a 31-bit multiplier and a 63-bit sum.

    The sum includes an offset of `offset` results.
    """
    shift = _MOST_SHIFT
    while ceil_of(ratio * (1 << shift)) * max(greatest, 1) + ceil_of(
        (offset + 1) * (1 << shift)
    ) >= 1 << 63 or (ceil_of(ratio * (1 << shift)) >= 1 << _BITS):
        shift -= 1
    return shift


def ceil_of(number: Fraction) -> int:
    """The least integer that is not below a number."""
    return -(-number.numerator // number.denominator)


def _without_common_factors(channels: list[_Channel], shift: int) -> int:
    """Return the shift without the ratios' largest common power of two.

    The shift only changes if all ratios are multiples of a power of two and halves occur: the remaining bits then identify
    a half.
    """
    exact = [channel.ratio * (1 << shift) for channel in channels]
    if any(channel.rest for channel in channels):
        return shift
    if any(m.denominator != 1 for m in exact) or not any(channel.has_halves for channel in channels):
        return shift
    return shift - min(min((m.numerator & -m.numerator).bit_length() - 1 for m in exact), shift - 1)


def _window(channels: list[_Channel], shifts: list[int]) -> int | None:
    """Return the maximum distance of halves above an odd number, or None.

    The multipliers are no smaller than the exact ones.
    """
    away = None
    for channel, shift in zip(channels, shifts, strict=True):
        if channel.has_halves:
            exact = channel.ratio * (1 << shift)
            away = max(away or 0, ceil_of(channel.greatest * (ceil_of(exact) - exact)))
    return None if away is None or 8 * away >= 1 << min(shifts) else 2 * away


def _chosen(channels: list[_Channel], shifts: list[int], window: int | None) -> tuple[list[int], list[int]]:
    """Multipliers, and an addend that all have if there is one."""
    choices: list[_Choices] = []
    for channel, shift in zip(channels, shifts, strict=True):
        exact, middle = channel.ratio * (1 << shift), channel.first(shift) + middle_of(shift, window)
        nearest = ceil_of(exact) if channel.has_halves else round(exact)
        found: _Choices = []
        for m in (nearest, nearest + 1, nearest - 1):
            if 0 <= m < 1 << _BITS:
                first, last = channel.interval(m, shift, window)
                if first <= last:
                    found.append((m, first, last))
                    if first <= middle <= last:
                        break
        # Where no addend is right, none is worse than others.
        first = channel.first(shift)
        choices.append(found or [(min(nearest, (1 << _BITS) - 1), first, first + (1 << shift) - 1)])
    common = None
    if len(set(shifts)) == 1 and not any(channel.rest for channel in channels):
        common = _common(choices, middle_of(shifts[0], window))
    multipliers, addends = list[int](), list[int]()
    for channel, found, shift in zip(channels, choices, shifts, strict=True):
        c, middle = common, channel.first(shift) + middle_of(shift, window)
        if c is None:
            nearby = [min(max(middle, first), last) for _, first, last in found]
            c = min(nearby, key=lambda c: abs(c - middle))
        multipliers.append(next(m for m, first, last in found if first <= c <= last))
        addends.append(c)
    return multipliers, addends


def middle_of(shift: int, window: int | None) -> int:
    """Return the addend that rounds to nearest, with halves above odd numbers."""
    return (1 << (shift - 1)) + (window or 0) // 2


def _common(choices: list[_Choices], middle: int) -> int | None:
    """Return the number nearest to `middle` in one interval of each channel."""
    ends = {middle, *(end for found in choices for _, *interval in found for end in interval)}
    for c in sorted(ends, key=lambda end: abs(end - middle)):
        if all(any(first <= c <= last for _, first, last in found) for found in choices):
            return c
    return None


@dataclass(frozen=True)
class Summand:
    """Operand of a sum: integers from `low` to `high`, times a ratio."""

    ratio: Fraction
    low: int
    high: int

    @property
    def count(self) -> int:
        return self.high - self.low + 1

    @property
    def greatest(self) -> int:
        return max(abs(self.low), abs(self.high))

    @property
    def values(self) -> np.ndarray:
        return np.arange(self.low, self.high + 1)


def requantisation_of_sum(terms: tuple[Summand, Summand], least: int, most: int) -> Requantisation:
    """Choose the requantisation of a sum for all pairs of values.

    Results below `least` and above `most` are limited to these.
    """
    a, b = terms
    exact, halves = _exactly(a, b)
    exact = np.clip(exact, least, most)
    # Of a sum and of what it is compared with 63 bits are needed.
    shift = min(shift_of(term.ratio, 2 * term.greatest) for term in terms)
    shift = min(shift, 62 - (int(np.abs(exact).max()) + 2).bit_length())
    steps = [term.ratio * (1 << shift) for term in terms]
    window = None
    if halves:
        away = sum(ceil_of(term.greatest * (ceil_of(m) - m)) for term, m in zip(terms, steps))
        window = 2 * away if 8 * away < 1 << shift else None
    nearest = [ceil_of(m) if halves else round(m) for m in steps]
    middle, best = middle_of(shift, window), None
    for by_a in (0, 1, -1):
        for by_b in (0, 1, -1):
            m, n = max(nearest[0] + by_a, 0), max(nearest[1] + by_b, 0)
            total = a.values[:, None] * m + b.values * n
            c = _addend(total, exact, least, most, shift, window, middle)
            wrong = int((_rounded(total + c, shift, window, least, most) != exact).sum())
            if best is None or wrong < best.wrong:
                multipliers, addends, shifts = (np.array(each, np.int64) for each in ([m, n], [c], [shift]))
                best = Requantisation(multipliers, addends, shifts, window, exact.size, wrong)
            if not wrong:
                return best
    assert best is not None
    return best


def _exactly(a: Summand, b: Summand) -> tuple[np.ndarray, bool]:
    """Return the rounded result of each pair, and whether halves occur."""
    q = lcm(a.ratio.denominator, b.ratio.denominator)
    p = [int(term.ratio * q) for term in (a, b)]
    numerator = a.values.astype(object)[:, None] * p[0] + b.values.astype(object) * p[1]
    doubled = 2 * numerator + q
    rounded = doubled // (2 * q)
    half = doubled == rounded * (2 * q)
    rounded = rounded - np.where(half, rounded % 2, 0)
    return rounded.astype(np.int64), bool(half.any())


def _above(results: np.ndarray, window: int | None) -> np.ndarray | int:
    """How far above an integer what is rounded to it begins."""
    return 0 if window is None else (results % 2) * (window + 1)


def _addend(
    total: np.ndarray, exact: np.ndarray, least: int, most: int, shift: int, window: int | None, middle: int
) -> int:
    """Return the addend nearest to `middle` that rounds all pairs exactly.

    Return `middle` if there is none.
    """
    low = (exact << shift) + _above(exact, window) - total
    high = ((exact + 1) << shift) + _above(exact + 1, window) - total - 1
    first = int(low[exact > least].max(initial=0))
    last = int(high[exact < most].min(initial=(1 << shift) - 1))
    return min(max(middle, first), last) if first <= last else middle


def _rounded(total: np.ndarray, shift: int, window: int | None, least: int, most: int) -> np.ndarray:
    """Return the results that the program computes."""
    result = total >> shift
    if window is not None:
        result = result - (result & 1) * ((total & ((1 << shift) - 1)) <= window)
    return np.clip(result, least, most)
