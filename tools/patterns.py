"""Observation of pattern applications: debug counters, traces and numbers.

Each class is an instrumentation of passes and, while a pass runs, a handler of its patterns (`dialects/upstream/rewriting.py`).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from loomir.dialects.diagnostics import counting, describe_location
from loomir.dialects.upstream.rewriting import PatternApplication, handling_patterns
from loomir.dialects.upstream.walking import walk

SHOWN_WIDTH = 160
"""Characters of an operation that a trace shows."""


@dataclass
class PatternInstrumentation:
    """Instrumentation that handles the pattern applications of each pass."""

    pass_name: str = field(default="", init=False)
    _during: ExitStack = field(default_factory=ExitStack, init=False)

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> bool | None:
        self._during.close()  # Of a pass that another instrumentation has skipped.
        self.pass_name = instance.name
        self._during.enter_context(handling_patterns(self.handle))

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        self._during.close()

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        self._during.close()

    def handle(self, application: PatternApplication) -> None:
        """Run an application of the current pass, or do not."""
        application.run()


@dataclass
class DebugCounter:
    """Limit on the runs of passes, or on the applications of patterns.

    `name` is that of a pass, of a pattern, or `PASS/PATTERN`; `*` stands for any text. Only the first `limit` runs of passes or
    applications of patterns of this name take place.
    """

    name: str
    limit: int
    done: int = field(default=0, init=False)
    met: bool = field(default=False, init=False)
    """True if a pass or pattern had the name."""

    def lets_run(self, pass_name: str) -> bool:
        """Count a run of a pass; return True if it takes place."""
        if not fnmatchcase(pass_name, self.name):
            return True
        self.met = True
        self.done += 1
        return self.done <= self.limit

    def apply(self, pass_name: str, pattern: str, run: Callable[[], bool]) -> bool:
        """Apply a pattern below the limit; return True if something changed."""
        name = f"{pass_name}/{pattern}" if "/" in self.name else pattern
        if not fnmatchcase(name, self.name):
            return run()
        self.met = True
        applied = self.done < self.limit and run()
        self.done += applied
        return applied


@dataclass
class DebugCounters(PatternInstrumentation):
    """Several debug counters.

    A pass or an application takes place if none of them holds it back.
    """

    counters: Sequence[DebugCounter]

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> bool | None:
        if not all(counter.lets_run(instance.name) for counter in self.counters):
            return False
        return super().before(module, instance, context)

    def handle(self, application: PatternApplication) -> None:
        run = application.run
        for counter in self.counters:
            run = partial(counter.apply, self.pass_name, application.pattern, run)
        run()


@dataclass
class PatternTrace(PatternInstrumentation):
    """Report of each pattern application.

    It has the numbers of the application in its pass and among those of the pattern, the operation as it was, and the operations
    that the pattern inserted, changed or replaced. `name` is a regular expression for `PASS/PATTERN`.
    """

    name: str
    tell: Callable[[str], None] = lambda text: print(text, file=sys.stderr)
    _numbers: dict[str, int] = field(default_factory=dict[str, int], init=False)

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> bool | None:
        self._numbers = {}
        return super().before(module, instance, context)

    def handle(self, application: PatternApplication) -> None:
        pattern = application.pattern
        if not re.search(self.name, f"{self.pass_name}/{pattern}"):
            application.run()
            return
        op, number = application.operation, self._numbers.get(pattern, 0) + 1
        headline = f"{self.pass_name}/{pattern} {number} on {describe_location(op)}"
        before = f"  - {shown_operation(op)}"
        with _Changes(application.rewriter) as changes:
            try:
                applied = application.run()
            except Exception as error:
                self.tell(f"{headline}\n{before}\n  raised {type(error).__name__}")
                raise
        if applied:
            self._numbers[pattern] = number
            self.tell("\n".join([headline, before, *changes.lines()]))


@dataclass
class _Changes:
    """Changes by a rewriter within a `with`."""

    rewriter: PatternRewriter
    inserted: list[Operation] = field(default_factory=list[Operation])
    modified: dict[Operation, None] = field(default_factory=dict[Operation, None])
    erased: dict[Operation, None] = field(default_factory=dict[Operation, None])

    def __enter__(self) -> _Changes:
        self.rewriter.operation_insertion_handler.append(self.inserted.append)
        self.rewriter.operation_modification_handler.append(self._modify)
        self.rewriter.operation_removal_handler.append(self._erase)
        return self

    def __exit__(self, *_: object) -> Literal[False]:
        # (The rewriter serves the operations that follow, too.)
        self.rewriter.operation_insertion_handler.pop()
        self.rewriter.operation_modification_handler.pop()
        self.rewriter.operation_removal_handler.pop()
        return False

    def _modify(self, op: Operation) -> None:
        self.modified[op] = None

    def _erase(self, op: Operation) -> None:
        self.erased[op] = None

    def lines(self) -> list[str]:
        """Return a line for each operation that is new or changed."""
        new = [op for op in dict.fromkeys(self.inserted) if op not in self.erased]
        changed = [op for op in self.modified if op not in self.erased and op not in new]
        return [f"  + {shown_operation(op)}" for op in new] + [f"  ~ {shown_operation(op)}" for op in changed]


@dataclass
class PassStatistics(PatternInstrumentation):
    """Numbers of each pass.

    They are its runs, its counters, applications of its patterns, operations added and removed.

    A pass counts by `count` (`dialects/diagnostics.py`).
    """

    numbers: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]], init=False)
    _operations: int = field(default=0, init=False)

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> bool | None:
        self._add("runs", 1, instance.name)
        self._operations = sum(1 for _ in walk(module))
        runs = super().before(module, instance, context)
        self._during.enter_context(counting(self._add))
        return runs

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        super().after(module, instance, context)
        more = sum(1 for _ in walk(module)) - self._operations
        self._add("operations added" if more > 0 else "operations removed", abs(more))

    def handle(self, application: PatternApplication) -> None:
        if application.run():
            self._add(f"{application.pattern} applied", 1)

    def _add(self, name: str, number: int, pass_name: str | None = None) -> None:
        self.numbers.setdefault(pass_name or self.pass_name, Counter())[name] += number

    def report(self) -> None:
        """Print the numbers that are not 0 on standard error."""
        print("Pass statistics", file=sys.stderr)
        for name, numbers in self.numbers.items():
            print(name, file=sys.stderr)
            for what, number in numbers.items():
                if number:
                    print(f"  {number:8}  {what}", file=sys.stderr)


def shown_operation(op: Operation) -> str:
    """Return the first line of an operation's text, cut short."""
    first, *rest = str(op).split("\n", 1)
    line = f"{first} …" if rest else first
    return line if len(line) <= SHOWN_WIDTH else f"{line[: SHOWN_WIDTH - 1]}…"
