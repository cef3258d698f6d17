"""Dictionaries that notice changes of some of their entries.

They notice every way in which extensions write entries.
"""

from __future__ import annotations

from typing import Any, ClassVar


class WatchedDict(dict[str, Any]):
    """Dictionary with callbacks for changes of the entries in `WATCHED`.

    It calls `leaves` before such an entry changes or is removed, and `comes` after it is set.
    """

    __slots__ = ()
    WATCHED: ClassVar[frozenset[str]] = frozenset()

    def leaves(self, name: str) -> None:
        """Handle the coming change or removal of an entry.

        The entry may not exist.
        """

    def comes(self, name: str) -> None:
        """The entry was set."""

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self.WATCHED:
            self.leaves(name)
            super().__setitem__(name, value)
            self.comes(name)
        else:
            super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        if name in self.WATCHED:
            self.leaves(name)
        super().__delitem__(name)

    def update(self, *args: Any, **attributes: Any) -> None:
        for name, value in dict(*args, **attributes).items():
            self[name] = value

    def __ior__(self, other: Any) -> WatchedDict:
        self.update(other)
        return self

    def setdefault(self, name: str, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def pop(self, name: str, *default: Any) -> Any:
        if name in self.WATCHED:
            self.leaves(name)
        return super().pop(name, *default)

    def popitem(self) -> tuple[str, Any]:
        name = next(reversed(self))
        return name, self.pop(name)

    def clear(self) -> None:
        for name in list(self):
            del self[name]

    def copy(self) -> dict[str, Any]:
        """A dictionary like any other."""
        return dict(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, deep or sent elsewhere, are dictionaries like any other."""
        return dict, (), None, None, iter(self.items())
