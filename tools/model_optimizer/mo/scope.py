"""State of one conversion with old-style extensions.

Conversions do not share this state: two may run at once, with different directories.

The Model Optimizer converts one model in a process, and its classes keep global state. Here each thread keeps the
state.
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
    """State of a conversion.

    `operations` are classes by their `op`; `replacements` are descriptions of a configuration file by their id; `infer`
    infers operations of operation sets; `nodes` has, for nodes that became operators, their `infer` and all their
    attributes, since a class may read attributes that no layer has.
    """

    operations: dict[str, Any] = field(default_factory=dict)
    replacements: dict[str, list[Any]] = field(default_factory=dict)
    infer: Callable[[Any], None] | None = None
    nodes: dict[NodeKey, tuple[Callable[[Any], object], Mapping[str, Any]]] = field(default_factory=dict)


_known: ContextVar[Known | None] = ContextVar("known", default=None)


def known() -> Known:
    """Return the state of the conversion that runs in this thread.

    Without a running conversion, it is the state that the thread itself has loaded.
    """
    found = _known.get()
    if found is None:
        found = Known()
        _known.set(found)
    return found


@contextmanager
def conversion() -> Iterator[None]:
    """Begin a conversion, whose state is discarded at its end."""
    token = _known.set(Known())
    try:
        yield
    finally:
        _known.reset(token)
