"""Files of an installed Model Optimizer run unchanged, and do what they do there.

`LOOMIR_MO_ORACLE` is the folder of its package `openvino/tools/mo`, in an environment of its own with a Python.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from loomir.tools.model_optimizer.mo import remove_legacy_names
from loomir.tools.model_optimizer.mo.bridge import load_extensions
from tests.mo_oracle import ORACLE, asked, fixture, needs_oracle, write_fixture
from tests.unit.tools.model_optimizer.mo import oracle_cases, oracle_classes, oracle_program

pytestmark = needs_oracle

CASES: dict[str, dict[str, Any]] = {**oracle_cases.CASES, **oracle_classes.CASES}


FIXTURE = "files.json"
"""The Model Optimizer's results of the cases.

`python -m tests/unit/tools/model_optimizer/mo.test_oracle_files` writes the file.
"""


@cache
def answers() -> dict[str, Any]:
    """Return the Model Optimizer's results of the cases."""
    return asked(oracle_program.__file__, CASES)


def test_fixture_is_what_is_there() -> None:
    assert fixture(FIXTURE) == answers()


@pytest.mark.parametrize("name", CASES)
def test_file_does_what_it_does_there(name: str) -> None:
    case = CASES[name]
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


OTHERWISE = {
    "front/extractor.py": "loomir has its own",
    **dict.fromkeys(
        ("front/input_cut.py", "front/override_batch.py"), "options of the command are loomir's own"
    ),
    "front/user_data_repack.py": "the same",
    "front/onnx/loop_ext.py": "bodies are made where models are loaded",
    "front/onnx/parameter_ext.py": "a module of onnx that later versions do not have",
}
"""Files that are not imported, and why."""


@pytest.mark.parametrize("folder", ["front", "front/onnx"])
def test_files_are_imported(folder: str) -> None:
    files = {f"{folder}/{file.name}" for file in (Path(ORACLE) / folder).glob("*.py")} - OTHERWISE.keys()
    try:
        assert load_extensions(ORACLE, only=files)["front"]
    finally:
        remove_legacy_names()


if __name__ == "__main__":
    write_fixture(FIXTURE, asked(oracle_program.__file__, CASES))
