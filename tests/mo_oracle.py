"""A Model Optimizer that is installed somewhere, in an environment of its own with a Python: what it answers.

`LOOMIR_MO_ORACLE` is the folder of its package `openvino/tools/mo`. What it answers to fixed questions is kept as fixtures, with the date.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ORACLE = os.environ.get("LOOMIR_MO_ORACLE", "")

FIXTURES = Path(__file__).parent / "fixtures" / "model-optimizer"

needs_oracle = pytest.mark.skipif(
    not ORACLE, reason="LOOMIR_MO_ORACLE does not say where a Model Optimizer is"
)


def asked(program: str, questions: Any, directory: str = ORACLE) -> dict[str, Any]:
    """Run a program in the Model Optimizer's Python and return its JSON.

    The program is a file of Python, and the questions are its standard input.
    """
    python = next(p / "bin" / "python" for p in Path(directory).parents if (p / "bin" / "python").exists())
    command = [str(python), program]
    ran = subprocess.run(command, input=json.dumps(questions), capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(ran.stderr[-2000:])
    return json.loads(ran.stdout)


def write_fixture(name: str, rows: Mapping[str, Any], **more: str) -> None:
    """Answers by name, a line for each."""
    lines = [f"{json.dumps(key)}: {json.dumps(row)}" for key, row in rows.items()]
    head = json.dumps({"date": str(datetime.date.today()), **more})[:-1]
    FIXTURES.mkdir(exist_ok=True)
    (FIXTURES / name).write_text(head + ', "answers": {\n' + ",\n".join(lines) + "\n}}\n")


def fixture(name: str) -> dict[str, Any]:
    """The answers that were kept."""
    return json.loads((FIXTURES / name).read_text())["answers"]
