"""Exceptions of passes that are not loomir's: `pass-failed`, with the line of the package that the pass is of."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import loomir
from loomir.compiler.extensions.loading import unloaded_afterwards
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.pipeline import run_passes
from tests.support import raises_error

PROGRAM = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %r = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %r : tensor<2xf32>
}
"""
EXTENSION = """import loomir
import numpy as np
from dataclasses import dataclass
from xdsl.passes import ModulePass

from loomir.dialects.region_flow import terminator
from xdsl.ir import Block

extension = loomir.Extension("failing")


@extension.named_pass
@dataclass(frozen=True)
class Failing(ModulePass):
    name = "acme-failing"
    how: str = "raise"

    def apply(self, ctx, op):
        {"raise": raises, "numpy": in_numpy, "loomir": in_loomir, "recursion": endless, "error": says}[self.how]()


def raises():
    raise ValueError("boom\\nand more")  # how=raise


def in_numpy():
    np.zeros(2).reshape(3)  # how=numpy


def in_loomir():
    terminator(Block())  # how=loomir


def endless():
    endless()  # how=recursion


def says():
    raise loomir.Error("acme-refuses", "not for this one")
"""


def line_of(how: str) -> int:
    """The line of the extension that raises."""
    return next(n for n, line in enumerate(EXTENSION.splitlines(), 1) if line.endswith(f"# how={how}"))


@pytest.fixture
def extension(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "failing.py"
    path.write_text(EXTENSION)
    with unloaded_afterwards():
        yield path


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("raise", "ValueError: boom and more"),
        ("numpy", "ValueError: cannot reshape"),
        ("loomir", "AssertionError: a block without a terminator"),
        ("recursion", "RecursionError"),
    ],
)
def test_an_exception(extension: Path, how: str, said: str) -> None:
    loomir.load_extension(extension)
    module = parse_module(PROGRAM)
    place = f"({extension}:{line_of(how)})"
    with raises_error("pass-failed", f"the pass acme-failing failed: {said}", place) as info:
        run_passes(module, f"acme-failing{{how={how}}}")
    assert info.value.__cause__ is not None


def test_an_error(extension: Path) -> None:
    """It is the pass's own word."""
    loomir.load_extension(extension)
    with raises_error("acme-refuses", "not for this one"):
        run_passes(parse_module(PROGRAM), "acme-failing{how=error}")


@pytest.mark.parametrize("command", [["loomir_main", "run"], ["loomir_opt"]], ids=lambda c: c[0])
@pytest.mark.parametrize("traceback", [False, True])
def test_commands(extension: Path, tmp_path: Path, command: list[str], traceback: bool) -> None:
    model = tmp_path / "m.mlir"
    model.write_text(PROGRAM)
    option = "-p" if command == ["loomir_opt"] else "--pipeline"
    line = [sys.executable, "-m", f"loomir.tools.{command[0]}", *command[1:], str(model)]
    line += ["--extension", str(extension), option, "acme-failing", *(["--traceback"] if traceback else [])]
    result = subprocess.run(line, capture_output=True, text=True)
    assert result.returncode == 1
    place = line_of("raise")
    assert (
        f"the pass acme-failing failed: ValueError: boom and more ({extension}:{place}) [pass-failed]"
        in result.stderr
    )
    assert "defect of loomir" not in result.stderr
    way = f'"{extension}", line {place}, in raises'
    assert ("Traceback" in result.stderr and way in result.stderr) is traceback
    # (The program, which xDSL adds to its exceptions, is no part of it.)
    assert "ov.add" not in result.stderr


def test_the_pass_mlir_opt_without_its_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with raises_error("pass-failed", "found no mlir-opt and no mlir-opt-22"):
        run_passes(ModuleOp([]), "mlir-opt")
