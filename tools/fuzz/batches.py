"""Trials of many programs that share one C file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.backends.batch import compile_batch
from loomir.tools.fuzz.trial import Report, Trial

FLAGS: tuple[tuple[str, ...], ...] = (
    ("-O2",),
    ("-O1", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"),
    ("-O0",),
)
"""What the C of a batch is compiled with, in rotation: undefined behaviour ends the process of a batch of the second kind."""

BATCH = 50
"""How many programs share a C file."""


def run_trials(trials: Sequence[Trial], flags: Sequence[str], done: Callable[[Report], None]) -> None:
    """All trials of a batch; `done` gets the report of each at the end."""
    modules: list[ModuleOp] = []
    places: list[range] = []
    for trial in trials:
        trial.interpret()
        own = trial.native_modules()
        places.append(range(len(modules), len(modules) + len(own)))
        modules += own
    start = os.times()
    functions = compile_batch(modules, flags=flags) if modules else []
    end = os.times()
    share = sum(
        getattr(end, n) - getattr(start, n) for n in ("user", "system", "children_user", "children_system")
    )
    for trial, place in zip(trials, places):
        trial.report.spend("compile C", share / len(trials))
        trial.run_native([functions[k] for k in place])
        done(trial.report)
