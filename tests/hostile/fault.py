"""Definition of a fault: a user's mistake and the resulting error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from loomir.compiler.model import Engine

ENGINES: tuple[Engine, ...] = ("graph", "native")
Attempt = Callable[[Path], object]
"""A user's action with a folder to write to; it must raise."""


@dataclass(frozen=True)
class Fault:
    """`identifier` is the error's; `what` says the fault in words."""

    what: str
    identifier: str
    attempt: Attempt


FAULTS: list[Fault] = []


def fault(what: str, identifier: str) -> Callable[[Attempt], Attempt]:
    def register(attempt: Attempt) -> Attempt:
        FAULTS.append(Fault(what, identifier, attempt))
        return attempt

    return register
