"""One case in a process of its own, forked from one that has everything loaded: limits, and what became of it.

A crash, a hang or an exhausted memory is that of the case. Milliseconds, where a new interpreter takes a second.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[2]
SECONDS = 10
"""Of processor time of loomir; a C compiler that it starts may take as many."""
MEMORY = 1 << 30
"""Beyond what the process had before the case."""
PATIENCE = 300
"""Seconds on the clock: other work may take the processors."""


class Slow(BaseException):
    """The processor time is used up; no `Exception`, so that nothing takes it for its own."""


@dataclass(frozen=True)
class Ended:
    """Outcome of a case.

    `kind` is `fine` (`what` says how it ended), or the fault of loomir: `exception`, `signal`, `time` or `memory`, with
    the place (`what`) and a traceback.
    """

    kind: str
    what: str
    details: str = ""
    seconds: float = 0
    memory: int = 0


def _raise_slow(number: int, frame: FrameType | None) -> None:
    raise Slow


def _status(name: str) -> int:
    """A field of this process's status, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return 1024 * int(line.split()[1])
    return 0


def place_of(error: BaseException) -> str:
    """The innermost line of loomir in a traceback, and the class of the exception."""
    found = "?"
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename).resolve()
        if path.is_relative_to(ROOT) and ".venv" not in path.parts and "hostile" not in path.parts:
            found = f"{path.relative_to(ROOT)}:{frame.lineno} {frame.name}"
    return f"{type(error).__name__} at {found}"


def _child(attempt: Callable[[], str], channel: int) -> None:
    """Run the attempt and write how it ended."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    signal.signal(signal.SIGXCPU, _raise_slow)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    space = _status("VmSize") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
    Path("/proc/self/clear_refs").write_text("5")  # The highest resident memory, from now on.
    before = _status("VmHWM")
    details = ""
    try:
        kind, what = "fine", attempt()
    except MemoryError as error:
        kind, what, details = "memory", place_of(error), "".join(traceback.format_exception(error)[-40:])
    except Slow as error:
        kind, what, details = "time", place_of(error), "".join(traceback.format_exception(error)[-40:])
    except BaseException as error:
        kind, what, details = "exception", place_of(error), "".join(traceback.format_exception(error)[-40:])
    peak = _status("VmHWM") - before
    if kind == "fine" and peak > MEMORY:
        kind, details = "memory", f"{peak} bytes"
    # Without that of a C compiler, which has as many seconds of its own: limits are inherited.
    seconds = time.process_time()
    answer = "\0".join((kind, what.replace("\0", " "), str(peak), str(seconds), details))
    os.write(channel, answer.encode(errors="replace")[:60_000])


def isolated(attempt: Callable[[], str]) -> Ended:
    """Run `attempt` in a process of its own; it returns in words how it ended."""
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        try:
            _child(attempt, writing)
        finally:
            os._exit(0)
    os.close(writing)
    answer, end = b"", time.monotonic() + PATIENCE
    while True:
        ready, _, _ = select.select([reading], [], [], max(0, end - time.monotonic()))
        part = os.read(reading, 1 << 16) if ready else b""
        if not part:
            break
        answer += part
    os.close(reading)
    if not ready:
        os.kill(process, signal.SIGKILL)
    _, status, usage = os.wait4(process, 0)
    seconds = usage.ru_utime + usage.ru_stime
    if not ready:
        return Ended("time", f"no answer in {PATIENCE} s", seconds=seconds)
    if os.WIFSIGNALED(status) or not answer:
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        kind = "time" if seconds > SECONDS else "signal"
        return Ended(kind, signal.Signals(number).name if number else "no answer", seconds=seconds)
    kind, what, peak, own, details = answer.decode(errors="replace").split("\0", 4)
    if kind == "fine" and float(own) > SECONDS:
        kind = "time"
    return Ended(kind, what, details, float(own), int(peak))
