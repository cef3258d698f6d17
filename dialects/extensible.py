"""What extensions add to: tables that are made once, and anew after something was added to what they are made of; and how an
addition is taken back.

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
"""Takes an addition back: what adds something for an extension returns one, for an extension holds as a whole or not at all."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def add_to(table: MutableMapping[Key, Value], key: Key, value: Value, what: str) -> Undo:
    """Add an entry to what tables are made of. `Error("extension-clash")` where there is one of this key; `what` is its name for users."""
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
    """Something was added: every table is made anew when it is next asked for."""
    for forget in _FORGET:
        forget()
