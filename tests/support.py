"""Helpers that tests share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import pytest

from loomir.errors import Error


@contextmanager
def raises_error(identifier: str, *fragments: str) -> Iterator[pytest.ExceptionInfo[Error]]:
    """Expect `loomir.Error` with this identifier whose text holds every fragment.

    A test of its own looks for the literal identifiers given here, and fails for one that no test raises.
    """
    with pytest.raises(Error) as info:
        yield info
    assert info.value.identifier == identifier, str(info.value)
    for fragment in fragments:
        assert fragment in str(info.value), f"{fragment!r} is not in: {info.value}"


def assert_agree(actual: np.ndarray, expected: np.ndarray, what: str = "") -> None:
    """docs/testing.md: integers and booleans exactly; floats max|a−b| ≤ 1e-5 + 1e-4·max|b| per output."""
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, expected {expected.shape}"
    assert actual.dtype == expected.dtype, f"{what}: {actual.dtype}, expected {expected.dtype}"
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(actual, expected, err_msg=what)
        return
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    np.testing.assert_array_equal(a[~finite], b[~finite], err_msg=what)
    if finite.any():
        difference = np.abs(a[finite] - b[finite]).max()
        limit = 1e-5 + 1e-4 * np.abs(b[finite]).max()
        assert difference <= limit, f"{what}: largest difference {difference:.3g}, allowed {limit:.3g}"


def assert_all_agree(
    actual: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray], what: str = ""
) -> None:
    """`assert_agree` of every output by name."""
    assert set(actual) == set(expected), f"{what}: outputs {sorted(actual)}, expected {sorted(expected)}"
    for name, value in expected.items():
        assert_agree(actual[name], value, f"{what} output {name}")


def assert_values_agree(actual: object, expected: object, what: str = "") -> None:
    """`assert_agree` of tensors; sequences have as many elements, each of which agrees; an absent optional is None."""
    if isinstance(expected, list):
        assert isinstance(actual, list), what
        assert len(actual) == len(expected), what
        for index, (a, b) in enumerate(zip(actual, expected)):
            assert_values_agree(a, b, f"{what}[{index}]")
    elif expected is None:
        assert actual is None, what
    else:
        assert isinstance(actual, np.ndarray), what
        assert_agree(actual, np.asarray(expected), what)


def count_calls(function: Callable[[], object]) -> int:
    """How many Python functions a call makes: a measure of work that, unlike seconds, is the same on every machine."""
    calls = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls
