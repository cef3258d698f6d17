"""Operations common to both arms of a branch.

They are found without another walk through all nested operations for each enclosing branch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nests import NESTS

import loomir
from loomir.dialects import common_operations, speculation


def test_a_nest_of_branches_is_not_asked_again_at_each_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    speculatable = speculation.speculatable

    def counted(*arguments: Any) -> bool:
        nonlocal asked
        asked += 1
        return speculatable(*arguments)

    monkeypatch.setattr(speculation, "speculatable", counted)
    monkeypatch.setattr(common_operations, "speculatable", counted)
    counts: list[int] = []
    for depth in (10, 40):
        file = tmp_path / f"{depth}.mlir"
        file.write_text(NESTS["branches"](depth))
        model, asked = loomir.load(file), 0
        model.lowered("structured")
        counts.append(asked)
    assert 0 < counts[1] < 5 * counts[0]
