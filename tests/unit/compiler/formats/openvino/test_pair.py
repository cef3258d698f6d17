"""The `.xml` and the `.bin` of one save belong to each other: a mixed pair is refused, and OpenVINO reads a whole one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import loomir
from tests.conformance.test_specification_examples import FIXTURES
from tests.openvino_process import run_openvino, saved_by_openvino
from tests.support import raises_error

ROOT = Path(__file__).parents[5]


def program(folder: Path, numbers: str) -> loomir.Model:
    """A net that adds constants: of equal length and at the same place, whichever they are."""
    text = f"""
func.func @main(%x: tensor<2xf32> {{loomir.name = "x"}}) -> (tensor<2xf32> {{loomir.name = "y"}}) {{
  %c = ov.constant dense<{numbers}> : tensor<2xf32> : tensor<2xf32>
  %y = ov.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}}"""
    path = folder / "program.mlir"
    path.write_text(text)
    return loomir.load(path)


@pytest.fixture
def pairs(tmp_path: Path) -> tuple[Path, Path]:
    """Two saves of models that differ in their weights alone."""
    paths = tmp_path / "a" / "m.xml", tmp_path / "b" / "m.xml"
    for path, numbers in zip(paths, ("[1.0, 2.0]", "[3.0, 4.0]")):
        path.parent.mkdir()
        program(tmp_path, numbers).save(path)
    return paths


def test_weights_of_another_save(pairs: tuple[Path, Path]) -> None:
    first, second = pairs
    shutil.copy(second.with_suffix(".bin"), first.with_suffix(".bin"))
    with raises_error("bin-mixed", str(first), "m.bin does not belong to this .xml", "write the model again"):
        loomir.load(first)


def test_weights_of_another_writer(pairs: tuple[Path, Path]) -> None:
    first, _ = pairs
    first.with_suffix(".bin").write_bytes(np.array([1, 2], np.float32).tobytes())
    with raises_error("bin-mixed", "the .bin none"):
        loomir.load(first)


def test_a_net_of_another_writer_beside_our_weights(tmp_path: Path) -> None:
    """Also where the old file was not of loomir."""
    path = tmp_path / "kws.xml"
    loomir.load(FIXTURES / "kws_ref_model.xml").save(path)
    shutil.copy(FIXTURES / "kws_ref_model.xml", path)
    with raises_error("bin-mixed", "the .xml has no digest"):
        loomir.load(path)


@pytest.mark.parametrize("damage", ["", "ab", "x" * 10_000])
def test_a_digest_that_is_none(damage: str, pairs: tuple[Path, Path]) -> None:
    first, _ = pairs
    before, quote, _ = first.read_text().partition(' digest="')
    first.write_text(f'{before}{quote}{damage}"/></net>')
    with raises_error("bin-mixed") as info:
        loomir.load(first)
    assert len(str(info.value)) < 600


def test_a_process_that_is_killed_between_the_moves(pairs: tuple[Path, Path], tmp_path: Path) -> None:
    """The second of the two files never comes to its place."""
    first, _ = pairs
    old = first.read_bytes(), first.with_suffix(".bin").read_bytes()
    script = """
import os, sys
from pathlib import Path
import loomir
model = loomir.load(sys.argv[1])
move = os.replace
def killed(source, target):
    if str(target).endswith(".xml"):
        os._exit(9)
    move(source, target)
os.replace = killed
model.save(Path(sys.argv[2]))
"""
    program(tmp_path, "[5.0, 6.0]")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script, str(tmp_path / "program.mlir"), str(first)]
    assert subprocess.run(command, env=environment, check=False, timeout=300).returncode == 9
    assert first.read_bytes() == old[0]
    assert first.with_suffix(".bin").read_bytes() != old[1]
    with raises_error("bin-mixed"):
        loomir.load(first)
    program(tmp_path, "[5.0, 6.0]").save(first)
    assert loomir.load(first).run({"x": np.zeros(2, np.float32)})["y"].tolist() == [5, 6]


def test_in_openvino(pairs: tuple[Path, Path], tmp_path: Path) -> None:
    """It reads both files; what it writes again, with other weights perhaps, is a pair that says nothing."""
    first, _ = pairs
    x = np.array([1, 1], np.float32)
    ((y,),) = run_openvino(first, [[x]], tmp_path)
    assert y.tolist() == [2, 3]
    again = tmp_path / "again.xml"
    saved_by_openvino(first, again)
    assert "digest" not in again.read_text()
    assert loomir.load(again).run({"x": x})["y"].tolist() == [2, 3]


def test_no_constants(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    body = "%y = ov.abs %x : (tensor<2xf32>) -> tensor<2xf32> func.return %y : tensor<2xf32>"
    (tmp_path / "m.mlir").write_text(f"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{ {body} }}")
    loomir.load(tmp_path / "m.mlir").save(path)
    loomir.load(path)
    path.with_suffix(".bin").unlink()
    loomir.load(path)
