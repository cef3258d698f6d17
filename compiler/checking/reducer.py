"""The reducer as a check knows it: a callback, since what makes programs smaller is a tool, and the compiler knows no tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from loomir.compiler.checking.agreement import Difference
    from loomir.compiler.checking.feeds import Feed


@dataclass(frozen=True)
class Failure:
    """A pass that does wrong on `module`, the program just before it; without `feed` it need not run to show that."""

    instance: ModulePass
    context: Context
    module: ModuleOp
    feed: Feed | None
    difference: Difference


Reducer = Callable[[Failure, float], tuple[Failure, str]]
"""Takes a failure and the seconds there are; gives one of the same kind on a smaller program, and in words how it was found."""

_load: list[Callable[[], Reducer]] = []


def set_reducer(load: Callable[[], Reducer]) -> None:
    """Have failures reduced by what `load` gives, which is called when the first one is reduced."""
    _load[:] = [load]


def reducer() -> Reducer | None:
    """What was handed in; None where nothing was."""
    return _load[0]() if _load else None
