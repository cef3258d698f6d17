"""The C of every semantics row: without a warning on gcc and clang, clean under sanitizers, the same text every time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import loomir
from tests.conformance.openvino_models import CASES, Case
from tests.support import assert_agree
from tests.support_c import run_sanitized

COMPILABLE = [c for c in CASES if not c.c_error and not c.error]
CAPACITY = 8
"""For the rows in which nothing bounds how often a loop concatenates."""


@pytest.mark.parametrize("row", COMPILABLE, ids=lambda c: c.name)
def test_sanitized(row: Case, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    row.build(path)
    model = loomir.load(path)
    for feed, expected in zip(row.feeds, row.expected, strict=True):
        arrays = {k: np.asarray(v) for k, v in feed.items()}
        outputs = run_sanitized(model.lowered("loops", capacity=CAPACITY), arrays)
        for index, (actual, wanted) in enumerate(zip(outputs.values(), expected, strict=True)):
            assert_agree(np.asarray(actual), wanted, f"output {index}")


@pytest.mark.parametrize("row", [c for c in CASES if c.c_error], ids=lambda c: c.name)
def test_refused(row: Case, tmp_path: Path) -> None:
    """`emit_c` refuses models whose behaviour only the feed decides."""
    path = tmp_path / "model.xml"
    row.build(path)
    with pytest.raises(loomir.Error) as caught:
        loomir.load(path).emit_c(tmp_path)
    assert caught.value.identifier == row.c_error


EMIT = """
import hashlib, sys
from pathlib import Path
import loomir
for path in sorted(Path(sys.argv[1]).glob("*.xml")):
    code = loomir.load(path).emit_c(sys.argv[2], "model", capacity=8)
    print(path.name, hashlib.sha256((code.header + code.source).encode()).hexdigest())
"""


def test_same_text_whatever_the_hash_seed(tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    for number, row in enumerate(COMPILABLE):
        row.build(models / f"row{number:02}.xml")
    texts: list[str] = []
    for seed in ("1", "2"):
        command = [sys.executable, "-c", EMIT, str(models), str(tmp_path / "out")]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)
    assert len(texts[0].splitlines()) == len(COMPILABLE)
    assert texts[0] == texts[1]
