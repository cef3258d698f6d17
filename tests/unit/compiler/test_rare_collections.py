"""Collections are rare while something compiles, and as they were afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import loomir
from loomir.compiler.shared_state import ALLOCATIONS, rare_collections
from tests.support import raises_error


@pytest.fixture(autouse=True)
def _thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_thresholds_come_back_with_the_last_compilation() -> None:
    gc.set_threshold(700, 11, 12)
    first, second = rare_collections(), rare_collections()
    first.__enter__()
    second.__enter__()
    assert gc.get_threshold()[0] == ALLOCATIONS
    first.__exit__(None, None, None)
    assert gc.get_threshold()[0] == ALLOCATIONS
    second.__exit__(None, None, None)
    assert gc.get_threshold()[0] == 700


@pytest.mark.parametrize("threshold", [0, 10 * ALLOCATIONS])
def test_rarer_ones_are_left_alone(threshold: int) -> None:
    gc.set_threshold(threshold)
    with rare_collections():
        assert gc.get_threshold()[0] == threshold
    assert gc.get_threshold()[0] == threshold


def test_an_error_brings_them_back() -> None:
    gc.set_threshold(700)
    with raises_error("file-unreadable"):
        loomir.load("no-such-file.onnx")
    assert gc.get_threshold()[0] == 700
