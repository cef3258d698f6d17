"""STRUCTURED and LOOPS are MLIR: upstream's tool parses and verifies them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import loomir
from loomir.compiler.model import Model, StageName
from tests.conformance.openvino_models import CASES, Case
from tests.conformance.test_real_models import AD, KWS, silero
from tests.support_tools import MLIR_OPT, needs

pytestmark = needs(MLIR_OPT)


def verify_upstream(model: Model, stage: StageName, *, capacity: int | None = None) -> None:
    """Print a stage in full and let mlir-opt verify it."""
    text = model.mlir(stage, full_constants=True, capacity=capacity)
    done = subprocess.run(
        [MLIR_OPT, "-o", "/dev/null"], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:2000]


@pytest.mark.parametrize("stage", ["structured", "loops"])
@pytest.mark.parametrize("row", [c for c in CASES if not c.c_error], ids=lambda c: c.name)
def test_semantics_row(row: Case, stage: StageName, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    row.build(path)
    if "loop-part-size" in row.error or "if-element-type" in row.error:
        with pytest.raises(loomir.Error):
            loomir.load(path)
        return
    verify_upstream(loomir.load(path), stage, capacity=8)


@pytest.mark.parametrize("stage", ["structured", "loops"])
@pytest.mark.parametrize("name", ["kws", "ad", "silero"])
def test_real_model(name: str, stage: StageName) -> None:
    if name == "silero":
        model = silero(576, 16000)
    else:
        path, shape = (KWS, [1, 49, 10, 1]) if name == "kws" else (AD, [1, 640])
        model = loomir.load(path, shapes={"input_1": shape})
    verify_upstream(model, stage)
