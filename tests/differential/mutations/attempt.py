"""`python -m tests.differential.mutations.attempt NAME [--without]`: plant one mutation in this process, and ask the tests about it.

Prints what failed, with the exit status 1; where everything passes, nothing, with 0. `--without` plants nothing: nothing may fail.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

from tests.differential.mutations.mutation import LIT, ROOT, Mutation
from tests.differential.mutations.planting import plant
from tests.differential.mutations.table import MUTATIONS
from tests.run_lines import LitFailure, LitTest


def failures(mutation: Mutation) -> Iterator[str]:
    """The tests that fail in this process, as they are found."""
    for path in mutation.lit_tests:
        if (why := _lit(path)) is not None:
            yield f"tests/lit/{path.relative_to(LIT)}: {why}"
    for file in mutation.units:
        if (why := _pytest(f"unit/{file}")) is not None:
            yield why
    for name in mutation.rows:
        if (why := _row(name)) is not None:
            yield why
    for name in mutation.tests:
        if (why := _pytest(name)) is not None:
            yield why


def _lit(path: Path) -> str | None:
    """The failure of a lit test, of which the lines run that need no other process: what is planted is in this one."""
    with tempfile.TemporaryDirectory() as folder:
        test = LitTest(path, Path(folder))
        test.runs = [run for run in test.runs if test.commands(run, path) is not None]
        try:
            test.run()
        except LitFailure as failure:
            return str(failure)
    return None


def _pytest(name: str) -> str | None:
    import pytest

    path = f"{ROOT / 'tests' / name}"
    assert Path(path.partition("::")[0]).exists(), path
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = pytest.main(["-x", "-p", "no:cacheprovider", "-p", "no:xdist", path])
    lines = [line for line in printed.getvalue().splitlines() if line.startswith(("FAILED", "ERROR"))]
    return None if status == 0 else (lines[0] if lines else f"{path}: exit status {status}")


def _row(name: str) -> str | None:
    """Check a row with `tests/unit/test_optimisations.py` and return its failure, if any.

    The test compares the results before and after the passes, and checks what is done and what stays.
    """
    if (folder := str(ROOT / "benchmarks")) not in sys.path:
        sys.path.insert(0, folder)
    from simplifications.table import ROWS

    from tests.unit.test_optimisations import test_row

    (row,) = (row for row in ROWS if row.name == name)
    try:
        test_row(row)
    except Exception:
        return f"row {name}: {traceback.format_exc().strip().splitlines()[-1]}"
    return None


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--without", action="store_true")
    parser.add_argument("--all", action="store_true", help="go on behind the first that fails")
    options = parser.parse_args()
    mutation = MUTATIONS[options.name]
    planted = None if options.without else plant(mutation)
    failed = False
    for why in failures(mutation):
        failed = True
        print(" ".join(why.split())[:200], flush=True)
        if not options.all:
            break
    assert planted is None or planted.found, f"{mutation.file}: no test has imported it"
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
