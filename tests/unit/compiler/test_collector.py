"""The garbage collector is as it was after every compilation, however it ended and whoever ran it; memory stays bounded."""

from __future__ import annotations

import gc
import multiprocessing
import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Event, Thread

import pytest
from xdsl.dialects.builtin import ModuleOp

import loomir
from loomir.compiler import collector
from loomir.compiler.collector import FEW, THRESHOLDS, another_program_begins, collecting_less
from loomir.errors import Error

USUAL = (700, 10, 10)


class Web:
    """An object of a cycle: only the collector finds out that nobody needs it."""

    def __init__(self) -> None:
        self.others: list[Web] = [self]

    @staticmethod
    def of(count: int) -> Web:
        web = Web()
        web.others += [Web() for _ in range(count)]
        return web


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> int:
    """From how many objects on old ones are collected: fewer here, so that tests are quick."""
    gc.collect()
    many = 20 * FEW
    monkeypatch.setattr(collector, "MANY", many)
    monkeypatch.setattr(collector, "MANY_OF_OTHERS", 3 * FEW)
    monkeypatch.setattr(collector, "_unseen", 0)
    monkeypatch.setattr(collector, "_alive", 0)
    return many


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


@pytest.mark.parametrize("chosen", [(0, 10, 10), (5_000_000, 5, 5)], ids=["off", "rarer"])
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


def collections(generation: int) -> int:
    """How many there were."""
    return gc.get_stats()[generation]["collections"]


def is_old(web: Web) -> bool:
    return any(each is web for each in gc.get_objects(generation=2))


def test_what_a_compilation_leaves_is_old_without_a_collection(many: int) -> None:
    frozen = gc.get_freeze_count()
    with collecting_less():
        before = [collections(generation) for generation in range(3)]
        web = Web.of(2 * FEW)
    assert [collections(generation) for generation in range(3)] == before
    assert gc.get_count()[0] < FEW
    assert is_old(web)
    # (What Python 3.12 freezes by itself is thawed too, until it is found again.)
    assert gc.get_freeze_count() <= frozen


def test_little_is_left_to_python(many: int) -> None:
    with collecting_less():
        web = Web.of(FEW // 10)
    assert not is_old(web)


def test_garbage_of_many_compilations_is_collected(many: int) -> None:
    webs: list[weakref.ref[Web]] = []
    for _ in range(many // FEW + 2):
        with collecting_less():
            webs.append(weakref.ref(Web.of(FEW)))
    assert webs[0]() is None
    assert sum(each() is not None for each in webs) <= many // FEW


def test_another_program_collects_what_is_left_of_the_ones_before(many: int) -> None:
    for _ in range(4):
        with collecting_less():
            web = weakref.ref(Web.of(FEW))
    assert web() is not None
    with collecting_less():
        another_program_begins()
        assert web() is None
        before = collections(2)
        another_program_begins()
        assert collections(2) == before


def test_it_does_so_where_compilations_never_pause(many: int) -> None:
    """As those of several threads: there is always one that runs."""
    webs: list[weakref.ref[Web]] = []
    with collecting_less():
        for _ in range(8):
            with collecting_less():
                another_program_begins()
                webs.append(weakref.ref(Web.of(FEW)))
    assert webs[0]() is None


def test_the_more_are_alive_the_rarer_old_ones_are_collected(many: int) -> None:
    kept: list[Web] = []
    before = collections(2)
    for _ in range(80):
        with collecting_less():
            kept.append(Web.of(FEW))
    # (Each time half as many again are alive; without the rule it would be after every tenth.)
    assert 1 <= collections(2) - before <= 6


def test_frozen_objects_stay_frozen(many: int) -> None:
    kept = Web.of(2 * FEW)
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        for _ in range(3):
            with collecting_less():
                another_program_begins()
                web = Web.of(2 * FEW)
        assert gc.get_freeze_count() == frozen
        assert len(web.others) == len(kept.others)
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("how", ["disable", "threshold"])
def test_where_it_is_switched_off_nothing_is_collected(many: int, how: str) -> None:
    if how == "disable":
        gc.disable()
    else:
        gc.set_threshold(0)
    try:
        before = collections(2)
        for _ in range(20):
            with collecting_less():
                another_program_begins()
                Web.of(FEW)
        assert collections(2) == before
    finally:
        gc.enable()


def test_thresholds_of_which_python_keeps_another_form_are_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.14 says that the third is 0, whatever it was set to."""
    told = gc.get_threshold
    monkeypatch.setattr(gc, "get_threshold", lambda: (*told()[:2], 0))
    with collecting_less():
        assert told()[0] == THRESHOLDS[0]
    assert told()[0] == USUAL[0]


def test_a_finaliser_may_compile(many: int) -> None:
    compiled: list[bool] = []

    class Last(Web):
        def __del__(self) -> None:
            with collecting_less():
                another_program_begins()
            compiled.append(True)

    def compile_much() -> None:
        for _ in range(5):
            with collecting_less():
                another_program_begins()
                Last()
                Web.of(FEW)

    thread = Thread(target=compile_much, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert compiled


def test_an_interruption_of_a_collection_leaves_it_as_it_was(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(collector, "_unseen", many)
    with monkeypatch.context() as patch:
        patch.setattr(gc, "collect", interrupted)
        with pytest.raises(KeyboardInterrupt), collecting_less():
            pass
    assert gc.get_threshold() == USUAL


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_child_of_a_process_that_compiles_may_compile() -> None:
    inside, done = Event(), Event()

    def compile_something() -> None:
        with collector._lock, collecting_less():
            inside.set()
            done.wait()

    thread = Thread(target=compile_something)
    thread.start()
    inside.wait()
    child = multiprocessing.get_context("fork").Process(target=_compile_in_child)
    child.start()
    child.join(60)
    done.set()
    thread.join()
    assert child.exitcode == 0


def _compile_in_child() -> None:
    assert gc.get_threshold() == USUAL
    with collecting_less():
        assert gc.get_threshold() == THRESHOLDS
    assert gc.get_threshold() == USUAL


def test_programs_that_are_loaded_one_after_the_other_do_not_add_up(
    monkeypatch: pytest.MonkeyPatch, many: int, tmp_path: Path
) -> None:
    monkeypatch.setattr(collector, "FEW", 1000)
    monkeypatch.setattr(collector, "MANY_OF_OTHERS", 2000)
    text = 'func.func @main(%x: tensor<4xf32> {loomir.name = "x"}) -> (tensor<4xf32> {loomir.name = "y"}) {\n'
    for i in range(200):
        text += f"  %{i} = ov.sigmoid %{i - 1 if i else 'x'} : (tensor<4xf32>) -> tensor<4xf32>\n"
    text += "  func.return %199 : tensor<4xf32>\n}"
    file = tmp_path / "model.mlir"
    file.write_text(text)
    modules: list[weakref.ref[ModuleOp]] = []
    for _ in range(6):
        # (The objects of the test's process are more than those of these programs.)
        monkeypatch.setattr(collector, "_alive", 0)
        modules.append(weakref.ref(loomir.load(file).module))
    assert sum(module() is not None for module in modules) <= 2
