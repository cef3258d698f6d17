"""The benchmark's side: an engine in a process of its own, asked over pipes (`protocol.py`)."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from loomir.compiler.files import write_arrays

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / "build" / "engines"
SECONDS = 120.0
"""How long a benchmark waits for an answer."""


class Failure(RuntimeError):
    """An engine gives no result; `kind` is the word of the tables."""

    kind = "crash"


class Refused(Failure):
    """The engine says that it does not take the model, or fails in a run with an error of its own."""

    kind = "refused"


class TooSlow(Failure):
    """No answer in time."""

    kind = "no end"


def python_of(engine: str) -> Path | None:
    """The interpreter with an engine: this one if the engine has no environment of its own, None if `make engines` has not made it."""
    if not (HERE / f"requirements-{engine}.txt").exists():
        return Path(sys.executable)
    python = ENVIRONMENTS / engine / "bin" / "python"
    return python if python.exists() else None


class Process:
    """A model in an engine. After `__init__` it has run once: `outputs` are its results by name."""

    def __init__(
        self,
        engine: str | Sequence[str],
        folder: Path,
        clock: str = "wall",
        arguments: Sequence[str] = (),
        seconds: float = SECONDS,
    ) -> None:
        """`engine` is a module of this folder, or the command of a process that speaks the protocol.

        Errors: `Failure` or a subclass of it if there is no result.
        """
        command = engine if not isinstance(engine, str) else _command_of(engine)
        self.folder, self.seconds = folder, seconds
        self.process = subprocess.Popen(
            [*command, str(folder.resolve()), clock, *arguments],
            cwd=HERE.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self._left = b""
        try:
            self._answer()
            self._run_first()
        except BaseException:
            self.close()
            raise

    def run(self) -> float:
        """Seconds of one run."""
        return float(self._ask("run"))

    def feed(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Prepare the model for another feed and run it once. Errors: as of `__init__`."""
        write_arrays(self.folder / "feed.npz", arrays)
        self._ask("feed")
        self._run_first()

    def inside(self) -> float:
        """Seconds of one run without the call from Python. `Refused` if the engine does not tell."""
        return float(self._ask("inside"))

    def peak_bytes(self) -> int:
        """The largest resident set of the process so far."""
        return int(self._ask("memory"))

    def close(self) -> None:
        """End the process; one that does not end by itself is killed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(10 if self.process.poll() is None else 0)
        except subprocess.TimeoutExpired:
            self._kill()
        self.process.stdout.close()

    def _run_first(self) -> None:
        self.run()
        with np.load(self.folder / "out.npz") as stored:
            self.outputs = {name: stored[name] for name in stored.files}

    def _ask(self, word: str) -> str:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{word}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._crash() from None
        return self._answer()

    def _answer(self) -> str:
        """The next line. A refusal and the end of the process are errors."""
        assert self.process.stdout is not None
        end = time.monotonic() + self.seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._left:
                if not selector.select(max(end - time.monotonic(), 0)):
                    self._kill()
                    raise TooSlow(f"no answer in {self.seconds:.0f} s")
                if not (read := os.read(self.process.stdout.fileno(), 1 << 16)):
                    raise self._crash()
                self._left += read
        line, _, self._left = self._left.partition(b"\n")
        text = line.decode(errors="replace")
        word, _, reason = text.partition(" ")
        if word in ("refused", "failed"):
            raise Refused(reason)
        return text

    def _kill(self) -> None:
        """End the process with the compilers that it has started."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _crash(self) -> Failure:
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            return Failure("standard output closed")
        return Failure(signal.Signals(-code).name if code < 0 else f"exit status {code}")


def version_of(engine: str) -> str:
    """The name and version of an installed engine. Error: `CalledProcessError` if it does not start."""
    done = subprocess.run(_command_of(engine), cwd=HERE.parent, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _command_of(engine: str) -> list[str]:
    python = python_of(engine)
    if python is None:
        raise Refused(f"{engine} is not installed: make engines")
    return [str(python), "-m", f"engines.{engine}"]
