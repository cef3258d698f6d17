"""Files of an installed Model Optimizer run unchanged, and do what they do there.

`LOOMIR_MO_ORACLE` is the folder of its package `openvino/tools/mo`, in an environment of its own with a Python.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from loomir.compiler.mo.aliases import install_legacy_names, remove_legacy_names
from loomir.compiler.mo.loading import load_extensions
from loomir.compiler.mo.ops import table
from tests import mo_coverage
from tests.unit.compiler.mo import oracle_cases, oracle_classes, oracle_program

ORACLE = os.environ.get("LOOMIR_MO_ORACLE")
pytestmark = pytest.mark.skipif(not ORACLE, reason="LOOMIR_MO_ORACLE does not say where a Model Optimizer is")


def asked(questions: dict[str, Any]) -> dict[str, Any]:
    """What the Model Optimizer answers."""
    assert ORACLE
    python = next(p / "bin" / "python" for p in Path(ORACLE).parents if (p / "bin" / "python").exists())
    program = [python, oracle_program.__file__]
    ran = subprocess.run(program, input=json.dumps(questions), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout)


CASES: dict[str, dict[str, Any]] = {**oracle_cases.CASES, **oracle_classes.CASES}


FIXTURE = Path(__file__).parents[3] / "fixtures" / "model-optimizer" / "files.json"
"""What it made of the cases, and when: `python -m tests.unit.compiler.mo.test_oracle_files` writes it."""


@cache
def answers() -> dict[str, Any]:
    """What the Model Optimizer makes of the cases."""
    return asked(CASES)


def test_fixture_is_what_is_there() -> None:
    assert json.loads(FIXTURE.read_text())["cases"] == answers()


@pytest.mark.parametrize("name", CASES)
def test_file_does_what_it_does_there(name: str) -> None:
    case = CASES[name]
    assert ORACLE
    try:
        loaded = load_extensions(ORACLE, only=[case["file"]])
        classes = {cls.__name__: cls for phase in loaded.values() for cls in phase}
        actual = json.loads(json.dumps(oracle_program.perform(case, classes, ORACLE)))
    finally:
        remove_legacy_names()
    expected = answers()[name]
    assert list(actual["nodes"]) == list(expected["nodes"])
    for node, attributes in expected["nodes"].items():
        assert actual["nodes"][node] == attributes, node
    assert actual["edges"] == expected["edges"]


REQUIRED = {
    "num_splits": 2,
    "axis": 1,
    "size_splits": [1, 2],
    "out_ports_count": 2,
    "output_type": "int64",
    "pool_method": "max",
    "operation": "sum",
    "across_spatial": 1,
    "channel_shared": "0",
}
"""Values for attributes that rows require; lists for masks."""


def test_rows_are_what_the_classes_are_there() -> None:
    """Attributes, ports and attributes in IR of a node of each class of the table."""
    rows = [row for rows in table.rows_by_module().values() for row in rows]
    given = [[row.module, row.name, {name: REQUIRED.get(name, [1]) for name in row.requires}] for row in rows]
    try:
        install_legacy_names()
        actual = {f"{m}.{n}": oracle_program.attributes_of(m, n, g) for m, n, g in given}
    finally:
        remove_legacy_names()
    expected = asked({"classes": given})
    wrong = {k: (v, expected[k]) for k, v in json.loads(json.dumps(actual)).items() if v != expected[k]}
    assert not wrong, "\n".join(f"{k}: {a}\n   there: {b}" for k, (a, b) in wrong.items())


def test_what_front_files_call_is_covered() -> None:
    """At least 95 % of the calls of methods; imports of operations that are no rows of the table yet count as not covered."""
    assert ORACLE
    calls, imports, files = mo_coverage.count(Path(ORACLE))
    assert files > 150
    assert calls.share >= 0.95
    assert imports.share >= 0.9


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers().items()]
    FIXTURE.write_text(f'{{"date": "{datetime.date.today()}", "cases": {{\n' + ",\n".join(lines) + "\n}}\n")
