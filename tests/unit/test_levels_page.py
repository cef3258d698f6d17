"""What docs/levels.md says of code, arena and instructions at the levels: of every real model, and so today of some small ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from levels import CONDITIONS, SIZED, Row, code_of, row_of, text_bytes
from real_models import MODELS

from tests.support_tools import needs

PAGE = Path(__file__).parents[2] / "docs" / "levels.md"
ADVICE = "run: python benchmarks/levels.py > docs/levels.md"


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
@pytest.mark.parametrize("name", ["ad01_fp32", "kws", "silero-8k", "controlflow"])
def test_smaller_code_is_smaller(name: str, tmp_path: Path) -> None:
    (model,) = (model for model in MODELS if model.name == name)
    codes = {level: code_of(model, level)[0] for level in SIZED}
    text = {level: text_bytes(code, tmp_path) for level, code in codes.items()}
    arena = {level: code.arena_bytes for level, code in codes.items()}
    row = Row(name, text, arena, {})
    assert row.is_small, text
    assert row.has_room, arena
