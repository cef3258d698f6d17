"""The corpus: ONNX Runtime and every engine find what its truths say, at every level."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from corpus import PROGRAMS
from make_corpus import make

import loomir
from loomir.compiler.checking.agreement import Outcome
from loomir.tools.compare.truth import Truth, mistake_of, read_cases
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support_tools import needs

NAMES = sorted(PROGRAMS)
REFUSED: dict[str, str] = {}
"""Programs that ONNX Runtime does not run, with a part of its message."""


def mistakes(name: str, run: object, feeds: slice = slice(None)) -> list[str]:
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
    model = PROGRAMS[name].model()

    def run(feed: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        session = onnxruntime_session(model)
        names = [output.name for output in session.get_outputs()]
        return dict(zip(names, session.run(names, feed), strict=True))

    if name in REFUSED:
        with pytest.raises(Exception, match=REFUSED[name]):
            mistakes(name, run)
    else:
        assert mistakes(name, run) == []


@pytest.mark.parametrize("level", ["O0", "O2"])
@pytest.mark.parametrize("name", NAMES)
def test_the_graph_engine_is_right(name: str, level: str) -> None:
    model = loomir.load(PROGRAMS[name].model(), level=level)
    assert mistakes(name, lambda feed: model.run(feed, engine="graph")) == []


@needs("gcc")
@pytest.mark.parametrize("name", NAMES)
def test_native_code_is_right(name: str) -> None:
    """With the first inputs; `loomir compare --corpus` takes all, each shape of which is compiled."""
    model = loomir.load(PROGRAMS[name].model())
    assert mistakes(name, model.run, slice(1)) == []


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
