"""A multiplication and a shift against exact rounding, value by value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomir.passes.graph.ov_to_integer.requantising import Requantisation, requantisation
from loomir.passes.graph.ov_to_integer.scaled import fractions, integers

LEAST, MOST = -128, 127


def rounded(found: Requantisation, m: int, value: int) -> int:
    """What the program computes."""
    total = value * m + (1 << (found.shift - 1))
    result = total >> found.shift
    if found.even and total & ((1 << found.shift) - 1) == 0:
        result -= result & 1
    return min(max(result, LEAST), MOST)


def differing(found: Requantisation, ratio: Fraction, m: int, low: int, high: int) -> int:
    """How many values are rounded otherwise than exactly: all are tried."""
    return sum(
        rounded(found, m, value) != min(max(round(ratio * value), LEAST), MOST)
        for value in range(low, high + 1)
    )


@settings(max_examples=60, deadline=None)
@given(st.floats(2**-9, 1.0, width=32), st.integers(-3000, 0), st.integers(1, 3000))
def test_what_is_said_to_differ_differs(scale: float, low: int, high: int) -> None:
    ratio = fractions(np.array([scale]))
    found = requantisation(ratio, integers(low), integers(high), LEAST, MOST)
    m = int(found.multipliers.reshape(-1)[0])
    assert 0 < m < 1 << 31
    assert found.values == high - low + 1
    assert differing(found, ratio[0], m, low, high) == found.wrong


@pytest.mark.parametrize(
    ("ratio", "even"),
    [
        (Fraction(1, 2), True),  # every other value is a half
        (Fraction(3, 64), True),
        (Fraction(1), True),
        (Fraction(1, 125), False),  # no value is a half
        (Fraction(0.0123456789), False),
    ],
)
def test_all_are_exact(ratio: Fraction, even: bool) -> None:
    found = requantisation(np.array([ratio], object), integers(-5000), integers(5000), LEAST, MOST)
    assert (found.even, found.wrong) == (even and ratio.denominator & (ratio.denominator - 1) == 0, 0)
    assert differing(found, ratio, int(found.multipliers[0]), -5000, 5000) == 0


def test_halves_of_a_ratio_that_is_no_power_of_two_are_counted() -> None:
    # 3, 9, 15 … sixths are halves, and half of them belong to the even number below.
    found = requantisation(np.array([Fraction(1, 6)], object), integers(0), integers(700), LEAST, MOST)
    m = int(found.multipliers[0])
    assert found.wrong == differing(found, Fraction(1, 6), m, 0, 700) > 0


def test_each_channel_has_its_multiplier_and_interval() -> None:
    ratio = fractions(np.array([0.01, 0.5, 0.0007], np.float32))
    low, high = integers(np.array([-9000, -100, -200_000])), integers(np.array([9000, 100, 200_000]))
    found = requantisation(ratio, low, high, LEAST, MOST)
    assert found.values == 18_001 + 201 + 400_001
    wrong = [
        differing(found, r, int(m), int(a), int(b))
        for r, m, a, b in zip(ratio, found.multipliers, low, high, strict=True)
    ]
    assert sum(wrong) == found.wrong


def test_a_channel_that_is_next_to_nothing() -> None:
    # As channels that training has let die: beside a common shift nothing is left of their ratio, and it is not needed.
    ratio = np.array([Fraction(1, 3), Fraction(1, 10**12)], object)
    low, high = integers(np.array([-900, -10_000])), integers(np.array([900, 10_000]))
    found = requantisation(ratio, low, high, LEAST, MOST)
    assert (found.multipliers[1], found.wrong) == (0, 0)
    assert differing(found, ratio[1], 0, -10_000, 10_000) == 0
