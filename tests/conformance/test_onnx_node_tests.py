"""ONNX's own backend tests: its models with the results that its reference semantics give.

`make conformance` runs all of them in both engines and says what changed; here every engine runs a sample, of the
`_expanded` ones (the same with ONNX's definition written out) a smaller one, and none may be worse than
`onnx_suite.toml` says. They are one test for each engine: to make the models takes
five seconds, which collecting them would cost every run.
"""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from loomir.compiler.model import Engine
from tests.conformance import onnx_suite
from tests.conformance.onnx_suite import Outcome, all_tests, changes, read_list, run
from tests.support_builds import BUILDS, build_of
from tests.tiers import sample

PASSING = {"graph": 1880, "native": 1630}
"""At least so many tests are in no group of the list: an operator that is lost must not hide there."""


def minor(version: str) -> list[str]:
    """Tests change with a version's first two numbers."""
    return version.split(".")[:2]


def check(names: list[str], engine: Engine) -> None:
    """Run tests; fails with all that are worse than listed."""
    version, listed, _ = read_list()
    about = f"the list is of onnx {version}, this is {onnx.__version__}: make conformance-update"
    assert minor(version) == minor(onnx.__version__), about
    # What is lowered for the native engine is what the loops engine interprets.
    known = {
        (engine, name): outcome
        for (e, name), outcome in listed.items()
        if e == ("graph" if engine == "graph" else "native")
    }
    worse, _ = changes({(engine, name): run(name, engine) for name in names}, known)
    assert not worse, "\n".join(worse)


def test_graph_engine() -> None:
    names = sorted(all_tests())
    expanded = [name for name in names if "_expanded" in name]
    check(sample(sorted({*names} - {*expanded} | {*expanded[::6]}), 3), "graph")


def test_native_sample() -> None:
    """Every twenty-fifth test through the whole compiler, for one machine and by one compiler after the other."""
    names = sorted(all_tests())[7::25]
    for build in BUILDS:
        with build.chosen():
            check([name for name in names if build_of(name) == build], "native")


def test_loops_sample() -> None:
    check(sorted(all_tests())[11::60], "loops")


@pytest.mark.parametrize("engine", onnx_suite.ENGINES)
def test_most_tests_pass(engine: Engine) -> None:
    _, listed, _ = read_list()
    unlisted = all_tests().keys() - {name for e, name in listed if e == engine}
    assert len(unlisted) >= PASSING[engine]


def test_every_failure_has_an_explanation() -> None:
    """A refusal explains itself; for a wrong result somebody has to say why."""
    _, listed, notes = read_list()
    keys = {(e, o.state, o.identifier, o.reason) for (e, _), o in listed.items() if o.state == "failed"}
    assert not keys - notes.keys()


def test_the_list_survives_being_written(tmp_path: Path) -> None:
    """Groups, and the words of people."""
    outcomes = {
        ("graph", "test_a"): Outcome("unsupported", "unsupported-operator", "no 'X'"),
        ("native", "test_a"): Outcome("unsupported", "unsupported-operator", "no 'X'"),
        ("graph", "test_b"): Outcome("passed"),
        ("native", "test_b"): Outcome("passed-fixed", "unbounded-shape", 'dimension "0"'),
        ("graph", "test_c"): Outcome("passed"),
        ("native", "test_c"): Outcome("passed"),
    }
    path = tmp_path / "list.toml"
    note = {("native", "unsupported", "unsupported-operator", "no 'X'"): "it draws random numbers"}
    onnx_suite.write_list(outcomes, note, path)
    version, known, notes = read_list(path)
    assert version == onnx.__version__
    assert known == {key: o for key, o in outcomes.items() if o.state != "passed"}
    assert notes[("graph", "unsupported", "unsupported-operator", "no 'X'")] == "it draws random numbers"
    assert changes(outcomes, known) == ([], [])
    worse, better = changes(
        {("native", "test_c"): Outcome("failed"), ("graph", "test_a"): Outcome("passed")}, known
    )
    assert [len(worse), len(better)] == [1, 1]


def test_a_tolerance_is_the_test_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that is off by more fails, and an integer that is off by one, too."""
    test = all_tests()["test_abs"]
    assert onnx_suite.attempt(test, "graph").state == "passed"
    inputs, (expected,) = onnx_suite.contents(test)[1][0]
    monkeypatch.setattr(test, "data_sets", [(inputs, [expected * 1.002])])
    assert onnx_suite.attempt(test, "graph").identifier == "differs"
    test = all_tests()["test_shape"]
    inputs, (expected,) = onnx_suite.contents(test)[1][0]
    monkeypatch.setattr(test, "data_sets", [(inputs, [expected + 1])])
    assert onnx_suite.attempt(test, "graph").state == "failed"
