"""docs/levels.md says of every real model what its code takes at the levels: what it says of small ones is what they take today."""

from __future__ import annotations

from pathlib import Path

import pytest
from levels import COMPILER, CONDITIONS, SIZED, Row, code_of, compiler_version, row_of
from real_models import MODELS

from loomir.tools.compare.measuring import text_bytes
from tests.support_tools import needs
from tests.tiers import THOROUGH

PAGE = Path(__file__).parents[2] / "docs" / "levels.md"
ADVICE = "run: python benchmarks/levels.py > docs/levels.md (make pages)"
QUICK = ("ad01_fp32", "ad01_int8", "kws", "kws_int8", "silero-8k", "controlflow")
"""Models that take seconds; a thorough run covers all models."""


def rows() -> dict[str, Row]:
    """The page's rows by name."""
    lines = PAGE.read_text().splitlines()
    table = lines[next(k for k, line in enumerate(lines) if line.startswith("|---")) + 1 :]
    found = [row_of(line) for line in table if line.startswith("|")]
    assert [row.line() for row in found] == [line for line in table if line.startswith("|")]
    return {row.name: row for row in found}


def test_every_model_has_a_row() -> None:
    assert list(rows()) == [model.name for model in MODELS], ADVICE


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_hold_of_the_page(condition: str) -> None:
    assert [row.name for row in rows().values() if not CONDITIONS[condition](row)] == []
    assert f"{condition}: {len(MODELS)} of {len(MODELS)} models." in PAGE.read_text(), ADVICE


@needs("gcc")
@needs("size")
@pytest.mark.parametrize("name", [model.name for model in MODELS] if THOROUGH else QUICK)
def test_bytes_are_those_of_the_page(name: str, tmp_path: Path) -> None:
    """Where the page was made with this compiler; with any other what it promises of levels holds."""
    (model,) = (model for model in MODELS if model.name == name)
    codes = {level: code_of(model, level)[0] for level in SIZED}
    text = {level: text_bytes(code, tmp_path, compiler=(COMPILER,)) for level, code in codes.items()}
    arena = {level: code.arena_bytes for level, code in codes.items()}
    row = Row(name, text, arena, {})
    assert row.is_small, text
    assert row.has_room, arena
    if f"with {compiler_version()}." in PAGE.read_text():
        listed = rows()[name]
        assert (text, arena) == (listed.text, listed.arena), ADVICE
