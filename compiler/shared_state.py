"""State that the threads of a process share.

`Built` is a thread-safe cache that builds each value on first request: each key is built once, whichever thread requests it.

Garbage collections are rare during a compilation, in all threads. A program is one web of references that is alive until the
compilation ends. By default Python scans it after every 700 to 2,000 allocated objects, which takes a quarter of a compilation's
time (`benchmarks/compile.py`).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import RLock
from typing import Generic, ParamSpec, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Built(Generic[Key, Value]):
    """Values by key, built on first request.

    A request for a value under construction waits for it; a request for an existing value never waits.

    The construction of a value may request another one from the same table. A construction that raises an exception stores
    nothing.
    """

    def __init__(self) -> None:
        self._values: dict[Key, Value] = {}
        self._lock = RLock()

    def of(self, key: Key, build: Callable[[], Value]) -> Value:
        """The value of a key, which `build` makes where there is none."""
        try:
            return self._values[key]
        except KeyError:
            pass
        with self._lock:
            if key not in self._values:
                self._values[key] = build()
            return self._values[key]

    def values(self) -> Iterator[Value]:
        """All that was built so far, the oldest first."""
        return iter(list(self._values.values()))

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)


ALLOCATIONS = 1_000_000
"""Allocated objects between two collections of the youngest generation."""

_lock = RLock()
_compilations = 0
_before = 0


P = ParamSpec("P")
R = TypeVar("R")


def with_rare_collections(function: Callable[P, R]) -> Callable[P, R]:
    """Collect garbage less often while the function runs."""

    # Not `contextmanager`'s decorator: its frame is the standard library's, and `errors.warn` would name it as the caller.
    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        with rare_collections():
            return function(*args, **kwargs)

    return wrapper


@contextmanager
def rare_collections() -> Iterator[None]:
    """Raise the threshold until the last concurrent compilation ends."""
    global _compilations, _before
    with _lock:
        if not _compilations:
            _before, *others = gc.get_threshold()
            # A caller that has switched collections off, or made them rarer, is left alone.
            gc.set_threshold(max(_before, ALLOCATIONS) if _before else 0, *others)
        _compilations += 1
    try:
        yield
    finally:
        with _lock:
            _compilations -= 1
            if not _compilations:
                gc.set_threshold(_before, *gc.get_threshold()[1:])
