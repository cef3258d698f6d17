"""A multiplication and a shift against exact rounding, value by value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomir.passes.graph.ov_to_integer.proving import Requantisation, requantisation
from loomir.passes.graph.ov_to_integer.scaled import fractions, integers

LEAST, MOST = -128, 127


def rounded(window: int | None, m: int, c: int, shift: int, value: int) -> int:
    """Compute the program's result."""
    total = value * m + c
    assert -(1 << 63) <= total < 1 << 63
    result = total >> shift
    if window is not None and total & ((1 << shift) - 1) <= window:
        result -= result & 1
    return min(max(result, LEAST), MOST)


def differing(found: Requantisation, ratio: Fraction, low: int, high: int, channel: int = 0) -> int:
    """How many values are rounded otherwise than exactly: all are tried."""
    parts = found.multipliers, found.addends, found.shifts
    m, c, shift = (int(numbers[channel % numbers.size]) for numbers in parts)
    assert 0 <= m < 1 << 31
    return sum(
        rounded(found.window, m, c, shift, value) != min(max(round(ratio * value), LEAST), MOST)
        for value in range(low, high + 1)
    )


@settings(max_examples=60, deadline=None)
@given(st.floats(2**-9, 1.0, width=32), st.integers(-3000, 0), st.integers(1, 3000))
def test_what_is_said_to_differ_differs(scale: float, low: int, high: int) -> None:
    ratio = fractions(np.array([scale]))
    found = requantisation(ratio, integers(low), integers(high), LEAST, MOST)
    assert found.values == high - low + 1
    assert differing(found, ratio[0], low, high) == found.wrong == 0


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.integers(1, 400), st.integers(-3000, 0), st.integers(1, 3000))
def test_halves_of_any_fraction_are_even(p: int, q: int, low: int, high: int) -> None:
    ratio = np.array([Fraction(p, q)], object)
    found = requantisation(ratio, integers(low), integers(high), LEAST, MOST)
    assert differing(found, ratio[0], low, high) == found.wrong == 0


@pytest.mark.parametrize(
    ("ratio", "window"),
    [
        (Fraction(1, 2), 0),  # every other value is a half
        (Fraction(3, 64), 0),
        (Fraction(1), None),
        (Fraction(1, 125), None),  # no value is a half
        (Fraction(1, 1 << 20), None),
        (Fraction(0.0123456789), None),
        (Fraction(1, 6), 6668),
        (Fraction(3, 36), 6668),
    ],
)
def test_all_are_exact(ratio: Fraction, window: int | None) -> None:
    found = requantisation(np.array([ratio], object), integers(-5000), integers(5000), LEAST, MOST)
    assert (found.window, found.wrong) == (window, 0)
    assert differing(found, ratio, -5000, 5000) == 0


def test_each_channel_has_its_multiplier_and_interval() -> None:
    ratio = fractions(np.array([0.01, 0.5, 0.0007], np.float32))
    low, high = integers(np.array([-9000, -100, -200_000])), integers(np.array([9000, 100, 200_000]))
    found = requantisation(ratio, low, high, LEAST, MOST)
    assert found.values == 18_001 + 201 + 400_001
    bounds = enumerate(zip(ratio, low, high, strict=True))
    assert [differing(found, r, int(a), int(b), channel) for channel, (r, a, b) in bounds] == [0, 0, 0]


@pytest.mark.parametrize(("largest", "shifts"), [(0.01, 1), (0.4, 64), (900, 64)])
def test_channels_beside_a_much_larger_one(largest: float, shifts: int) -> None:
    """Little is left of their multipliers: a half is not the right addend for all; then each needs its own shift."""
    random = np.random.default_rng(0)
    ratio = fractions(np.append(random.uniform(1e-4, 1e-3, 63), largest).astype(np.float32))
    high = np.minimum(rounded_up(ratio, 128), 1 << 20)
    found = requantisation(ratio, integers(-high), integers(high), LEAST, MOST)
    assert found.shifts.size == shifts
    sample = (0, 63)
    assert found.wrong == 0
    assert [differing(found, ratio[k], -int(high[k]), int(high[k]), k) for k in sample] == [0] * len(sample)


def rounded_up(ratio: np.ndarray, result: int) -> np.ndarray:
    """The values that give a result, and a few more."""
    return np.array([int(result / r) + 5 for r in ratio])


def test_halves_and_numbers_too_large_for_a_window() -> None:
    """Values that 64 bits cannot distinguish are counted."""
    ratio, greatest = np.array([Fraction(1000, 6)], object), 1 << 30
    found = requantisation(ratio, integers(-greatest), integers(greatest), LEAST, MOST)
    assert found.wrong == differing(found, ratio[0], -2000, 2000)


def test_a_channel_that_is_next_to_nothing() -> None:
    # As channels that training has let die: beside a common shift nothing is left of their ratio, and it is not needed.
    ratio = np.array([Fraction(1, 3), Fraction(1, 10**12)], object)
    low, high = integers(np.array([-900, -10_000])), integers(np.array([900, 10_000]))
    found = requantisation(ratio, low, high, LEAST, MOST)
    assert (found.multipliers[1], found.wrong) == (0, 0)
    assert differing(found, ratio[1], -10_000, 10_000, 1) == 0
