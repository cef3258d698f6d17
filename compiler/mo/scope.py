"""What one conversion with extensions of the old kind knows, and no other: two may run at once, with different directories.

The Model Optimizer converts one model in a process, and its classes keep what they know for all. Here it is kept by the thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

NodeKey = tuple[str, str, str]
"""Type, version and name."""


@dataclass
class Known:
    """`operations` are classes by their `op`; `replacements` descriptions of a configuration file by their id; `infer` is what infers
    operations of operation sets; `nodes` has what was said of nodes that became operators: their `infer`, and all their attributes,
    for a class may read some that no layer has.
    """

    operations: dict[str, Any] = field(default_factory=dict)
    replacements: dict[str, list[Any]] = field(default_factory=dict)
    infer: Callable[[Any], None] | None = None
    nodes: dict[NodeKey, tuple[Callable[[Any], object], Mapping[str, Any]]] = field(default_factory=dict)


_known: ContextVar[Known | None] = ContextVar("known", default=None)


def known() -> Known:
    """Of the conversion that runs in this thread; where none does, what the thread itself has loaded."""
    found = _known.get()
    if found is None:
        found = Known()
        _known.set(found)
    return found


@contextmanager
def conversion() -> Iterator[None]:
    """What is known within is forgotten behind it."""
    token = _known.set(Known())
    try:
        yield
    finally:
        _known.reset(token)
