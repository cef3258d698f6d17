"""Selection of tests by the tiers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.durations import FAMILY, samples, shortest_names, table
from tests.tiers import ALWAYS, DURATIONS, PARTS, SAMPLES, Tiers, is_quick


def test_names_are_the_shortest() -> None:
    tests = {
        "tests/unit/a.py::test_x[1]": True,
        "tests/unit/a.py::test_x[2]": True,
        "tests/unit/b.py::test_x[1]": True,
        "tests/unit/b.py::test_x[2]": True,
        "tests/unit/b.py::test_y[1]": True,
        "tests/unit/b.py::test_y[2]": False,
        "tests/unit/c.py::test_z": False,
    }
    names = shortest_names(tests)
    assert names == ["tests/unit/a.py", "tests/unit/b.py::test_x", "tests/unit/b.py::test_y[1]"]
    assert {node for node in tests if not is_quick(node, frozenset(names))} == {
        node for node, yes in tests.items() if yes
    }


def test_only_lit_and_unit_tests_are_quick() -> None:
    assert is_quick("tests/lit/a.mlir::lit", frozenset())
    assert not is_quick("tests/conformance/test_front.py::test_a", frozenset())


def test_families_are_sampled_within_their_time() -> None:
    long = {f"tests/conformance/a.py::test_x[{k}]": FAMILY / 4 for k in range(20)}
    short = {f"tests/conformance/a.py::test_y[{k}]": FAMILY / 40 for k in range(20)}
    assert samples(long | short, frozenset()) == {"tests/conformance/a.py::test_x": 4}


@pytest.fixture
def tiers(tmp_path: Path) -> Tiers:
    """Tiers of three functions: a family, a long test, a quick one."""
    records = [
        *({"id": f"tests/conformance/a.py::test_x[{k}]", "seconds": 1.0, "starts": True} for k in range(20)),
        {"id": "tests/conformance/a.py::test_long", "seconds": 60.0, "starts": False},
        {"id": "tests/unit/a.py::test_quick", "seconds": 0.1, "starts": False},
    ]
    path = tmp_path / "durations.json"
    path.write_text(json.dumps(table(records)), encoding="utf-8")
    return Tiers(path)


NODES = [
    *(f"tests/conformance/a.py::test_x[{k}]" for k in range(20)),
    "tests/conformance/a.py::test_long",
    "tests/unit/a.py::test_quick",
]


def test_make_test_takes_a_sample(tiers: Tiers) -> None:
    selected = tiers.selected(NODES, "")
    assert "tests/unit/a.py::test_quick" in selected
    assert "tests/conformance/a.py::test_long" not in selected
    assert sum("test_x" in node for node in selected) == int(FAMILY)


def test_a_new_test_runs(tiers: Tiers) -> None:
    assert "tests/unit/b.py::test_new" in tiers.selected([*NODES, "tests/unit/b.py::test_new"], "")


def test_the_parts_of_thorough_are_everything(tiers: Tiers) -> None:
    parts = [tiers.selected(NODES, str(part)) for part in range(1, PARTS + 1)]
    assert sum(map(len, parts)) == len(NODES)
    assert set().union(*parts) == set(NODES) == tiers.selected(NODES, "all")


def test_files_that_are_named_are_there() -> None:
    read = json.loads(DURATIONS.read_text(encoding="utf-8"))
    for name in (*SAMPLES, *ALWAYS, *(name for names in read.values() for name in names)):
        assert (DURATIONS.parents[1] / name.partition("::")[0]).exists(), name
