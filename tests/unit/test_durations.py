"""Which tests `make quick` runs."""

from __future__ import annotations

import json

from tests.durations import FILE, THROUGH_EVERYTHING, is_quick, left_out


def test_names_are_the_shortest() -> None:
    records = {
        "tests/unit/a.py::test_x[1]": True,
        "tests/unit/a.py::test_x[2]": True,
        "tests/unit/b.py::test_x[1]": True,
        "tests/unit/b.py::test_x[2]": True,
        "tests/unit/b.py::test_y[1]": True,
        "tests/unit/b.py::test_y[2]": False,
        "tests/unit/c.py::test_z": False,
    }
    names = left_out(records)
    assert names == ["tests/unit/a.py", "tests/unit/b.py::test_x", "tests/unit/b.py::test_y[1]"]
    assert {node for node in records if not is_quick(node, frozenset(names))} == {
        n for n, long in records.items() if long
    }


def test_only_lit_and_unit_tests_are_quick() -> None:
    assert is_quick("tests/lit/a.mlir::lit", frozenset())
    assert not is_quick("tests/conformance/test_front.py::test_a", frozenset())


def test_files_that_are_named_are_there() -> None:
    for name in (
        *THROUGH_EVERYTHING,
        *json.loads(FILE.read_text(encoding="utf-8"))["left out of make quick"],
    ):
        assert (FILE.parents[1] / name.partition("::")[0]).exists(), name
