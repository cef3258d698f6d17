"""The core works where its clients are not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = ("loomir", "compiler", "dialects", "passes", "tools")
CLIENTS = ("model_optimizer", "fuzz", "reduce", "compare", "explain")
"""Folders of tools/ that use the compiler as anybody would."""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package without its clients."""
    folder = tmp_path_factory.mktemp("core")
    for name in CORE:
        shutil.copytree(
            ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", *CLIENTS)
        )
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "controlflow.xml", "--engine", "graph"],
        ["compile", "controlflow.xml", "-o", "out"],
        ["inspect", "controlflow.xml"],
        ["export", "controlflow.xml", "-o", "out.xml"],
        ["--help"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_work_without_clients(core: Path, arguments: list[str], tmp_path: Path) -> None:
    for file in (ROOT / "examples").glob("controlflow.*"):
        shutil.copy(file, tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(core), "PYTHONDONTWRITEBYTECODE": "1"}
    program = f"import loomir; assert loomir.__file__.startswith({str(core)!r}); import loomir.tools.loomir_main as m; m.main()"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if arguments == ["--help"]:
        assert "convert" not in done.stdout
        assert "compare" not in done.stdout
        assert "explain" not in done.stdout


def test_a_model_of_openvino_needs_nothing_of_onnx() -> None:
    """Neither ONNX's package nor a translator, nor a phase of the Model Optimizer."""
    program = (
        "import sys, loomir; loomir.load('examples/controlflow.xml').run({'x': [[1.0] * 16] * 8}, engine='graph');"
        "print([m for m in sys.modules if m == 'onnx' or 'convert_onnx_to_ov' in m or m.startswith('loomir.dialects.onnx')"
        " or m.startswith('loomir.tools.model_optimizer')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "[]\n", done.stdout + done.stderr
