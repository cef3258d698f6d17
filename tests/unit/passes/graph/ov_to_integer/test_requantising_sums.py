"""Two multiplications and a shift against exact rounding, pair by pair."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomir.passes.graph.ov_to_integer.proving import Requantisation, Summand, requantisation_of_sum

LEAST, MOST = -128, 127


def differing(found: Requantisation, a: Summand, b: Summand, least: int = LEAST, most: int = MOST) -> int:
    """How many pairs are rounded otherwise than exactly, with Python's integers."""
    (m, n), (c,), (shift,) = (each.tolist() for each in (found.multipliers, found.addends, found.shifts))
    assert 0 <= m < 1 << 31
    assert 0 <= n < 1 << 31
    count = 0
    for x in range(a.low, a.high + 1):
        for y in range(b.low, b.high + 1):
            total = x * m + y * n + c
            assert -(1 << 63) <= total < 1 << 63
            result = total >> shift
            if found.window is not None and total & ((1 << shift) - 1) <= found.window:
                result -= result & 1
            exact = round(a.ratio * x + b.ratio * y)
            count += min(max(result, least), most) != min(max(exact, least), most)
    return count


def single(number: float) -> Fraction:
    return Fraction(float(np.float32(number)))


@settings(max_examples=20, deadline=None)
@given(
    st.floats(2**-6, 2.0, width=32), st.floats(2**-6, 2.0, width=32), st.integers(-60, 0), st.integers(1, 60)
)
def test_all_pairs_of_any_scales(one: float, other: float, low: int, high: int) -> None:
    a, b = Summand(Fraction(one), low, high), Summand(Fraction(other), -high, -low)
    found = requantisation_of_sum((a, b), LEAST, MOST)
    assert differing(found, a, b) == found.wrong == 0


@pytest.mark.parametrize(
    ("one", "other", "halves"),
    [
        (Fraction(1, 2), Fraction(1, 2), True),
        (Fraction(1, 6), Fraction(1, 3), True),
        (Fraction(5, 12), Fraction(7, 30), True),
        (Fraction(1, 3), Fraction(1, 5), False),
        (Fraction(1, 10**12), Fraction(1, 10**13), False),
        (Fraction(40_000), Fraction(1, 7), False),
    ],
)
def test_halves_are_even(one: Fraction, other: Fraction, halves: bool) -> None:
    a, b = Summand(one, -50, 70), Summand(other, -80, 30)
    found = requantisation_of_sum((a, b), LEAST, MOST)
    assert (found.window is not None, found.wrong, found.values) == (halves, 0, 121 * 111)
    assert differing(found, a, b) == 0


@pytest.mark.parametrize(("least", "most"), [(0, 200), (5, 5), (-300, -200)])
def test_limits(least: int, most: int) -> None:
    a, b = Summand(single(0.7), -50, 70), Summand(single(0.3), -80, 30)
    found = requantisation_of_sum((a, b), least, most)
    assert differing(found, a, b, least, most) == found.wrong == 0


def test_what_can_not_be_told_apart_is_counted() -> None:
    """Next to a half by a billionth: 31 bits do not say on which side."""
    a, b = Summand(Fraction(1, 10**12), -50, 70), Summand(Fraction(1, 2), -80, 30)
    found = requantisation_of_sum((a, b), LEAST, MOST)
    assert differing(found, a, b) == found.wrong > 0


def test_all_of_two_tensors() -> None:
    random = np.random.default_rng(0)
    for _ in range(10):
        one, other = map(single, random.uniform(0.1, 2, 2))
        assert (
            requantisation_of_sum((Summand(one, -128, 127), Summand(other, -255, 0)), LEAST, MOST).wrong == 0
        )
