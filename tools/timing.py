"""Time of commands, as a tree of phases and passes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.pipeline import Instrumentation

REST = "rest"


@dataclass(eq=False)
class Phase:
    """Part of the time, in seconds, with its parts."""

    name: str
    seconds: float = 0.0
    parts: list[Phase] = field(default_factory=list["Phase"])

    def rows(self, depth: int = 0) -> Iterator[tuple[float, str]]:
        """Generate seconds and indented names of all parts.

        Those of a phase add up to it.
        """
        for part in self.parts:
            yield part.seconds, "  " * depth + part.name
            yield from part.rows(depth + 1)
        if self.parts:
            yield max(0.0, self.seconds - sum(part.seconds for part in self.parts)), "  " * depth + REST


class Timing:
    """Times phases, and the passes in them (`--timing`)."""

    def __init__(self) -> None:
        self.total = Phase("total")
        self._start = time.perf_counter()
        self._open = [self.total]

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a `with` as a part of the current phase.

        Phases of one name in a phase are one.
        """
        parts = self._open[-1].parts
        phase = next((part for part in parts if part.name == name), None) or Phase(name)
        if phase not in parts:
            parts.append(phase)
        with self._timed(phase):
            yield

    def passes(self, others: Instrumentation) -> Instrumentation:
        """Return the instrumentation, with the time of each pass."""
        return _TimedPasses(self, others)

    def part(self, name: str, instrumentation: Instrumentation) -> Instrumentation:
        """Return the instrumentation, timed as a phase."""
        return _TimedInstrumentation(self, name, instrumentation)

    @contextmanager
    def _timed(self, phase: Phase) -> Iterator[None]:
        self._open.append(phase)
        start = time.perf_counter()
        try:
            yield
        finally:
            phase.seconds += time.perf_counter() - start
            self._open.pop()

    def begin_pass(self, name: str) -> ExitStack:
        """Begin a pass; the result's `close` ends it."""
        phase = Phase(name)
        self._open[-1].parts.append(phase)
        running = ExitStack()
        running.enter_context(self._timed(phase))
        return running

    def report(self) -> None:
        """Print the tree on standard error.

        It is a table on a terminal, else lines like those of mlir-opt.
        """
        self.total.seconds = time.perf_counter() - self._start
        whole = self.total.seconds or 1.0
        rows = [(seconds, 100 * seconds / whole, name) for seconds, name in self.total.rows()]
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.table import Column, Table

            right = {"justify": "right", "no_wrap": True}
            table = Table(
                Column("seconds", **right), Column("share", **right), "name", title="execution time"
            )
            for seconds, share, name in rows:
                table.add_row(f"{seconds:.4f}", f"{share:.1f} %", name)
            table.add_section()
            table.add_row(f"{self.total.seconds:.4f}", "100.0 %", self.total.name)
            Console(stderr=True, highlight=False).print(table)
            return
        print(
            f"Total execution time: {self.total.seconds:.4f} seconds\n\n----Wall time----  ----Name----",
            file=sys.stderr,
        )
        for seconds, share, name in (*rows, (self.total.seconds, 100.0, self.total.name)):
            print(f"  {seconds:8.4f} ({share:5.1f}%)  {name}", file=sys.stderr)


@dataclass
class _TimedPasses:
    timing: Timing
    others: Instrumentation
    _running: ExitStack = field(default_factory=ExitStack)

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> bool | None:
        if self.others.before(module, instance, context) is False:
            return False
        self._running = self.timing.begin_pass(instance.name)
        return True

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        self._running.close()
        self.others.after(module, instance, context)

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        self._running.close()
        self.others.failed(instance, context, error)


@dataclass
class _TimedInstrumentation:
    timing: Timing
    name: str
    instrumentation: Instrumentation

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> bool | None:
        with self.timing.phase(self.name):
            return self.instrumentation.before(module, instance, context)

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        with self.timing.phase(self.name):
            self.instrumentation.after(module, instance, context)

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        self.instrumentation.failed(instance, context, error)
