"""Truths beside a model: reading them, and what is wrong with results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from loomir.compiler.checking.agreement import Outcome
from loomir.errors import Error
from loomir.tools.compare import compare
from loomir.tools.compare.rows import SKIPPED
from loomir.tools.compare.truth import Truth, mistake_of, read_cases
from loomir.tools.loomir_main import main
from tests.support import raises_error

DOUBLE = '<ir_version: 10, opset_import: ["" : 21]>\ndouble (float[N] x) => (float[N] y) { y = Add (x, x) }'
X = np.array([1, 2, 3], np.float32)


@pytest.fixture
def double(tmp_path: Path) -> Path:
    path = tmp_path / "double.onnxtxt"
    path.write_text(DOUBLE)
    np.savez(tmp_path / "double.inputs.npz", **{"0/x": X, "1/x": X[:0]})
    expect(path, {"0/y": 2.0 * X.astype(float), "1/y": np.zeros(0), "error/0/y": 1e-6, "error/1/y": 0.0})
    return path


def expect(model: Path, arrays: dict[str, object]) -> None:
    np.savez(model.with_suffix(".expected.npz"), **{k: np.asarray(v) for k, v in arrays.items()})


def test_inputs_and_truths_are_read(double: Path) -> None:
    first, second = read_cases(double)
    assert np.array_equal(first.feed["x"], X)
    assert (first.truths["y"].error, second.truths["y"].value.shape) == (1e-6, (0,))


@pytest.mark.parametrize(
    ("got", "mistake"),
    [
        ([1.0, 2.0], None),
        ([1.0, 2.0 + 1e-9], None),
        ([1.0, 2.5], "output 'y' is wrong in 1 of 2 elements: 2.5 at [1], in truth 2.0 (± 1e-06)"),
        ([1.0, np.nan], "output 'y' is wrong in 1 of 2 elements: nan at [1]"),
        ([1.0], "output 'y' has shape [1], the truth [2]"),
    ],
)
def test_mistakes(got: list[float], mistake: str | None) -> None:
    found = mistake_of(Outcome({"y": np.array(got)}), {"y": Truth(np.array([1.0, 2.0]), 1e-6)})
    assert (found is None) if mistake is None else found is not None and found.startswith(mistake)


def test_integers_infinities_and_failures() -> None:
    """Integers are equal; an infinity is one of the same sign; a run without outputs is wrong."""
    truth = {"y": Truth(np.array([3]), 0.0)}
    assert mistake_of(Outcome({"y": np.array([3], np.int64)}), truth) is None
    assert mistake_of(Outcome({"y": np.array([4], np.int64)}), truth) is not None
    infinite = {"y": Truth(np.array([np.inf, np.nan]), 1.0)}
    assert mistake_of(Outcome({"y": np.array([np.inf, np.nan])}), infinite) is None
    assert "-inf at [0]" in str(mistake_of(Outcome({"y": np.array([-np.inf, np.nan])}), infinite))
    assert mistake_of(Outcome({}), truth) == "has no output 'y'"
    failed = Outcome(error=Error("runtime-index", "beyond the end"))
    assert "beyond the end" in str(mistake_of(failed, truth))


def test_the_rows_are_right(double: Path) -> None:
    rows = compare([double], ["O0", "O2"], corpus=True, skip=SKIPPED)
    assert [(row.verdict, row.truth, row.mistake) for row in rows] == [("equal", "right", None)] * 2
    (row,) = compare([double], ["O0"], skip=SKIPPED)
    assert (row.truth, row.mistake) == ("unknown", None)


def test_what_is_wrong_is_said(double: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Although all results agree with each other."""
    expect(double, {"0/y": 3.0 * X.astype(float), "error/0/y": 1e-6})
    command = ["compare", "--corpus", str(double), "--pipelines", "O0", "O2"]
    command += [word for column in SKIPPED for word in ("--skip", column)]
    with pytest.raises(SystemExit) as info:
        main(command)
    assert info.value.code == 1
    printed = capsys.readouterr()
    assert "O0 equal, wrong, O2 equal, wrong" in printed.err
    assert (
        "O0, O2 wrong: feed 0, engine graph: output 'y' is wrong in 3 of 3 elements: 2.0 at [0]"
        in printed.err
    )
    assert printed.out.count("equal, wrong") == 2
    with pytest.raises(SystemExit):
        main([*command, "--json"])
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["truth"], row["right"]) for row in rows] == [("wrong", False)] * 2


@pytest.mark.parametrize("damage", ["absent", "inputs", "errors", "text"])
def test_files_that_are_none(double: Path, damage: str) -> None:
    if damage == "absent":
        double.with_suffix(".expected.npz").unlink()
    elif damage == "inputs":
        double.with_suffix(".inputs.npz").write_bytes(b"PK\3\4nothing")
    elif damage == "errors":
        expect(double, {"0/y": X})
    else:
        double.with_suffix(".expected.npz").write_text("nothing")
    with raises_error("file-unreadable"):
        read_cases(double)
    (row,) = compare([double], ["O0"], corpus=True, skip=SKIPPED)
    assert "[file-unreadable]" in str(row.error)
