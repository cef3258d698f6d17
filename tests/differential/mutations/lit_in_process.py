"""Lit tests whose `loomir-opt` runs in this process, so that it has what is planted here."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import tempfile
import traceback
from pathlib import Path

from tests.lit_corruptions import Run, Test

_REDIRECTION = re.compile(r"^(?:2>&1|[12]?>/dev/null)$")


class InProcess(Test):
    """A lit test of which only the commands that are one call of `loomir-opt` are run."""

    def __init__(self, path: Path, folder: Path) -> None:
        super().__init__(path, folder)
        self.runs = [run for run in self.runs if "|" not in run.command and "%t" not in run.command]
        self.runs = [run for run in self.runs if _words(run, path)[0][:1] == ["loomir-opt"]]

    def _command(self, run: Run, file: Path) -> subprocess.CompletedProcess[str]:
        words, wants_failure = _words(run, file)
        arguments = [word for word in words[1:] if not _REDIRECTION.match(word)]
        printed, said = io.StringIO(), io.StringIO()
        status = 0
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            from loomir.tools.loomir_opt import LoomirOpt

            try:
                LoomirOpt(arguments).run()
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 1
            except Exception:
                said.write(traceback.format_exc())
                status = 2
        text = "" if {">/dev/null", "1>/dev/null"} & {*words} else printed.getvalue()
        if "2>&1" in words:
            text = said.getvalue() + text
        failed = (status != 1) if wants_failure else (status != 0)
        return subprocess.CompletedProcess(run.command, int(failed), text, said.getvalue())


def _words(run: Run, file: Path) -> tuple[list[str], bool]:
    """The words of a command, and whether it is to fail."""
    command = run.command.replace("%s", str(file)).replace("%S", str(file.parent))
    words = shlex.split(re.sub(r"(?<=>) (?=/dev/null)", "", command))
    return (words[1:], True) if words[:1] == ["not"] else (words, False)


def why_it_fails(path: Path) -> str | None:
    """Why a lit test fails in this process; None where it passes."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            InProcess(path, Path(folder)).prepare()
        except AssertionError as error:
            said = str(error).removeprefix(f"{path}").strip().splitlines()[-1]
            return "other text than expected" if said == "fails as it is" else said.removeprefix(": ")
    return None
