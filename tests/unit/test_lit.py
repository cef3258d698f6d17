"""Lit tests test something: a sample of `make corruptions`, and every RUN line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.lit_corruptions import corrupt, lit_tests, survivors_of
from tests.run_lines import runs_of

WRITES = re.compile(r"> %t[.\w]*\.(onnxtxt|json)$")


def test_every_run_line_checks_something() -> None:
    for path in lit_tests():
        text = path.read_text()
        runs = runs_of(text)
        assert runs, f"{path}: no RUN line"
        for run in runs:
            # (Or it writes what a later one reads.)
            assert run.decides or WRITES.search(run.command), f"{path}: {run.command}"
            if run.check is None and run.decides:
                assert "expected-" in text, f"{path}: nothing is expected"


def test_corrupted_expectations_fail() -> None:
    report = corrupt(lit_tests()[7::30], jobs=1)
    assert report.tried
    assert not report.survivors


def test_a_text_that_nobody_reads_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.lit_corruptions.ROOT", tmp_path)
    path = tmp_path / "t.mlir"
    path.write_text(
        """// RUN: loomir-opt %s | filecheck %s
// CHECK: func.func @f
// CHEK: func.return
func.func @f() {
  func.return
}
"""
    )
    assert survivors_of(path) == (2, ["t.mlir:3: // CHEK: func.return"])
