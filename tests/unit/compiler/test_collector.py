"""The garbage collector is as it was after every compilation, however it ended and whoever ran it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from threading import Barrier, Thread

import pytest

import loomir
from loomir.compiler.collector import THRESHOLDS, collecting_less
from loomir.errors import Error

USUAL = (700, 10, 10)


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """The thresholds that Python starts with; those of the process afterwards."""
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def test_it_is_rarer_inside_and_as_it_was_afterwards() -> None:
    with collecting_less():
        with collecting_less():
            assert gc.get_threshold() == THRESHOLDS
        assert gc.get_threshold() == THRESHOLDS
    assert gc.get_threshold() == USUAL


def test_it_is_as_it_was_after_an_exception() -> None:
    with pytest.raises(KeyError), collecting_less():
        raise KeyError
    assert gc.get_threshold() == USUAL
    with pytest.raises(Error):
        loomir.load("there-is-no-such-file.onnx")
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("chosen", [(0, 10, 10), (1_000_000, 5, 5)], ids=["off", "rarer"])
def test_what_the_user_chose_stays(chosen: tuple[int, int, int]) -> None:
    gc.set_threshold(*chosen)
    with collecting_less():
        assert gc.get_threshold() == chosen
    assert gc.get_threshold() == chosen


def test_a_change_by_somebody_else_stays() -> None:
    with collecting_less():
        gc.set_threshold(900, 9, 9)
    assert gc.get_threshold() == (900, 9, 9)


def test_a_collector_that_is_switched_off_stays_off() -> None:
    gc.disable()
    try:
        with collecting_less():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_last_of_several_threads_sets_it_back() -> None:
    inside = Barrier(4)
    seen: list[tuple[int, int, int]] = []

    def compile_something() -> None:
        with collecting_less():
            inside.wait()
            seen.append(gc.get_threshold())

    threads = [Thread(target=compile_something) for _ in range(3)]
    for thread in threads:
        thread.start()
    inside.wait()
    for thread in threads:
        thread.join()
    assert seen[0] == THRESHOLDS
    assert gc.get_threshold() == USUAL
