"""docs/xla-tests.md: every test of XLA is there once, every lit test that it names exists, and its figures are those of its rows."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "xla-tests.md").read_text()
LIT = ROOT / "tests" / "lit" / "passes" / "graph" / "xla"

EXCLUDED = {"sharding", "collectives", "layout", "tuples", "XLA's interface"}
HOLDS = ("yes", "more", "no")

TESTS = {
    "service/conditional_code_motion_test.cc": 43,
    "service/while_loop_simplifier_test.cc": 41,
    "service/while_loop_unroller_test.cc": 34,
    "hlo/analysis/while_loop_analysis_test.cc": 26,
    "service/while_loop_invariant_code_motion_test.cc": 18,
    "service/conditional_simplifier_test.cc": 13,
    "service/while_loop_constant_sinking_test.cc": 12,
    "service/while_loop_fusible_sinking_test.cc": 11,
    "service/while_util_test.cc": 10,
    "service/while_loop_expensive_invariant_code_motion_test.cc": 8,
    "service/while_loop_concat_code_motion_test.cc": 7,
    "service/scan_loop_accumulator_input_unification_test.cc": 6,
    "hlo/transforms/while_loop_trip_count_annotator_test.cc": 6,
    "service/conditional_to_select_test.cc": 3,
}
"""How many tests each file of XLA had when the rows were written."""


class Row(NamedTuple):
    """A test of XLA."""

    name: str
    about: str
    applies: str
    lit: str
    holds: str


def rows_of(section: str) -> list[Row]:
    lines = re.findall(r"^\| `(\w+)` \| (.*)$", section, re.M)
    return [Row(name, *(cell.strip() for cell in rest.strip("| ").split(" | "))) for name, rest in lines]


ROWS = {
    section.splitlines()[0].strip(): rows_of(section) for section in re.split(r"^## ", PAGE, flags=re.M)[1:]
}
NAMED = sorted({row.lit for rows in ROWS.values() for row in rows if row.lit != "–"})


def test_every_test_of_xla_is_there_once() -> None:
    assert {file: len(rows) for file, rows in ROWS.items()} == TESTS
    for file, rows in ROWS.items():
        assert len({row.name for row in rows}) == len(rows), file


@pytest.mark.parametrize("file", TESTS)
def test_rows(file: str) -> None:
    """Excluded rows have a reason; rows that hold have a lit test."""
    for row in ROWS[file]:
        if row.applies == "yes":
            assert row.holds in HOLDS, row
            assert (row.lit == "–") == (row.holds == "no"), row
        else:
            assert row.applies in EXCLUDED, row
            assert (row.lit, row.holds) == ("–", "–"), row


@pytest.mark.parametrize("lit", NAMED)
def test_lit_test_exists(lit: str) -> None:
    """With a function of that name, and a label that begins what is expected of it."""
    file, label = re.fullmatch(r"`(\w+\.mlir)` `@(\w+)`", lit).groups()  # pyright: ignore[reportOptionalMemberAccess]
    text = (LIT / file).read_text()
    assert f"// CHECK-LABEL: func.func @{label}(\n" in text
    assert f"\nfunc.func @{label}(" in text


def test_every_lit_test_is_named() -> None:
    there = {
        f"`{path.name}` `@{label}`"
        for path in LIT.glob("*.mlir")
        for label in re.findall(r"^func\.func @(\w+)\(", path.read_text(), re.M)
    }
    assert there == set(NAMED)


def test_figures() -> None:
    """The table of files, and the sentence above it."""
    total: Counter[str] = Counter()
    for file, rows in ROWS.items():
        found = Counter(row.holds for row in rows)
        found["tests"] = len(rows)
        assert _line(f"`{file}`", found) in PAGE.splitlines()
        total += found
    assert _line("all", total) in PAGE.splitlines()
    hold, applying = total["yes"] + total["more"], total["tests"] - total["–"]
    told = f"Of {total['tests']} tests {applying} apply. Of these {hold} hold ({total['yes']} yes, {total['more']} more)."
    assert told in PAGE
    assert hold == applying


def _line(name: str, found: Counter[str]) -> str:
    cells = [found["tests"], found["tests"] - found["–"], *(found[kind] for kind in HOLDS)]
    return f"| {name} | " + " | ".join(map(str, cells)) + " |"
