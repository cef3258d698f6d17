"""Tables that extensions add to: made once, and anew after something was added to what they are made of.

>>> @extensible
... @cache
... def translators() -> Mapping[str, Translator]: …
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar


class _Cached(Protocol):
    def cache_clear(self) -> None: ...


CachedT = TypeVar("CachedT", bound=_Cached)

_FORGET: list[Callable[[], None]] = []


def extensible(table: CachedT) -> CachedT:
    """A cached function whose results `changed` forgets."""
    _FORGET.append(table.cache_clear)
    return table


def changed() -> None:
    """Something was added: every table is made anew when it is next asked for."""
    for forget in _FORGET:
        forget()
