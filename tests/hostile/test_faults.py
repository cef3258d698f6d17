"""Every fault of the table gives its error: one to three lines, with the place, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from tests.hostile import faults_of_cuts, faults_of_extensions, faults_of_files, faults_of_use  # noqa: F401 -- they fill the table
from tests.hostile.fault import FAULTS, Fault
from tests.hostile.faults import openvino
from tests.hostile.table import IDENTIFIER_HEAD, identifier_rows

ERRORS = Path(__file__).parents[2] / "docs" / "errors.md"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.what)
def test_fault(fault: Fault, tmp_path: Path) -> None:
    with pytest.raises(loomir.Error) as info:
        fault.attempt(tmp_path)
    assert info.value.identifier == fault.identifier, str(info.value)
    assert len(str(info.value).splitlines()) <= 3


def test_the_model_without_a_fault(tmp_path: Path) -> None:
    outputs = openvino(tmp_path, weights=np.ones(2, np.float32).tobytes()).run({"x": np.ones(2, np.float32)})
    assert [v.tolist() for v in outputs.values()] == [[2, 2]]


def test_weights_may_share_bytes(tmp_path: Path) -> None:
    """Writers store equal constants once, so ranges of the `.bin` may overlap: they are only read."""
    other = '<layer id="1" name="c" type="Const" version="opset1"><data element_type="f32" shape="2" offset="0" size="8"/>'
    again = other.replace('id="1" name="c"', 'id="4" name="d"').replace('offset="0"', 'offset="4"')
    port = '\n<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>\n'
    model = openvino(
        tmp_path,
        (other + port, other + port + again + port),
        ('from-layer="0" from-port="0"', 'from-layer="4" from-port="0"'),
        weights=np.array([1, 2, 3], np.float32).tobytes(),
    )
    outputs = model.run({"x": np.zeros(2, np.float32)})
    assert [v.tolist() for v in outputs.values()] == [[3, 5]]


def test_the_table_is_documented() -> None:
    text = ERRORS.read_text()
    missing = [f.what for f in FAULTS if f"| {f.what} | `{f.identifier}` |" not in text]
    assert not missing, f"docs/errors.md lacks: {missing} (python -m tests.hostile.table > docs/errors.md)"


def test_the_identifiers_are_documented() -> None:
    """The table of identifiers in docs/errors.md is up to date.

    tests/unit/test_structure.py checks which identifiers there are.
    """
    _, _, behind = ERRORS.read_text().partition(IDENTIFIER_HEAD + "\n")
    rows = behind.partition("\n\n")[0].splitlines()
    assert rows == identifier_rows(), "python -m tests.hostile.table > docs/errors.md"
