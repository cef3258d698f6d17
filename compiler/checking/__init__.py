"""Checks that passes preserve the results of programs.

Programs in any form are run before and after each pass, and the results are compared.

This module has the callback interface of the reducer, as a check uses it. A callback is needed because the reducer of programs
is a tool, and the compiler does not depend on tools.
"""

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
class PassFailure:
    """Incorrect effect of a pass on `module`, the program just before it.

    If there is no `feed`, the failure shows without running the program.
    """

    instance: ModulePass
    context: Context
    module: ModuleOp
    feed: Feed | None
    difference: Difference


Reducer = Callable[[PassFailure, float], tuple[PassFailure, str]]
"""Callback that reduces a failure within a time limit in seconds.

It returns a failure of the same kind on a smaller program, and a description of how it was found.
"""

_load: list[Callable[[], Reducer]] = []


def set_reducer(load: Callable[[], Reducer]) -> None:
    """Set the loader of the reducer.

    `load` is called when the first failure is reduced.
    """
    _load[:] = [load]


def reducer() -> Reducer | None:
    """Return the registered reducer, or None."""
    return _load[0]() if _load else None
