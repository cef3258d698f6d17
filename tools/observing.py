"""Options that observe a run of passes, and the instrumentations for them.

`loomir-opt` and the commands of `loomir` have them. The module is light, for `--help`.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from loomir.errors import Error, shown

if TYPE_CHECKING:
    from loomir.compiler.pipeline import Instrumentation


def add_observing_arguments(parser: ArgumentParser) -> None:
    """Options for timing, prints, statistics, counters and bisection."""
    group = parser.add_argument_group("observing passes (docs/observing.md)")
    group.add_argument(
        "--debug-counter",
        action="append",
        default=[],
        metavar="NAME=N",
        help="run only the first N runs of a pass, or applications of a pattern: PASS, PATTERN or PASS/PATTERN, with * for any text",
    )
    group.add_argument(
        "--trace-patterns",
        nargs="?",
        const="",
        metavar="REGEX",
        help="print each pattern application, or those whose PASS/PATTERN matches, on standard error",
    )


def instrumentations(options: Namespace) -> list[Instrumentation]:
    """Return the instrumentations that the options request.

    Errors: `bad-option`.
    """
    from loomir.tools.arguments import named
    from loomir.tools.patterns import DebugCounter, PatternTrace

    found: list[Instrumentation] = []
    for name, limit in named(
        options.debug_counter, _count, "NAME=N", "for example canonicalize/*=36"
    ).items():
        found.append(DebugCounter(name, limit))
    if options.trace_patterns is not None:
        found.append(PatternTrace(_regex("--trace-patterns", options.trace_patterns)))
    return found


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


def _regex(option: str, text: str) -> str:
    """The text of a regular expression. Error: `bad-option`."""
    try:
        re.compile(text)
    except re.error as error:
        raise Error("bad-option", f"{option} {shown(text)} is not a regular expression: {error}") from error
    return text
