"""Cached tables that extensions add to, and the removal of additions.

A table is computed once, and again after an addition to its sources.

>>> @extensible
... @cache
... def translators() -> Mapping[str, Translator]: …
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, MutableMapping
from typing import Protocol, TypeVar

from loomir.errors import Error


class _Cached(Protocol):
    def cache_clear(self) -> None: ...


CachedT = TypeVar("CachedT", bound=_Cached)

_FORGET: list[Callable[[], None]] = []

Undo = Callable[[], None]
"""Callback that takes an addition back.

Every function that adds something for an extension returns one, because an extension is registered as a whole or not at
all.
"""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def add_to(table: MutableMapping[Key, Value], key: Key, value: Value, what: str) -> Undo:
    """Add an entry to a table that extensible tables are computed from.

    Raises `Error("extension-clash")` if the key exists already; `what` is the entry's name in messages to users.
    """
    if key in table:
        raise Error(
            "extension-clash",
            f"there is {what} already",
            hint="an extension cannot replace what another one, or loomir itself, has: take one of them away",
        )
    table[key] = value
    changed()

    def undo() -> None:
        del table[key]
        changed()

    return undo


def extensible(table: CachedT) -> CachedT:
    """A cached function whose results `changed` forgets."""
    _FORGET.append(table.cache_clear)
    return table


def changed() -> None:
    """Invalidate every extensible table after an addition.

    Each table is recomputed at its next use.
    """
    for forget in _FORGET:
        forget()
