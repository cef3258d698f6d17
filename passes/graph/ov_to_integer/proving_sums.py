"""Choice and proof of parameters that requantise a sum.

Multipliers, an addend and a shift requantise the sum of two quantised tensors; the proof goes pair by pair:

    round(ratio_a · a + ratio_b · b)  =  (a · m + b · n + c) >> s        for all pairs of a and b

Each pair bounds c from below or above, and halves are identified, as in `proving.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from loomir.passes.graph.ov_to_integer.proving import Requantisation, ceil_of, middle_of, shift_of


@dataclass(frozen=True)
class Term:
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


def requantisation_of_sum(terms: tuple[Term, Term], least: int, most: int) -> Requantisation:
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


def _exactly(a: Term, b: Term) -> tuple[np.ndarray, bool]:
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
