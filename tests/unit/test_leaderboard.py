"""The leaderboard: outcomes of programs in engines, and the page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from corpus import PROGRAMS
from leaderboard import ABSENT, ENGINES, KINDS, RIGHT, WRONG, measure, page
from make_corpus import make

from loomir.compiler.files import write_arrays

PAGE = Path(__file__).parents[2] / "docs" / "leaderboard.md"


def test_every_input_counts(tmp_path: Path) -> None:
    """One whose truth is changed makes the program wrong, and the reason names it."""
    make(tmp_path, ["collatz"])
    right = measure(tmp_path / "collatz.onnx", ["onnxruntime", "openvino"], 1, "wall")
    assert [result.kind for result in right.values()] == [RIGHT, RIGHT]
    assert all(result.seconds > 0 and result.peak > 0 for result in right.values())
    path = tmp_path / "collatz.expected.npz"
    with np.load(path) as stored:
        changed = {name: array + (name == "2/steps") for name, array in stored.items()}
    write_arrays(path, changed)
    (wrong,) = measure(tmp_path / "collatz.onnx", ["onnxruntime"], 1, "wall").values()
    assert wrong.kind == WRONG
    assert wrong.reason.startswith("input 2: output 'steps' is wrong")


def test_a_program_that_is_not_in_lax(tmp_path: Path) -> None:
    make(tmp_path, ["gcd"])
    assert measure(tmp_path / "gcd.onnx", ["xla"], 1, "wall")["xla"].kind == ABSENT


def test_page(tmp_path: Path) -> None:
    """A summary of each engine, a row of each program, and what is not right: OpenVINO refuses a Loop of no trip."""
    engines = ["onnxruntime", "openvino"]
    make(tmp_path, ["collatz", "lstm"])
    found = {name: measure(tmp_path / f"{name}.onnx", engines, 1, "wall") for name in ("collatz", "lstm")}
    text = page(found, engines, 1, "wall")
    assert "| ONNX Runtime | 2 | 0 | 0 | 0 | 0 | 0 |" in text
    assert "| OpenVINO | 1 | 0 | 1 | 0 | 0 | 0 |" in text
    assert "| collatz | " in text
    assert "| OpenVINO | refused | lstm | input 2: " in text


def test_the_page_is_of_these_programs() -> None:
    """Its rows are programs of the corpus, its columns all engines, its cells times or kinds."""
    text = PAGE.read_text()
    table = text.partition("## Times")[2].partition("##")[0].strip().splitlines()
    assert [cell.strip() for cell in table[0].strip("|").split("|")] == ["program", *ENGINES.values()]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]
    assert len(rows) >= 60
    assert {name for name, *_ in rows} <= PROGRAMS.keys()
    for _, *cells in rows:
        assert all(cell in KINDS or cell.endswith(" µs") for cell in cells)
    (times,) = (cells for name, *cells in rows if name == "lstm")
    assert times[0].endswith(" µs")
