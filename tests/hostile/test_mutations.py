"""Damaged files of every kind: a short attack, with cases that no other run takes. More of them: docs/testing.md."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CASES = 250


def test_only_success_or_an_error() -> None:
    command = [sys.executable, "-m", "tests.hostile.attack", "--seed", "2026", "--count", str(CASES)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, f"{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
    assert f"{CASES} cases; wrong: 0 × exception, 0 × signal, 0 × time, 0 × memory" in result.stdout
