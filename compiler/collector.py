"""Python's garbage collector during compilation: it runs when much garbage is likely.

A program in memory is one web of cycles (an operation references its operands, and each value its uses), nearly all of
it alive until the compilation ends. By default Python scans the youngest objects after every 700 or 2,000 allocated
objects, and a compilation allocates a thousand for each operator of a model: a fifth of the time went into scans that
found little, and still a tenth with rare scans, since the objects of a compilation are scanned once when it ends.

So there are two rules. During a compilation, objects are collected by the million. The objects left at the end count as
old without being scanned; old objects are collected when another program is read, or at the end of a compilation, once
many objects have aged in this way. A sixth of the objects of a compilation is garbage, next to none of which holds
weights; an unused program is garbage as a whole.
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
"""Collector thresholds, one per generation.

The first is the number of objects allocated between two collections of the youngest generation; the second the number
of these collections between two of the next generation, and so on.
"""

FEW = 50_000
"""So many are left to Python's next collection: it takes 10 ms."""

MANY = 4_000_000
"""Number of objects aged without a scan that triggers a collection.

The old objects are then collected, but not before the aged ones are half as many as were alive the last time.
"""

MANY_OF_OTHERS = 1_000_000
"""Like `MANY`, for the time when another program begins.

The programs before it may be garbage as a whole.
"""

FROZEN_BY_PYTHON = 2_000
"""Upper bound on the objects that Python 3.12 itself freezes.

Python 3.12 freezes its own immortal objects; a caller that freezes the objects of a loaded process freezes more than this.
"""

# (The same thread may come again while it has the lock: by a signal's handler that compiles.)
_lock = RLock()
_compilations = 0
_before = gc.get_threshold()
_ours: tuple[int, int, int] | None = None
"""Thresholds that Python reports while ours are in effect, else None.

Some Python versions report other values than those set.
"""
_unseen = 0
_alive = 0


@contextmanager
def collecting_less() -> Iterator[None]:
    """Make collections rarer inside the context.

    This holds in all threads until the last running compilation has ended, however it ends. Young objects then count as
    old, and are collected in larger portions.

    The collector belongs to the process: its previous settings are restored afterwards. If the user has switched it off or
    made it rarer, it stays unchanged, and so it does if other code changes it meanwhile. May be nested.
    """
    _begin()
    try:
        yield
    finally:
        _end()


def compiling(function: Callable[P, Result]) -> Callable[P, Result]:
    """Return the function with rarer collections while it runs.

    (All its frames belong to loomir: warnings look for the first frame that does not.)
    """

    @wraps(function)
    def quieter(*arguments: P.args, **named: P.kwargs) -> Result:
        with collecting_less():
            return function(*arguments, **named)

    return quieter


def another_program_begins() -> None:
    """Collect the remains of previous programs if they may be large.

    Call this in a compilation, before a program is read.
    """
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
    """Return True if collections are rare because of loomir."""
    return _ours is not None and gc.get_threshold() == _ours and gc.isenabled()


def _give_back() -> None:
    global _ours
    if _ours is not None and gc.get_threshold() == _ours:
        gc.set_threshold(*_before)
    _ours = None


def _grow_old(many: int) -> bool:
    """Age all young objects; return True if a collection is due.

    It is due once at least `many` objects have aged without a scan.
    """
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
    """Return True if the caller has frozen objects.

    They must not be thawed.
    """
    return gc.get_freeze_count() > FROZEN_BY_PYTHON


def _collect_old() -> None:
    """Collect the old objects.

    The lock is not held: finalisers, which may compile as well, and other threads run meanwhile.
    """
    global _alive
    gc.collect()
    if not _user_freezes():
        # (A list of all objects would do, too, but holds what other threads are still making.)
        gc.freeze()
        _alive = gc.get_freeze_count()
        gc.unfreeze()


def _begin_in_child() -> None:
    """Reset the state in a forked process.

    It has none of the threads that compiled, and the fork may have happened while one of them held the lock.
    """
    global _lock, _compilations
    _lock = RLock()
    _compilations = 0
    _give_back()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
