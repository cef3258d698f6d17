"""Workarounds of `target="openvino-2026"` for faults of OpenVINO 2026.4.

With them OpenVINO, in a process of its own, gives the results of the specification.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.openvino_faults import FEEDS, check, programs

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", FEEDS)
def test_right_with_the_target(name: str, tmp_path: Path) -> None:
    assert not check(programs()[name], FEEDS[name], "openvino-2026", tmp_path)


def test_every_program_has_inputs_and_a_row() -> None:
    assert set(programs()) == set(FEEDS)
    rows = (ROOT / "docs" / "semantics.md").read_text()
    assert not [name for name in FEEDS if f"| {name} |" not in rows]
