"""`python -m tests.lit_corruptions [--each N] [--jobs J] [FILE …]`: is every expected text under tests/lit looked at?

Each CHECK line and each `expected-…` comment is corrupted in turn, and its test has to fail then; those that do not are printed, and the
exit status is 1. What commands print is computed once where filecheck reads it, since only `expected-…` comments can change it.
`CHECK-NOT` is corrupted into what forbids any character: it has to have something to look at. `--each N` takes one of N files.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options

ROOT = Path(__file__).parents[1]
LIT = ROOT / "tests" / "lit"
OPTIONAL = ("mlir-opt-22", "gcc", "clang")

_RUN = re.compile(r"^\s*(?://|#|)\s*RUN:\s*(.*?)\s*$", re.MULTILINE)
_CHECK = re.compile(
    r"^(\s*(?://|#|)\s*)(?!RUN\b|REQUIRES\b)([A-Z][A-Z0-9_]*)(-(?:NEXT|NOT|SAME|LABEL|DAG|EMPTY|COUNT-\d+))?:(.*)$"
)
_EXPECTED = re.compile(r"^(.*expected-(?:error|warning|remark|note).*?\{\{)(.*\}\}\s*)$")
NOWHERE = "¤"
"""What no output has."""


@dataclass(frozen=True)
class Run:
    """A RUN line: a command, and the arguments of the filecheck that reads what it prints (None: the command itself decides)."""

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
        """Whether it can fail for what a test expects."""
        return self.check is not None or "--verify-diagnostics" in self.command

    @property
    def possible(self) -> bool:
        """Whether its tools are installed."""
        return all(tool not in self.command or shutil.which(tool) for tool in OPTIONAL)


def runs_of(text: str) -> list[Run]:
    """The RUN lines of a test."""
    return [Run.of(line) for line in _RUN.findall(text)]


@dataclass(frozen=True)
class Corruption:
    """A test's text with one expected text replaced, of a diagnostic or of filecheck."""

    line: int
    text: str
    diagnostic: bool


def corruptions(text: str) -> Iterator[Corruption]:
    """Every expected text of a test, corrupted."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        changed = _corrupted(line)
        if changed is not None:
            text = "\n".join([*lines[:index], changed, *lines[index + 1 :]])
            yield Corruption(index + 1, text, _EXPECTED.match(line) is not None)


def _corrupted(line: str) -> str | None:
    if found := _CHECK.match(line):
        begin, prefix, kind, what = found.groups()
        if kind == "-NOT":
            return f"{begin}{prefix}-NOT: {{{{[^ \\n]}}}}"
        if kind == "-EMPTY":
            return f"{begin}{prefix}-NEXT: {NOWHERE}"
        return f"{begin}{prefix}{kind or ''}:{what}{NOWHERE}"
    if found := _EXPECTED.match(line):
        return f"{found[1]}{NOWHERE}{found[2]}"
    return None


class Test:
    """A lit test, whose commands are run in a folder of its own."""

    __test__ = False

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.folder = path, folder
        self.text = path.read_text(encoding="utf-8")
        self.runs = runs_of(self.text)
        self.outputs: dict[Run, str] = {}

    def _command(self, run: Run, file: Path) -> subprocess.CompletedProcess[str]:
        command = run.command.replace("%s", str(file)).replace("%S", str(self.path.parent))
        command = re.sub(r"\bnot ", "! ", command.replace("%t", str(self.folder / "t")), count=1)
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**os.environ, "PATH": path},
        )

    def prepare(self) -> None:
        """Run the commands once. The test has to pass as it is."""
        for run in self.runs:
            if not run.possible or (run.check is None and run.decides):
                continue
            result = self._command(run, self.path)
            if result.returncode:
                raise AssertionError(f"{self.path}: {run.command}: {result.stderr[-2000:]}")
            self.outputs[run] = result.stdout
        if self.fails(self.text, diagnostic=True):
            raise AssertionError(f"{self.path} fails as it is")

    def fails(self, text: str, *, diagnostic: bool) -> bool:
        """Whether the test fails with this text in its place, where expected diagnostics differ or what filecheck expects does."""
        changed = self.folder / self.path.name
        changed.write_text(text, encoding="utf-8")
        for run in self.runs:
            printed = self.outputs.get(run)
            if diagnostic and "--verify-diagnostics" in run.command:
                result = self._command(run, changed)
                if result.returncode:
                    return True
                printed = result.stdout
            if run.check is not None and printed is not None and not self._checked(run, changed, printed):
                return True
        return False

    def _checked(self, run: Run, changed: Path, printed: str) -> bool:
        assert run.check is not None
        output = self.folder / "output.txt"
        output.write_text(printed, encoding="utf-8")
        arguments = ["filecheck", *(a.replace("%s", str(changed)) for a in run.check)]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return Matcher.from_opts(parse_argv_options([*arguments, f"--input-file={output}"])).run() == 0

    def checked_here(self) -> bool:
        """Whether all of its commands can run on this machine."""
        return all(run.possible for run in self.runs)


@dataclass
class Report:
    """How many expected texts were corrupted, and those that nobody missed."""

    tried: int = 0
    tests: int = 0
    left_out: int = 0
    survivors: list[str] | None = None


def survivors_of(path: Path) -> tuple[int, list[str]] | None:
    """The number of expected texts of a test, and those of which a corruption is not seen; None where its tools are missing."""
    with tempfile.TemporaryDirectory() as folder:
        test = Test(path, Path(folder))
        if not test.checked_here():
            return None
        test.prepare()
        tried, seen = 0, list[str]()
        for corruption in corruptions(test.text):
            tried += 1
            if not test.fails(corruption.text, diagnostic=corruption.diagnostic):
                line = test.text.split("\n")[corruption.line - 1].strip()
                seen.append(f"{path.relative_to(ROOT)}:{corruption.line}: {line}")
        return tried, seen


def lit_tests() -> list[Path]:
    """Every test under tests/lit."""
    return sorted(p for p in LIT.rglob("*") if p.suffix in (".mlir", ".onnxtxt", ".test"))


def corrupt(paths: Sequence[Path], jobs: int = 1) -> Report:
    """Try all corruptions of some tests."""
    report = Report(survivors=[])
    assert report.survivors is not None
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for found in pool.imap(survivors_of, paths):
            if found is None:
                report.left_out += 1
                continue
            report.tests += 1
            report.tried += found[0]
            report.survivors += found[1]
    return report


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--each", type=int, default=1, metavar="N", help="one of N files")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    paths = [p.resolve() for p in options.files] or lit_tests()[:: options.each]
    report = corrupt(paths, options.jobs)
    print(*(report.survivors or []), sep="\n")
    print(
        f"{report.tried} expected texts in {report.tests} tests, {len(report.survivors or [])} of which may be anything;"
        f" {report.left_out} tests left out for want of a tool"
    )
    return 1 if report.survivors else 0


if __name__ == "__main__":
    sys.exit(main())
