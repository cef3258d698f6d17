"""Damaged models: each is loaded, run and lowered with success or a `loomir.Error`, within bounds of time and memory.

A batch runs in a process of its own whose processor time and memory the system limits, so that a hang or a crash of
native code fails the test instead of stopping it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASES = 60
"""In a batch; the nightly run takes more (`python -m tests.hostile.batch xml 0 5000`)."""


@pytest.mark.parametrize("kind", ["xml", "xml-bytes", "onnx", "onnx-bytes"])
def test_only_success_or_an_error(kind: str) -> None:
    command = [sys.executable, "-m", "tests.hostile.batch", kind, "0", str(CASES)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, f"{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
    assert f"{CASES} cases" in result.stdout
