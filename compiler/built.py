"""What is built when it is first asked for, and kept: once for each key, whatever thread asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import RLock
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Built(Generic[Key, Value]):
    """Values by key. Who asks for one that is being built waits for it; who asks for one that is there never waits.

    Building one value may ask for another of the same table. What raises an exception leaves nothing behind.
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
