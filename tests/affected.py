"""`python -m tests.affected [--base REVISION] [--list]`: run the tests that a change affects, `make affected`.

A changed module affects the tests that mirror it (`tests/unit`, `tests/lit`), that import it, or that name its pass in a RUN
line; and those that mirror or import a module which imports it. A changed test affects itself. A changed module also affects the
tests that read every file or look at every pass (`OF_ALL`). What a change affects through several imports is for `make test`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.code_lines import ROOT
from tests.import_graph import imports_of, module_name, sources
from tests.run_lines import runs_of

LIT = ROOT / "tests" / "lit"
OF_ALL = (
    "tests/unit/test_docstrings.py",
    "tests/unit/test_documentation.py",
    "tests/unit/test_structure.py",
    "tests/unit/tools/fuzz/test_orders.py",
)
"""Tests that read every file or look at every pass: they are affected by any module."""


def changed_files(base: str) -> list[Path]:
    """Files that differ from a revision, and new ones."""
    commands = (["diff", "--name-only", base], ["ls-files", "--others", "--exclude-standard"])
    printed = (
        subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for command in commands
    )
    return [path for text in printed for name in text.splitlines() if (path := ROOT / name).is_file()]


def importers_of(modules: set[str], files: Iterable[Path]) -> set[Path]:
    """The files that import one of the modules."""
    return {path for path in files if imports_of(path) & modules}


def mirrors_of(path: Path) -> set[Path]:
    """The unit tests and lit tests whose place mirrors that of a product file."""
    place = path.relative_to(ROOT).with_suffix("")
    folder, stem = (
        (place.parent.parent, place.parent.name) if place.name == "__init__" else (place.parent, place.name)
    )
    unit, lit = ROOT / "tests" / "unit" / folder, LIT / folder
    return {
        *unit.glob(f"test_{stem}*.py"),
        *(unit / stem).rglob("test_*.py"),
        *lit.glob(f"{stem}*.*"),
        *(lit / stem).rglob("*.*"),
    }


def lit_tests_of_pass(name: str) -> set[Path]:
    """The lit tests with a pass in a RUN line."""
    tests = (path for path in LIT.rglob("*") if path.suffix in (".mlir", ".onnxtxt", ".test"))
    return {
        path
        for path in tests
        if any(name in run.command for run in runs_of(path.read_text(encoding="utf-8")))
    }


def affected(changed: Iterable[Path]) -> list[Path]:
    """The tests that changed files affect, in order."""
    product = sources()
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    found: set[Path] = set()
    edited: set[Path] = set()
    for path in changed:
        if path.is_relative_to(ROOT / "tests"):
            if path in tests or path.is_relative_to(LIT):
                found.add(path)
            elif path.suffix == ".py":
                found |= importers_of({module_name(path)}, tests)
        elif path in product:
            edited.add(path)
    near = edited | importers_of({module_name(path) for path in edited}, product)
    found |= importers_of({module_name(path) for path in near}, tests)
    for path in near:
        found |= mirrors_of(path)
    for path in edited:
        if path.is_relative_to(ROOT / "passes"):
            stem = path.parent.name if path.name == "__init__.py" else path.stem
            found |= lit_tests_of_pass(stem.replace("_", "-"))
    if edited:
        found.update(ROOT / name for name in OF_ALL)
    return sorted(path for path in found if path.name != "conftest.py")


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--base", default="HEAD", help="the revision to compare with (default: HEAD)")
    parser.add_argument("--list", action="store_true", help="print the tests only")
    options = parser.parse_args()
    tests = [str(path.relative_to(ROOT)) for path in affected(changed_files(options.base))]
    if options.list or not tests:
        print(*(tests or ["no test is affected"]), sep="\n")
        return 0
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", *tests], cwd=ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
