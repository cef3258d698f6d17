"""Progress is shown on a terminal after a second, and nowhere else."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path
from types import SimpleNamespace

import pytest
import rich.progress  # noqa: F401  (so that the thread that draws need not load it)
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.pipeline import instrumenting, run_passes
from loomir.tools import loomir_fuzz, loomir_main
from loomir.tools import progress as progress_module
from loomir.tools.progress import progress

MODEL = str(Path(__file__).parents[3] / "examples" / "controlflow.xml")


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True

    @property
    def text(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.getvalue())


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal on which something is shown at once.

    (pytest sets standard error anew between a fixture and the test.)
    """
    stream = Terminal()
    monkeypatch.setattr(progress_module, "DELAY", 0.0)
    monkeypatch.setattr(progress_module, "INTERVAL", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    return stream


def run_main(*arguments: str) -> None:
    loomir_main.main(arguments)


def run_fuzz(*arguments: str) -> None:
    with pytest.raises(SystemExit, match="0"):
        loomir_fuzz.main(arguments)


FUZZ = ("--count", "3", "--size", "2", "--jobs", "1", "--engines", "graph", "--no-ir")
COMMANDS: dict[str, tuple[Callable[..., None], tuple[str, ...], str]] = {
    "run": (run_main, ("run", MODEL, "--engine", "graph"), "compiling and running"),
    "compile": (run_main, ("compile", MODEL, "-o", "{folder}"), "compiling"),
    "inspect": (run_main, ("inspect", MODEL, "--stage", "structured"), "lowering"),
    "export": (run_main, ("export", MODEL, "-o", "{folder}/m.xml"), "loading controlflow.xml"),
    "fuzz": (run_fuzz, FUZZ, "random programs"),
}


@pytest.mark.parametrize(("command", "arguments", "said"), COMMANDS.values(), ids=COMMANDS)
def test_a_command_shows_what_it_does(
    command: Callable[..., None],
    arguments: tuple[str, ...],
    said: str,
    terminal: Terminal,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with redirect_stderr(terminal):
        command(*(argument.format(folder=tmp_path) for argument in arguments))
    assert said in terminal.text
    shown = capsys.readouterr().out
    assert shown
    assert said not in shown


@pytest.mark.parametrize(("command", "arguments", "said"), COMMANDS.values(), ids=COMMANDS)
def test_nothing_is_shown_where_there_is_no_terminal(
    command: Callable[..., None],
    arguments: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(progress_module, "DELAY", 0.0)
    command(*(argument.format(folder=tmp_path) for argument in arguments))
    assert capsys.readouterr().err == ""


def test_work_is_counted(terminal: Terminal) -> None:
    with redirect_stderr(terminal), progress("models", 3) as shown:
        for _ in range(3):
            shown.advance()
    assert re.findall(r"models .* ([0-3]/3)", terminal.text)[-1] == "3/3"


def test_short_work_is_not_shown(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_module, "DELAY", 60.0)
    with redirect_stderr(terminal), progress("loading"):
        pass
    with redirect_stderr(terminal), progress("models", 3) as shown:
        shown.advance()
    assert terminal.getvalue() == ""


def test_the_line_is_gone_when_something_else_is_printed(terminal: Terminal) -> None:
    with redirect_stderr(terminal), progress("models", 2) as shown:
        shown.advance()
        shown.hide()
        before = terminal.getvalue()
        print("a failure", file=sys.stderr)
        assert terminal.getvalue() == f"{before}a failure\n"
        shown.advance()
    assert terminal.text.count("models") >= 2


def wait_for(text: str, terminal: Terminal) -> None:
    end = time.monotonic() + 30
    while text not in terminal.text and time.monotonic() < end:
        time.sleep(0.001)


def test_an_error_ends_the_line(terminal: Terminal) -> None:
    def fail() -> None:
        with progress("loading"):
            wait_for("loading", terminal)
            raise ValueError("it is broken")

    with redirect_stderr(terminal), pytest.raises(ValueError, match="it is broken"):
        fail()
    written = terminal.getvalue()
    # The cursor is there again.
    assert written.rindex("\x1b[?25h") > written.rindex("\x1b[?25l")


def test_the_pass_that_runs_is_named(terminal: Terminal) -> None:
    class SlowPass(ModulePass):
        name = "slow"

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            wait_for("lowering: slow", terminal)

    # One instrumentation does not take the place of another.
    told = []
    outer = SimpleNamespace(before=lambda *_: told.append("before"), after=lambda *_: told.append("after"))
    with redirect_stderr(terminal), instrumenting(outer), progress("lowering"):  # pyright: ignore
        run_passes(ModuleOp([]), [SlowPass()])
    assert "lowering: slow" in terminal.text
    assert told == ["before", "after"]
