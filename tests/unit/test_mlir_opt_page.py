"""docs/mlir-opt.md: every habit that works names a test, which exists."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.run_lines import runs_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mlir-opt.md").read_text()
HABITS = 66


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    habit: str
    status: str
    here: str
    tests: tuple[str, ...]

    @classmethod
    def of(cls, line: str) -> Row:
        habit, status, here, tests = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        return cls(habit, status, here, tuple(re.findall("`([^`]+)`", tests)))


ROWS = [Row.of(line) for line in PAGE.partition("\n## ")[0].splitlines() if line.startswith("| ")][1:]


def test_table_has_every_habit_once() -> None:
    assert len({row.habit for row in ROWS}) == len(ROWS) == HABITS
    assert {row.status for row in ROWS} <= {"works", "partly", "missing"}
    assert sum(row.status == "works" for row in ROWS) >= 62


@pytest.mark.parametrize("row", [r for r in ROWS if r.status != "works"], ids=lambda r: r.habit)
def test_habit_that_does_not_work_has_a_reason(row: Row) -> None:
    assert row.here


@pytest.mark.parametrize("row", [r for r in ROWS if r.status == "works"], ids=lambda r: r.habit)
def test_habit_that_works_names_its_test(row: Row) -> None:
    assert row.tests
    for name in row.tests:
        path, _, function = name.partition("::")
        text = (ROOT / path).read_text()
        if not function:
            assert runs_of(text), f"{path} has no RUN line"
            continue
        defined = {n.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)}
        assert function in defined, name
