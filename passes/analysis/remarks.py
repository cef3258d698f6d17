"""Remarks: what a pass did with a loop or branch, or did not do, and the number that decided it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from xdsl.ir import Operation

from loomir.dialects.locations import layer_name, position

Listener = Callable[[str, Operation], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Remarks go to the listener and are not printed."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@dataclass
class Remarks:
    """Collects remarks of one pass and, if asked to, prints each to stderr as it comes."""

    pass_name: str
    show: bool = False
    lines: list[str] = field(default_factory=list)

    def passed(self, op: Operation, what: str) -> None:
        """The pass changed this operation."""
        self._add("done", op, what)

    def missed(self, op: Operation, why: str) -> None:
        """The pass left this operation alone."""
        self._add("left", op, why)

    def _add(self, kind: str, op: Operation, text: str) -> None:
        name = layer_name(op)
        what = op.name if name is None else f"'{name}' ({op.name})"
        self.lines.append(f"{self.pass_name}: {kind}: {what}: {text}")
        if not self.show:
            return
        if (listener := _listener.get()) is not None:
            listener(self.lines[-1], op)
            return
        at = position(op)
        place = "" if at is None else ":".join(map(str, at)) + ": "
        print(f"{place}remark: {self.lines[-1]}", file=sys.stderr)
