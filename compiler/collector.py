"""Python's garbage collector while a program is compiled: it looks for garbage when there may be much of it.

A program in memory is one web of cycles (an operation knows its operands, and each value its uses), nearly all of it alive until the
compilation ends. By default Python looks through the youngest objects after every 700 that were made, and a compilation makes a thousand
for each operator of a model: a fifth of the time went into searches that found little, and a tenth still where they are rare, since what
a compilation has made is looked through once when it ends.

So there are two rules. Meanwhile objects are collected by the million. And what is left at the end counts as old without being looked at;
the old ones are collected once that happened to as many objects as may matter. Memory stays bounded: of a compilation's objects a sixth is
garbage, next to none of which holds weights.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")

THRESHOLDS = (2_000_000, 20, 100)
"""How many objects are made between two collections of the youngest; how many of these between two of the next generation, and so on."""

FEW = 50_000
"""So many are left to Python's next collection: it takes 10 ms."""

MANY = 4_000_000
"""After so many that counted as old unseen, the old ones are collected, but not before there are twice as many as were alive then."""

MANY_OF_OTHERS = 1_000_000
"""The same where another program begins: the ones before it may be garbage as a whole."""

_lock = Lock()
_compilations = 0
_before = gc.get_threshold()
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


def _begin() -> None:
    global _compilations, _before
    with _lock:
        if _compilations == 0:
            _before = gc.get_threshold()
            if 0 < _before[0] < THRESHOLDS[0]:
                gc.set_threshold(*THRESHOLDS)
        _compilations += 1


def _end() -> None:
    global _compilations
    with _lock:
        _compilations -= 1
        if _compilations == 0 and gc.get_threshold() == THRESHOLDS:
            _grow_old()
            gc.set_threshold(*_before)


def _grow_old() -> None:
    """What was made counts as old from now on. (Not where the user has frozen objects, who would find them thawed.)"""
    global _unseen
    young = gc.get_count()[0]
    if young < FEW or not gc.isenabled() or gc.get_freeze_count():
        return
    _unseen += young
    # Frozen objects are in a generation of their own, and thawed ones in the oldest.
    gc.freeze()
    gc.unfreeze()
    _collect_old(MANY)


def another_program_begins() -> None:
    """To be called before a program is read: what is left of the ones before is collected, if that may be much."""
    with _lock:
        _collect_old(MANY_OF_OTHERS)


def _collect_old(many: int) -> None:
    global _unseen, _alive
    if _unseen >= max(many, _alive) and gc.isenabled():
        gc.collect()
        _unseen, _alive = 0, len(gc.get_objects())
