"""Remarks of passes on loops and branches.

A remark states what a pass did or did not do, and the number that decided it.

A pass emits remarks regardless of listeners, and has no option for them: without `listening` there is no listener, and nothing
is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from xdsl.ir import Operation

from loomir.dialects.locations import layer_name, position

Kind = Literal["done", "left"]


@dataclass(frozen=True)
class Remark:
    """Remark of one pass on one operation."""

    kind: Kind
    """`done`: it was changed; `left`: it was not."""
    pass_name: str
    operation: str
    text: str
    layer: str | None = None
    position: tuple[str, int, int] | None = None
    """File, line and column."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Numbers that decided, by name."""

    @property
    def message(self) -> str:
        """All of it but the place in a file, in a line."""
        what = self.operation if self.layer is None else f"'{self.layer}' ({self.operation})"
        return f"{self.pass_name}: {self.kind}: {what}: {self.text}"


@dataclass(frozen=True)
class Why:
    """Why a pass leaves an operation alone, with the numbers that decided."""

    text: str
    numbers: Mapping[str, int | None] = field(default_factory=dict)


Listener = Callable[[Remark], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Set the listener for remarks; None disables them."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def are_heard() -> bool:
    """Return True if there is a listener.

    Information that costs more than a remark itself is computed only then.
    """
    return _listener.get() is not None


class Remarks:
    """Remarks of one pass.

    `numbers` are the numbers that decided; unknown ones are None.
    """

    def __init__(self, pass_name: str) -> None:
        self.pass_name = pass_name

    def passed(self, op: Operation, what: str, **numbers: int | None) -> None:
        """The pass changed this operation."""
        self._tell("done", op, what, numbers)

    def missed(self, op: Operation, why: str | Why, **numbers: int | None) -> None:
        """The pass left this operation alone."""
        if isinstance(why, Why):
            why, numbers = why.text, {**why.numbers, **numbers}
        self._tell("left", op, why, numbers)

    def _tell(self, kind: Kind, op: Operation, text: str, numbers: Mapping[str, int | None]) -> None:
        if (listener := _listener.get()) is None:
            return
        known = {name: number for name, number in numbers.items() if number is not None}
        listener(Remark(kind, self.pass_name, op.name, text, layer_name(op), position(op), known))
