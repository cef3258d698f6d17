"""RUN lines of lit tests, executed in this process.

A RUN line is a pipeline such as `not loomir-opt %s -p cse 2>&1 | filecheck %s`. `%s` is the test, `%S` its folder, `%t` a path in a
folder of its own. Commands of `COMMANDS` are called here, which saves the imports of a process each; a line with any other command goes to
bash. `// REQUIRES: mlir-opt` skips a test where that tool is missing, and `// REQUIRES: shell` runs all its lines in bash: it tests the
command itself.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options

COMMANDS = {
    "loomir": "loomir.tools.loomir_main",
    "loomir-opt": "loomir.tools.loomir_opt",
    "loomir-run": "loomir.tools.loomir_run",
}
"""Commands that run in this process, and the modules whose `main` they are."""

TOOLS = {"mlir-opt": "mlir-opt-22", "gcc": "gcc", "clang": "clang"}
"""Features that `REQUIRES` names, and the programs that have them."""

SHELL = "shell"
CRASH = -1
"""The exit status of a command that raised an exception: `not` does not take it."""

_RUN = re.compile(r"^\s*(?://|#|)\s*RUN:\s*(.*?)\s*$", re.MULTILINE)
_REQUIRES = re.compile(r"^\s*(?://|#|)\s*REQUIRES:\s*(.*?)\s*$", re.MULTILINE)
_REDIRECTION = re.compile(r"^(?:2>&1|[12]?>/dev/null)$")


@dataclass(frozen=True)
class Run:
    """A RUN line: a command, and the arguments of the filecheck that reads its output (None: the exit status decides)."""

    command: str
    check: tuple[str, ...] | None

    @classmethod
    def of(cls, line: str) -> Run:
        command, pipe, check = line.rpartition("| filecheck ")
        if not pipe:
            return cls(line, None)
        return cls(command.strip(), tuple(shlex.split(check)))

    @property
    def decides(self) -> bool:
        """Return True if an expectation of the test can make it fail."""
        return self.check is not None or "--verify-diagnostics" in self.command


def runs_of(text: str) -> list[Run]:
    """The RUN lines of a test."""
    return [Run.of(line) for line in _RUN.findall(text)]


def requirements_of(text: str) -> set[str]:
    """The features that a test's REQUIRES lines name."""
    return {name.strip() for line in _REQUIRES.findall(text) for name in line.split(",")}


class LitFailure(AssertionError):
    """A RUN line whose exit status or output is not the expected one."""


@dataclass
class LitTest:
    """A lit test. Its files are written to `folder`."""

    path: Path
    folder: Path
    text: str = field(init=False)
    runs: list[Run] = field(init=False)
    required: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.text = self.path.read_text(encoding="utf-8")
        self.runs = runs_of(self.text)
        self.required = requirements_of(self.text)

    @property
    def missing(self) -> list[str]:
        """Tools that it requires and that are not installed."""
        return [tool for name, tool in TOOLS.items() if name in self.required and not shutil.which(tool)]

    def run(self) -> None:
        """Execute all RUN lines in their order. Errors: `LitFailure`."""
        if not self.runs:
            raise LitFailure("there is no RUN line")
        for run in self.runs:
            self.checked(run, self.path, self.executed(run, self.path))

    def executed(self, run: Run, file: Path) -> str:
        """The output of a RUN line's command with `file` in the test's place. Errors: `LitFailure` for another exit status."""
        commands = self.commands(run, file)
        if commands is None:
            done = self._in_bash(run, file)
            if done.returncode:
                raise LitFailure(f"RUN: {run.command}\n{done.stderr[-4000:]}")
            return done.stdout
        output = ""
        for words in commands:
            wants_failure = words[0] == "not"
            done = in_process(words[1:] if wants_failure else words, output)
            if done.returncode not in ((1, 2) if wants_failure else (0,)):
                raise LitFailure(f"RUN: {run.command}\n{done.stderr[-4000:]}")
            output = done.stdout
        return output

    def commands(self, run: Run, file: Path) -> list[list[str]] | None:
        """The words of each command of a pipeline that runs in this process; None for a line that bash runs."""
        command = run.command.replace("%S", str(self.path.parent)).replace("%s", str(file))
        words = shlex.split(
            re.sub(r"(?<=>) (?=/dev/null)", "", command.replace("%t", str(self.folder / "t")))
        )
        if SHELL in self.required or not all(
            _REDIRECTION.match(w) or not re.match(r"^(?:;|&&|\d?>.*|<.*)$", w) for w in words
        ):
            return None
        pipes = [-1, *(i for i, word in enumerate(words) if word == "|"), len(words)]
        commands = [words[a + 1 : b] for a, b in pairwise(pipes)]
        return commands if all(c[c[:1] == ["not"]] in COMMANDS for c in commands) else None

    def checked(self, run: Run, file: Path, output: str) -> None:
        """Compare a command's output with the CHECK lines of `file`. Errors: `LitFailure`."""
        if run.check is None:
            return
        written = self.folder / "output.txt"
        written.write_text(output, encoding="utf-8")
        places = [a.replace("%S", str(self.path.parent)).replace("%s", str(file)) for a in run.check]
        options = parse_argv_options(["filecheck", *places, f"--input-file={written}"])
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            status = Matcher.from_opts(options).run()
        if status:
            raise LitFailure(f"RUN: {run.command} | filecheck {' '.join(run.check)}\n{printed.getvalue()}")

    def _in_bash(self, run: Run, file: Path) -> subprocess.CompletedProcess[str]:
        command = run.command.replace("%S", str(self.path.parent)).replace("%s", str(file))
        command = re.sub(r"\bnot ", "! ", command.replace("%t", str(self.folder / "t")), count=1)
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env={**os.environ, "PATH": path, "LOOMIR_MACHINE": "generic"},
        )


def in_process(words: Sequence[str], given_input: str = "") -> subprocess.CompletedProcess[str]:
    """Call a command's `main` with this standard input. Redirections are those of a shell: `2>&1`, `>/dev/null`, `2>/dev/null`."""
    name, *given = words
    arguments = [word for word in given if not _REDIRECTION.match(word)]
    out, err = _stream(), _stream()
    # Where the pipe's and the terminal's text goes, after the redirections in their order.
    targets = {"1": out, "2": err}
    for word in given:
        if word == "2>&1":
            targets["2"] = targets["1"]
        elif _REDIRECTION.match(word):
            targets[word[0] if word[0] in "12" else "1"] = _stream()
    with _as_in_a_process([name, *arguments], given_input, targets["1"], targets["2"]):
        status = _status_of(name)
    for stream in (out, err, *targets.values()):
        stream.flush()
    return subprocess.CompletedProcess(list(words), status, _text(out), _text(targets["2"]))


def _status_of(name: str) -> int:
    """The exit status of a command whose `sys.argv` and streams are set."""
    try:
        importlib.import_module(COMMANDS[name]).main()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return end.code or 0
    except Exception:
        traceback.print_exc()
        return CRASH
    return 0


@contextlib.contextmanager
def _as_in_a_process(
    argv: list[str], given_input: str, out: io.TextIOWrapper, err: io.TextIOWrapper
) -> Iterator[None]:
    """Arguments, streams, warnings and extensions of a process of its own."""
    # Not before a mutation is planted, which is in no module that is there already.
    from loomir.compiler.extensions.loading import unloaded_afterwards

    with (
        patch.object(sys, "argv", argv),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given_input.encode()), encoding="utf-8")),
        patch.dict(os.environ, LOOMIR_MACHINE="generic"),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
        unloaded_afterwards(),
    ):
        warnings.resetwarnings()
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()
