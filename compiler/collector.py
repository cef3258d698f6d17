"""Python's garbage collector while a program is compiled: it looks for garbage less often.

A program in memory is one web of cycles (an operation knows its operands, and each value its uses), nearly all of it alive until the
compilation ends. By default Python looks through the youngest objects after every 700 that were made, and a compilation makes millions:
a fifth of the time went into searches that found nothing. What passes erase is still collected, in larger portions, so that memory stays
bounded.
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

THRESHOLDS = (200_000, 20, 100)
"""How many objects are made between two collections of the youngest; how many of these between two of the next generation, and so on."""

_lock = Lock()
_compilations = 0
_before = gc.get_threshold()


@contextmanager
def collecting_less() -> Iterator[None]:
    """Collections are rarer inside, in all threads, until the last compilation that runs has ended, however it ends.

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
            gc.set_threshold(*_before)
