"""Agreement of two runs: exact, within tolerance, and of failures.

The tolerance is that of docs/testing.md.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from loomir.compiler.checking.agreement import Outcome, compare
from loomir.compiler.checking.running import only_defined
from loomir.compiler.engines import InterpreterError
from loomir.errors import Error


def kind(a: object, b: object, *, exact: bool = True) -> str | None:
    found = compare(Outcome({"y": a}), Outcome({"y": b}), exact=exact)
    return None if found is None else found.kind


def f32(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)


def test_floats_exactly() -> None:
    assert kind(f32(1, np.nan, np.inf), f32(1, -np.nan, np.inf)) is None
    assert kind(f32(1.0), f32(np.nextafter(np.float32(1), np.float32(2)))) == "values"
    assert kind(f32(0.0), f32(-0.0)) == "signs"
    assert kind(f32(np.nan), f32(0)) == "values"


@pytest.mark.parametrize(
    ("after", "wrong"), [(100.009, False), (100.02, True), (np.inf, True), (np.nan, True)]
)
def test_floats_within_the_tolerance(after: float, wrong: bool) -> None:
    # 1e-5 + 1e-4 · 100, whichever element is the largest
    assert (kind(f32(100, 0), f32(after, 0), exact=False) is not None) == wrong
    assert (kind(f32(100, 0), f32(100, after - 100), exact=False) is not None) == wrong


def test_infinities_and_nans_must_be_where_they_were() -> None:
    assert kind(f32(np.inf, 1), f32(np.inf, 1), exact=False) is None
    assert kind(f32(np.inf, 1), f32(-np.inf, 1), exact=False) == "values"
    assert kind(f32(np.nan, 1), f32(np.nan, 1), exact=False) is None
    assert kind(f32(np.nan, 1), f32(1, np.nan), exact=False) == "values"


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.bool_, ml_dtypes.int4, ml_dtypes.uint2])
def test_integers_exactly_always(dtype: type) -> None:
    a, b = np.array([0, 1], dtype), np.array([0, 0], dtype)
    assert kind(a, a.copy(), exact=False) is None
    assert kind(a, b, exact=False) == "values"


def test_large_integers_are_no_floats() -> None:
    a = np.array([2**63 - 1], np.int64)
    found = compare(Outcome({"y": a}), Outcome({"y": a - 1}), exact=False)
    assert found is not None
    assert found.largest == 1


def test_bfloat16_is_a_float() -> None:
    a = np.array([1.0, 2.0], ml_dtypes.bfloat16)
    assert kind(a, a.copy()) is None
    assert kind(a, a + a) == "values"
    assert kind(a, np.array([1.0, np.nan], ml_dtypes.bfloat16), exact=False) == "values"


def test_types_shapes_and_names() -> None:
    assert kind(f32(1), np.array([1], np.float64)) == "type"
    assert kind(f32(1), f32(1, 1)) == "shape"
    assert kind(f32(), f32()) is None
    found = compare(Outcome({"y": f32()}), Outcome({"z": f32()}), exact=True)
    assert found is not None
    assert found.kind == "outputs"


def test_sequences_and_optionals() -> None:
    assert kind([f32(1), f32(2, 3)], [f32(1), f32(2, 3)]) is None
    assert kind([f32(1)], []) == "shape"
    assert kind([f32(1)], f32(1)) == "type"
    assert kind([f32(1), f32(2)], [f32(1), f32(3)]) == "values"
    assert kind(None, None) is None
    assert kind(None, f32(1)) == "shape"


def test_failures() -> None:
    good = Outcome({"y": f32(1)})
    index, other = Outcome(error=Error("runtime-index", "a")), Outcome(error=Error("runtime-shape", "b"))
    crash = Outcome(crash=InterpreterError("c"))
    limit = Outcome(error=Error("limit-iterations", "d"))
    kinds = [
        found and found.kind
        for found in (
            compare(index, other, exact=True),
            compare(good, index, exact=True),
            compare(index, good, exact=True),
            compare(good, crash, exact=True),
            compare(crash, good, exact=True),
            compare(good, limit, exact=True),
            compare(limit, good, exact=True),
        )
    ]
    assert kinds == ["reason", "fails", "succeeds", "crash InterpreterError", None, None, None]


def test_a_capacity_may_be_too_small_where_one_was_given() -> None:
    good, full = Outcome({"y": f32(1)}), Error("runtime-capacity", "full")
    assert compare(good, Outcome(error=full), exact=True) is not None
    assert compare(good, Outcome(error=full, bounded=True), exact=True) is None


def test_what_was_never_written_is_not_compared() -> None:
    before, other, after = (Outcome({"y": f32(1, x)}) for x in (7, 8, 9))
    assert compare(before, after, exact=True) is not None
    assert compare(*only_defined(before, other, after), exact=True) is None
    assert compare(*only_defined(before, before, after), exact=True) is not None


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (np.array([3, 200], np.uint8), np.array([4, 199], np.uint8), True),
        (np.array([3, 200], np.uint8), np.array([5, 200], np.uint8), False),
        (np.array([0, 255], np.uint8), np.array([255, 0], np.uint8), False),
        (np.array([3, 200], np.int32), np.array([4, 200], np.int32), False),
        (np.array([0.5, 0.75], np.float32), np.array([0.75, 0.5], np.float32), False),
    ],
)
def test_quantised_tensors_may_be_a_step_apart(before: np.ndarray, after: np.ndarray, same: bool) -> None:
    assert (compare(Outcome({"y": before}), Outcome({"y": after}), exact=False, steps=1) is None) == same
    assert compare(Outcome({"y": before}), Outcome({"y": after}), exact=False) is not None
