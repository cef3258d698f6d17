"""Trials of many programs that share one C file for each build."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.backends.batch import compile_batch
from loomir.tools.fuzz.builds import Build
from loomir.tools.fuzz.trial import Report, Trial

BATCH = 25
"""How many programs share a C file."""


def run_trials(trials: Sequence[Trial], builds: Sequence[Build], done: Callable[[Report], None]) -> None:
    """Run all trials of a batch.

    The C of the trials is run with each of the builds. `done` receives the report of each trial at the end.
    """
    for trial in trials:
        trial.interpret()
    for build in builds:
        with build.chosen():
            _run_native(trials, build)
    for trial in trials:
        done(trial.report)


def _run_native(trials: Sequence[Trial], build: Build) -> None:
    modules: list[ModuleOp] = []
    places: list[range] = []
    for trial in trials:
        own = trial.native_modules(build.machine)
        places.append(range(len(modules), len(modules) + len(own)))
        modules += own
    start = os.times()
    flags, runs = (build.compiler_flags, build.runs) if modules else ((), True)
    functions = compile_batch(modules, flags=flags, alignment=build.alignment) if modules else []
    end = os.times()
    share = sum(
        getattr(end, n) - getattr(start, n) for n in ("user", "system", "children_user", "children_system")
    )
    for trial, place in zip(trials, places):
        trial.report.spend("compile C", share / len(trials))
        trial.run_native(build, [functions[k] for k in place], runs=runs)
