"""Python's garbage collector while a program is compiled: it looks for garbage when there may be much of it.

A program in memory is one web of cycles (an operation knows its operands, and each value its uses), nearly all of it alive until the
compilation ends. By default Python looks through the youngest objects after every 700 or 2,000 that were made, and a compilation makes a
thousand for each operator of a model: a fifth of the time went into searches that found little, and a tenth still where they are rare,
since what a compilation has made is looked through once when it ends.

So there are two rules. Meanwhile objects are collected by the million. And what is left at the end counts as old without being looked at;
the old ones are collected when another program is read, or at the end of a compilation, once that happened to many objects. Of what a
compilation makes a sixth is garbage, next to none of which holds weights; a program that nobody needs any more is garbage as a whole.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import RLock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")

THRESHOLDS = (2_000_000, 20, 100)
"""How many objects are made between two collections of the youngest; how many of these between two of the next generation, and so on."""

FEW = 50_000
"""So many are left to Python's next collection: it takes 10 ms."""

MANY = 4_000_000
"""After so many that counted as old unseen, old ones are collected, but not before they are half as many as were alive the last time."""

MANY_OF_OTHERS = 1_000_000
"""The same where another program begins: the ones before it may be garbage as a whole."""

FROZEN_BY_PYTHON = 2_000
"""Python 3.12 freezes its own immortal objects; who freezes what a process has loaded freezes more than so many."""

# (The same thread may come again while it has the lock: by a signal's handler that compiles.)
_lock = RLock()
_compilations = 0
_before = gc.get_threshold()
_ours: tuple[int, int, int] | None = None
"""What Python says that the thresholds are while they are ours (of some versions not what was set); None while they are not."""
_unseen = 0
_alive = 0


@contextmanager
def collecting_less() -> Iterator[None]:
    """Collections are rarer inside, in all threads, until the last compilation that runs has ended, however it ends.

    What is young then counts as old, and is collected in larger portions.

    The collector belongs to the process: what was set before is there again afterwards. Where the user has switched it off or made it rarer
    it stays as it is, and so it does where somebody else changes it meanwhile. May be nested.
    """
    _begin()
    try:
        yield
    finally:
        _end()


def compiling(function: Callable[P, Result]) -> Callable[P, Result]:
    """The function, with rarer collections while it runs. (Its frames are ours alone: warnings look for the first that is not.)"""

    @wraps(function)
    def quieter(*arguments: P.args, **named: P.kwargs) -> Result:
        with collecting_less():
            return function(*arguments, **named)

    return quieter


def another_program_begins() -> None:
    """To be called in a compilation, before a program is read: what is left of the ones before is collected, if that may be much."""
    with _lock:
        due = _are_ours() and _grow_old(MANY_OF_OTHERS)
    if due:
        _collect_old()


def _begin() -> None:
    global _compilations, _before, _ours
    with _lock:
        if _compilations == 0:
            _before, _ours = gc.get_threshold(), None
            if 0 < _before[0] < THRESHOLDS[0]:
                gc.set_threshold(*THRESHOLDS)
                _ours = gc.get_threshold()
        _compilations += 1


def _end() -> None:
    global _compilations
    due = False
    with _lock:
        # (In a process that was forked by a compilation it is 0 already.)
        _compilations = max(_compilations - 1, 0)
        if _compilations == 0:
            try:
                due = _are_ours() and _grow_old(MANY)
            finally:
                _give_back()
    if due:
        _collect_old()


def _are_ours() -> bool:
    """Whether collections are rare because of us."""
    return _ours is not None and gc.get_threshold() == _ours and gc.isenabled()


def _give_back() -> None:
    global _ours
    if _ours is not None and gc.get_threshold() == _ours:
        gc.set_threshold(*_before)
    _ours = None


def _grow_old(many: int) -> bool:
    """What was made counts as old from now on; returns whether the old ones are to be collected, since so many were not looked at."""
    global _unseen
    young = gc.get_count()[0]
    if young >= FEW and not _user_freezes():
        # Frozen objects are in a generation of their own, and thawed ones in the oldest.
        gc.freeze()
        gc.unfreeze()
        _unseen += young
    if _unseen < max(many, _alive // 2):
        return False
    _unseen = 0
    return True


def _user_freezes() -> bool:
    """Whether there are objects that the user has frozen: he would find them thawed."""
    return gc.get_freeze_count() > FROZEN_BY_PYTHON


def _collect_old() -> None:
    """Without the lock: finalisers run meanwhile, which may compile as well, and other threads."""
    global _alive
    gc.collect()
    if not _user_freezes():
        # (A list of all objects would do, too, but holds what other threads are still making.)
        gc.freeze()
        _alive = gc.get_freeze_count()
        gc.unfreeze()


def _begin_in_child() -> None:
    """A process that was forked has none of the threads that compiled, and may have forked while one of them had the lock."""
    global _lock, _compilations
    _lock = RLock()
    _compilations = 0
    _give_back()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
