"""The corpus: ONNX Runtime and every engine find what its truths say, at every level."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest
from corpus import PROGRAMS
from corpus.program import UNIT
from corpus_levels import LEVELS, programs_table
from make_corpus import make

import loomir
from loomir.compiler.checking.agreement import Outcome
from loomir.compiler.levels import Level
from loomir.tools.compare.truth import Truth, mistake_of, read_cases
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support_tools import needs

NAMES = sorted(PROGRAMS)
Run = Callable[[dict[str, np.ndarray]], Mapping[str, np.ndarray]]


def mistakes(name: str, run: Run, feeds: slice = slice(None)) -> list[str]:
    """Return what is wrong with the results of a program's feeds."""
    program = PROGRAMS[name]
    found: list[str] = []
    for feed in program.feeds[feeds]:
        truths = {output: Truth(*truth) for output, truth in program.expected(feed).items()}
        mistake = mistake_of(Outcome(run(dict(feed))), truths)
        if mistake is not None:
            found.append(mistake)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_onnxruntime_agrees_with_the_truth(name: str) -> None:
    session = onnxruntime_session(PROGRAMS[name].model())

    def run(feed: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        names = [output.name for output in session.get_outputs()]
        return dict(zip(names, session.run(names, feed), strict=True))

    assert mistakes(name, run) == []


@pytest.mark.parametrize("level", ["O0", "O2"])
@pytest.mark.parametrize("name", NAMES)
def test_the_graph_engine_is_right(name: str, level: Level) -> None:
    model = loomir.load(PROGRAMS[name].model(), level=level)
    assert mistakes(name, lambda feed: model.run(feed, engine="graph")) == []


@needs("gcc")
@pytest.mark.parametrize("name", NAMES)
def test_native_code_is_right(name: str) -> None:
    """With the first inputs; `loomir compare --corpus` takes all, each shape of which is compiled."""
    model = loomir.load(PROGRAMS[name].model())
    assert mistakes(name, model.run, slice(1)) == []


def test_page_has_the_programs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "corpus.md").read_text()
    assert programs_table() in text, (
        "run: python benchmarks/corpus_levels.py (its docstring has the commands)"
    )
    measured = text.partition("\n## Levels\n")[2]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", measured, re.M)
    assert sorted(name for name, _ in rows) == NAMES
    assert {len(cells.split("|")) for _, cells in rows} == {2 * len(LEVELS) + 1}


def test_tolerances_are_small() -> None:
    """At most 4,000 roundings, which are 0.0003 of the size of an output."""
    for program in PROGRAMS.values():
        for feed in program.feeds:
            for truth, error in program.expected(feed).values():
                size = max(float(np.abs(truth).max(initial=0.0)), program.parts.scale)
                assert error <= 4000 * UNIT * size, program.name
                assert truth.dtype.kind == "f" or error == 0, program.name


def test_programs_are_described_and_differ() -> None:
    assert len({program.what for program in PROGRAMS.values()}) == len(PROGRAMS)
    for program in PROGRAMS.values():
        assert program.source, program.name
        assert len(program.what) < 100, program.name


@pytest.mark.parametrize("name", NAMES)
def test_every_program_has_control_flow_and_a_truth_that_depends_on_its_input(name: str) -> None:
    """(An output that is the same for all inputs would check little.)"""
    program = PROGRAMS[name]
    assert {node.op_type for node in program.model().graph.node} & {"Loop", "If", "Scan", "SequenceMap"}
    found = [program.expected(feed) for feed in program.feeds]
    assert len(found) > 1
    assert any(
        not np.array_equal(found[0][output][0], other[output][0]) for other in found[1:] for output in other
    )


def test_a_corpus_is_written_and_read(tmp_path: Path) -> None:
    make(tmp_path, ["lstm", "collatz"])
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{part}" for name in ("lstm", "collatz") for part in ("onnx", "inputs.npz", "expected.npz")
    }
    program = PROGRAMS["lstm"]
    assert onnx.load(tmp_path / "lstm.onnx") == program.model()
    cases = read_cases(tmp_path / "lstm.onnx")
    assert len(cases) == len(program.feeds)
    for case, feed in zip(cases, program.feeds, strict=True):
        assert all(np.array_equal(case.feed[name], value) for name, value in feed.items())
        for output, (truth, error) in program.expected(feed).items():
            assert np.array_equal(case.truths[output].value, truth)
            assert case.truths[output].error == error
