"""Progress of long work on the terminal.

A line appears after a second, and is removed when the work ends. Nothing is shown, and nothing imported, where standard error is no
terminal.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import rich.progress
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

DELAY = 1.0
"""Seconds after which something is shown."""

INTERVAL = 0.1
"""Seconds between two pictures of counted work."""


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Progress]:
    """Show the work that goes on.

    The line names the pass that runs, or counts the parts of a `total`.
    """
    shown = Progress(what, total, is_shown=sys.stderr is not None and sys.stderr.isatty())
    try:
        if not shown.is_shown or total is not None:
            yield shown
            return
        from loomir.compiler.pipeline import instrumenting

        with instrumenting(shown):
            yield shown
    finally:
        shown.close()


class Progress:
    """Line of work: the listener of a pipeline, or a counter.

    Work with a `total` is drawn by `advance`, without a thread: it may fork. Other work is drawn by a thread of its own.
    """

    def __init__(self, what: str, total: int | None, *, is_shown: bool) -> None:
        self.is_shown = is_shown
        self._what = self._text = what
        self._total = total
        self._done = 0
        self._begun = self._drawn = time.monotonic()
        self._line: rich.progress.Progress | None = None
        self._closed = False
        self._lock = Lock()
        self._timer = Timer(DELAY, self._show) if is_shown and total is None else None
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()

    def advance(self) -> None:
        """Count one more part as done."""
        self._done += 1
        now = time.monotonic()
        if self.is_shown and now - self._begun >= DELAY and now - self._drawn >= INTERVAL:
            self._drawn = now
            self._show()

    def hide(self) -> None:
        """Remove the line, until the work goes on: something else is printed."""
        with self._lock:
            if self._line is not None:
                self._line.stop()
                self._line = None

    def close(self) -> None:
        """Remove the line for good."""
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._closed = True
        self.hide()

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        self._say(f"{self._what}: {instance.name}")

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        self._say(self._what)

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        pass

    def _say(self, text: str) -> None:
        self._text = text
        with self._lock:
            if self._line is not None:
                self._line.update(self._line.task_ids[0], description=text)

    def _show(self) -> None:
        """Draw the line, which is made the first time."""
        with self._lock:
            if self._closed:
                return
            if self._line is None:
                self._line = _made(self._text, self._total)
                self._line.start()
            self._line.update(self._line.task_ids[0], completed=self._done, refresh=True)


def _made(text: str, total: int | None) -> rich.progress.Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    counted: list[ProgressColumn] = []
    if total is not None:
        counted = [BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    line = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        *counted,
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=total is None,
        redirect_stdout=False,
    )
    line.add_task(text, total=total)
    return line
