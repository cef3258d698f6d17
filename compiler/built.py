"""Thread-safe cache that builds each value on first request.

Each key is built once, whichever thread requests it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import RLock
from typing import Generic, TypeVar

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
