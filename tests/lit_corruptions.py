"""`python -m tests.lit_corruptions [--each N] [--jobs J] [FILE …]`: is every expected text under tests/lit looked at?

Each CHECK line and each `expected-…` comment is corrupted in turn, and its test has to fail then; those that do not are printed, and the
exit status is 1. What commands print is computed once where filecheck reads it, since only `expected-…` comments can change it.
`CHECK-NOT` is corrupted into what forbids any character: it has to have something to look at. `--each N` takes one of N files.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.run_lines import LitFailure, LitTest, Run

ROOT = Path(__file__).parents[1]
LIT = ROOT / "tests" / "lit"

_CHECK = re.compile(
    r"^(\s*(?://|#|)\s*)(?!RUN\b|REQUIRES\b)([A-Z][A-Z0-9_]*)(-(?:NEXT|NOT|SAME|LABEL|DAG|EMPTY|COUNT-\d+))?:(.*)$"
)
_EXPECTED = re.compile(r"^(.*expected-(?:error|warning|remark|note).*?\{\{)(.*\}\}\s*)$")
NOWHERE = "¤"
"""Text that no output contains."""


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


class CorruptedTest(LitTest):
    """A lit test of which changed texts are tried against the output of the text that it has."""

    __test__ = False

    def prepare(self) -> None:
        """Execute the commands once. Errors: `LitFailure`, where the test fails as it is."""
        self.outputs: dict[Run, str] = {run: self.executed(run, self.path) for run in self.runs}
        if self.fails(self.text, diagnostic=True):
            raise LitFailure(f"{self.path} fails as it is")

    def fails(self, text: str, *, diagnostic: bool) -> bool:
        """Return True if the test fails with this text in its place; commands run again for a changed `diagnostic`."""
        changed = self.folder / self.path.name
        changed.write_text(text, encoding="utf-8")
        try:
            for run in self.runs:
                again = diagnostic and "--verify-diagnostics" in run.command
                self.checked(run, changed, self.executed(run, changed) if again else self.outputs[run])
        except LitFailure:
            return True
        return False


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
        test = CorruptedTest(path, Path(folder))
        if test.missing:
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
