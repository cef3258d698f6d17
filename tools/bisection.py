"""Bisection of a failing pass, down to a pattern application.

`--check-each-pass` finds the pass. With `--bisect` the pass runs again with only its first n pattern applications; a binary search
finds an n that breaks the result where n - 1 does not.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from loomir.compiler.checking import PassFailure
from loomir.compiler.checking.cases import reproducer, write_case
from loomir.compiler.checking.stepwise import difference_of_pass
from loomir.dialects.upstream.rewriting import handling_patterns
from loomir.tools.patterns import DebugCounter, DebugCounters, PatternTrace


def first_wrong(right: int, wrong: int, is_wrong: Callable[[int], bool]) -> int:
    """Return a wrong number behind a right one.

    `right` is known to be right, the greater `wrong` to be wrong; the numbers between are asked for.
    """
    while wrong - right > 1:
        middle = (right + wrong) // 2
        if is_wrong(middle):
            wrong = middle
        else:
            right = middle
    return wrong


def explain_application(failure: PassFailure, folder: Path) -> list[str]:
    """Return lines that name the pattern application that breaks a result.

    The program before the pass is written to `folder` as `bisected.mlir`, with the commands that run the pass with and without
    that application. Error: `file-unwritable`.
    """
    name = failure.instance.name
    runs = 0

    def is_wrong(limit: int) -> bool:
        nonlocal runs
        runs += 1
        return _Run(failure, limit).is_wrong

    whole = _Run(failure, sys.maxsize)
    total = whole.counter.done
    if not whole.is_wrong:
        return ["bisection: the failure does not occur with the pass alone"]
    if is_wrong(0):
        return [f"bisection: {name} breaks it without any pattern application"]
    # An application that raises an exception is not counted: it is the one behind the last.
    number = first_wrong(0, total if is_wrong(total) else total + 1, is_wrong)
    trace = _Run(failure, number, traced=True).trace
    files = write_case(failure.module, failure.feed, folder, "bisected")
    command = [*reproducer(files[0], [failure.instance]), "--check-each-pass", "--reduce-seconds", "0"]
    if len(files) > 1:
        command += ["--check-inputs", str(files[1])]
    return [
        f"bisection: pattern application {number} of {total} breaks it ({runs} runs):",
        *(f"  {line}" for line in trace[-1].splitlines()),
        "with and without it:",
        *(f"  {shlex.join([*command, '--debug-counter', f'{name}/*={n}'])}" for n in (number, number - 1)),
    ]


class _Run:
    """Run of a failing pass with only its first pattern applications."""

    def __init__(self, failure: PassFailure, limit: int, *, traced: bool = False) -> None:
        self.trace: list[str] = []
        self.counter = DebugCounter("*", limit)
        trace = PatternTrace("" if traced else "(?!)", self.trace.append)
        trace.pass_name = failure.instance.name
        counters = DebugCounters([self.counter])
        with handling_patterns(counters.handle), handling_patterns(trace.handle):
            found = difference_of_pass(failure.module, failure.instance, failure.context, failure.feed)
        self.is_wrong = found is not None
