"""The rows as lit tests: a file of `tests/lit/optimisations/` for each subject, with each row's program and its near miss as functions.

What is expected is what the passes leave, line by line, which is more than the checker asks (`rows.py`); that stands above each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from simplifications.rows import PROGRAMS, Row
from simplifications.table import GROUPS

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import PIPELINES, run_passes
from loomir.compiler.pipeline_syntax import pass_text

FOLDER = Path(__file__).parents[2] / "tests" / "lit" / "optimisations"


def files() -> Mapping[Path, Sequence[Row]]:
    """The rows of each file: one for each subject, and one for those that ask for passes of their own."""
    found: dict[Path, list[Row]] = {}
    for title, rows in GROUPS.items():
        subject = re.sub(r"\W+", "_", title.lower())
        for row in rows:
            found.setdefault(FOLDER / f"{subject}{'_on_request' if row.passes else ''}.mlir", []).append(row)
    return found


def passes_of(row: Row) -> str:
    """The passes of a row, as `loomir-opt -p` takes them."""
    default = (*PIPELINES["graph"], *PIPELINES["core"])
    return ",".join([*(pass_text(p) for p in default), *([row.passes] if row.passes else [])])


def text_of(rows: Sequence[Row]) -> str:
    """A whole file."""
    (passes,) = {passes_of(row) for row in rows}
    run = (
        f"// RUN: loomir-opt %s --split-input-file -p '{passes}' | filecheck %s\n"
        "// Made by `python benchmarks/optimisations.py --lit` of benchmarks/simplifications/programs: rows of docs/optimisations.md.\n"
    )
    return run + "\n// -----\n".join(text for row in rows for text in tests_of(row))


def tests_of(row: Row) -> Iterator[str]:
    """The tests of a row: that its program is simplified, and that its near miss is not."""
    own, near = re.split(r"^// -----$", (PROGRAMS / f"{row.name}.mlir").read_text(), flags=re.MULTILINE)
    yield _test(row, own, row.name, f"// {row.statement}\n// Asked: {_features(row.asks, 'at most')}.")
    yield _test(
        row, near, f"{row.name}_near_miss", f"// Near miss. Kept: {_features(row.keeps, 'at least')}."
    )


def _features(numbers: Mapping[str, int], how: str) -> str:
    return ", ".join(f"{how} {number} {name}" for name, number in numbers.items())


def _test(row: Row, program: str, name: str, says: str) -> str:
    """One function and what is expected of it."""
    text = program.strip().replace("@main", f"@{name}")
    module = parse_module(text, name=f"{row.name}.mlir")
    run_passes(module, passes_of(row))
    lines = str(module).splitlines()[1:-1]
    expected = [f"// CHECK-LABEL: {lines[0].strip().partition('(')[0]}("]
    expected += [f"// CHECK-NEXT: {_literal(line.strip())}" for line in lines[1:]]
    return "\n".join(["", says, *expected, text, ""])


def _literal(line: str) -> str:
    """A line as filecheck reads it: two brackets would begin a variable."""
    return line.replace("[[", "{{\\[\\[}}")


def write() -> None:
    """Write all files."""
    FOLDER.mkdir(exist_ok=True)
    for path, rows in files().items():
        path.write_text(text_of(rows))
