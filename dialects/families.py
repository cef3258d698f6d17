"""Registries of code by family, of patterns, and of extensible tables.

Code that is divided by family (operations, lowerings, translators) is found by its presence in a package: `families` imports
all of the package's modules, one per family.

`PatternRegistry` has a dialect's canonicalization patterns. The patterns register themselves there, and the dialect's
operations look them up there.

`extensible` is for cached tables that extensions add to. A table is computed once, and again after an addition to its sources;
an addition can be removed.

>>> @extensible
... @cache
... def translators() -> Mapping[str, Translator]: …
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Hashable, Iterator, MutableMapping, Sequence
from types import ModuleType
from typing import Protocol, TypeVar

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern

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
            f"{what} exists already",
            hint="an extension cannot replace a definition of another extension or of loomir: remove one of them",
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


def families(package: str) -> Iterator[tuple[str, ModuleType]]:
    """Yield the name and module of every family in a package.

    The package is given by its full name; the families come in the order of their names.
    """
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        yield module.name, importlib.import_module(f"{package}.{module.name}")


def operations_of(dialect: str, package: str) -> tuple[type[Operation], ...]:
    """Return the operation classes of a dialect.

    The families of the package define them (and may import them from each other).
    """
    found: dict[str, type[Operation]] = {}
    for _, module in families(package):
        for item in vars(module).values():
            if isinstance(item, type) and issubclass(item, Operation) and item.__module__ == module.__name__:
                name = getattr(item, "name", "")
                if isinstance(name, str) and name.startswith(f"{dialect}."):  # not an abstract class
                    assert name not in found, f"{name} is defined twice"
                    found[name] = item
    return tuple(found.values())


class PatternRegistry:
    """Canonicalization patterns of one dialect, by operation class.

    The modules that define the patterns are imported at the first look-up.
    """

    def __init__(self, package: str, modules: Sequence[str]) -> None:
        self._names = [f"{package}.{module}" for module in modules]
        self._classes: dict[type, list[type[RewritePattern]]] = {}
        self._made: dict[type[Operation], tuple[RewritePattern, ...]] = {}

    def canonicalizes(
        self, *classes: type[Operation]
    ) -> Callable[[type[RewritePattern]], type[RewritePattern]]:
        """Register a pattern for these operation classes and their subclasses."""

        def register(pattern: type[RewritePattern]) -> type[RewritePattern]:
            for op_class in classes:
                self._classes.setdefault(op_class, []).append(pattern)
            return pattern

        return register

    def patterns_of(self, op_class: type[Operation]) -> tuple[RewritePattern, ...]:
        """The patterns of an operation class."""
        if op_class not in self._made:
            for name in self._names:
                importlib.import_module(name)
            found = (pattern for base in op_class.__mro__ for pattern in self._classes.get(base, ()))
            self._made[op_class] = tuple(pattern() for pattern in found)
        return self._made[op_class]
