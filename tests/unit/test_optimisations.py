"""The rows of docs/optimisations.md: programs load, passes change no result, and the page says what is."""

from __future__ import annotations

from pathlib import Path

import pytest
from optimisations import line
from simplifications import lit_tests
from simplifications.features import features
from simplifications.measure import Measured, measure
from simplifications.rows import PROGRAMS, Row
from simplifications.table import ROWS
from simplifications.upstream import TOOL, compare, is_there

PAGE = Path(__file__).parents[2] / "docs" / "optimisations.md"
ADVICE = "run: python benchmarks/optimisations.py > docs/optimisations.md"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    """Program, near miss and variants give the same before and after; the near miss stays; the page has the row's line."""
    measured = measure(row)
    for pair in measured.pairs:
        assert pair.is_the_same(row.tolerance)
    assert measured.stays, f"the near miss was changed: {row.keeps}"
    assert line(measured) in PAGE.read_text().splitlines(), ADVICE
    _check_sense(measured)


@pytest.mark.parametrize("path", lit_tests.files(), ids=lambda path: path.stem)
def test_rows_are_lit_tests(path: Path) -> None:
    rows = lit_tests.files()[path]
    assert path.read_text() == lit_tests.text_of(rows), "run: python benchmarks/optimisations.py --lit"


def _check_sense(measured: Measured) -> None:
    """Assert that a row can show a difference.

    The `asks` do not hold of the program as it is written; the `keeps` do of the near miss; some feed yields outputs.
    """
    row, (own, near) = measured.row, measured.row.programs()
    written, missed = features(own), features(near)
    assert "iterations in %" in row.asks or any(written[name] > most for name, most in row.asks.items())
    assert all(missed[name] >= least for name, least in row.keeps.items() if name != "iterations in %")
    for pair in measured.pairs:
        assert any(not isinstance(outcome, str) for outcome in pair.before.outcomes)


@pytest.mark.skipif(not is_there(), reason=f"needs {TOOL}")
def test_upstream() -> None:
    """mlir-opt takes a row's STRUCTURED text, and what it gives is counted."""
    (row,) = (row for row in ROWS if row.name == "branch_adjacent")
    before, after = compare(row)
    assert (before.branches, after.branches) == (2, 1)
    assert before.operations > after.operations > 0


def test_every_program_has_a_row() -> None:
    names = [row.name for row in ROWS]
    assert sorted(names) == sorted(path.stem for path in PROGRAMS.glob("*.mlir"))
    assert f"Of {len(ROWS)} rows " in PAGE.read_text(), ADVICE
