"""Options that observe a run of passes, and the instrumentations for them.

`loomir-opt` and the commands of `loomir` have them. The module is light, for `--help`.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from loomir.errors import Error, shown

if TYPE_CHECKING:
    from loomir.compiler.pipeline import Instrumentation


def add_observing_arguments(parser: ArgumentParser) -> None:
    """Options for timing, prints, statistics, counters and traces."""
    group = parser.add_argument_group("observing passes (docs/observing.md)")
    for when in ("before", "after"):
        group.add_argument(
            f"--print-ir-{when}",
            action="append",
            default=[],
            metavar="PASS",
            help=f"print the program {when} this pass, on standard error (repeat for each pass)",
        )
        group.add_argument(
            f"--print-ir-{when}-all",
            action="store_true",
            help=f"print the program {when} every pass, on standard error",
        )
    for option, what in {
        "--print-ir-after-change": "print the program after a pass only if the pass changed it",
        "--print-ir-after-failure": "print the program that a failing pass leaves behind",
        "--print-ir-diff": "print the lines that each pass changes, as a unified diff",
        "--timing": "print the time of each phase and pass, as a tree",
        "--pass-statistics": "print the counters of each pass, and how often its patterns were applied",
    }.items():
        group.add_argument(option, action="store_true", help=what)
    group.add_argument(
        "--print-ir-function",
        metavar="NAME",
        help="print only this function of the programs (default: the whole module)",
    )
    group.add_argument(
        "--print-ir-tree-dir",
        type=Path,
        metavar="FOLDER",
        help="write the programs to numbered files of a folder instead: all after passes, or those of the other options",
    )
    group.add_argument(
        "--crash-reproducer",
        type=Path,
        metavar="FILE.mlir",
        help="if a pass fails, write the program before it, with the command that runs it again",
    )
    group.add_argument(
        "--opt-bisect-limit",
        type=int,
        metavar="N",
        help="run only the first N passes, besides those that -O0 has",
    )
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


class Observation:
    """Instrumentations of passes that options request, and reports at the end.

    Errors: `bad-option`.
    """

    def __init__(self, options: Namespace) -> None:
        from loomir.tools.arguments import named
        from loomir.tools.patterns import DebugCounter, DebugCounters, PassStatistics, PatternTrace
        from loomir.tools.printing import BisectLimit, CrashReproducer, PrintIR
        from loomir.tools.timing import Timing

        self.timing = Timing() if options.timing else None
        self.statistics = PassStatistics() if options.pass_statistics else None
        limits = named(options.debug_counter, _count, "NAME=N", "for example canonicalize/*=36")
        self.counters = [DebugCounter(name, limit) for name, limit in limits.items()]
        self.instrumentations: list[Instrumentation] = []
        if options.opt_bisect_limit is not None:
            self.instrumentations.append(BisectLimit(options.opt_bisect_limit))
        # Those that may skip a pass come first; what they let pass is what the others see.
        if self.counters:
            self.instrumentations.append(DebugCounters(self.counters))
        if options.trace_patterns is not None:
            self.instrumentations.append(PatternTrace(_regex("--trace-patterns", options.trace_patterns)))
        if self.statistics is not None:
            self.instrumentations.append(self.statistics)
        if options.crash_reproducer is not None:
            self.instrumentations.append(CrashReproducer(options.crash_reproducer, repeated(options)))
        chosen = options.print_ir_before or options.print_ir_after
        chosen = chosen or options.print_ir_before_all or options.print_ir_after_all
        where = options.print_ir_tree_dir is not None
        compares = options.print_ir_after_change or options.print_ir_diff
        if chosen or compares or where or options.print_ir_after_failure:
            self.instrumentations.append(
                PrintIR(
                    options.print_ir_before,
                    options.print_ir_after,
                    options.print_ir_before_all,
                    options.print_ir_after_all or (not chosen and (compares or where)),
                    changed=options.print_ir_after_change,
                    diff=options.print_ir_diff,
                    failure=options.print_ir_after_failure,
                    folder=options.print_ir_tree_dir,
                    function=options.print_ir_function,
                )
            )

    def phase(self, name: str) -> AbstractContextManager[None]:
        """Time what happens within a `with`, if that is requested."""
        return nullcontext() if self.timing is None else self.timing.phase(name)

    def around(self, others: Sequence[Instrumentation]) -> Instrumentation:
        """Return the instrumentation for `run_passes`, with others behind those of the options."""
        from loomir.tools.printing import Instrumentations

        every = Instrumentations([*self.instrumentations, *others])
        return every if self.timing is None else self.timing.passes(every)

    def report(self) -> None:
        """Print timing and statistics, and warn of unused counters."""
        for counter in self.counters:
            if not counter.met:
                print(
                    f"warning: --debug-counter {counter.name}: no pass or pattern of this name ran",
                    file=sys.stderr,
                )
        if self.statistics is not None:
            self.statistics.report()
        if self.timing is not None:
            self.timing.report()


def repeated(options: Namespace) -> list[str]:
    """Return the options, beside passes and extensions, of a reproducer."""
    flags = [name for name in ("allow-unregistered-dialect", "disable-verify") if _is_given(options, name)]
    limits = [f"--debug-counter={each}" for each in options.debug_counter]
    return [f"--{flag}" for flag in flags] + limits


def _is_given(options: Namespace, name: str) -> bool:
    return bool(getattr(options, name.replace("-", "_"), False))


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
