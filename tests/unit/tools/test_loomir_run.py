"""`loomir-run`: xDSL's runner with loomir's functions (D21)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.tools.xdsl_run import xDSLRunMain

import loomir
from loomir.tools import loomir_run
from loomir.tools.loomir_run import LoomirRun
from tests.support import raises_error

CONTROL_FLOW = Path(__file__).parents[3] / "examples" / "controlflow.xml"

SUMS = """func.func @sums(%x: memref<4xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<16xi8>
  %v = memref.view %a[%c0][] : memref<16xi8> to memref<4xf32>
  "memref.copy"(%x, %v) : (memref<4xf32>, memref<4xf32>) -> ()
  %e = memref.expand_shape %v [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  %c = memref.collapse_shape %e [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z) -> (f32) {
    %u = memref.load %c[%i] : memref<4xf32>
    %w = math.absf %u : f32
    %b = arith.addf %t, %w : f32
    scf.yield %b : f32
  }
  func.return %s : f32
}"""
VALUES = "dense<[1.0, -2.0, 3.5, -4.0]> : tensor<4xf32>"


def ran(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    (tmp_path / "text.mlir").write_text(text)
    LoomirRun([str(tmp_path / "text.mlir"), "--verbose", *options]).run()
    return capsys.readouterr().out


def test_it_is_xdsl_s_own() -> None:
    assert issubclass(LoomirRun, xDSLRunMain)


@pytest.mark.parametrize(("count", "total"), [(0, 0.0), (3, 6.5), (4, 10.5)])
def test_a_plain_function(
    count: int, total: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = "--symbol", "sums", "--args", f"{VALUES}, {count} : index"
    assert ran(SUMS, tmp_path, capsys, *options) == f"result: {total}\n"


@pytest.mark.parametrize("stage", ["structured", "loops"])
def test_inputs_and_outputs_by_name(
    stage: loomir.Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Buffers of outputs and the arena are not given, and what is printed is what a run of the model prints."""
    model = loomir.load(CONTROL_FLOW)
    text = model.mlir(stage, full_constants=True)  # type: ignore[arg-type]
    printed = ran(text, tmp_path, capsys, "--args", "dense<0.5> : tensor<8x16xf32>")
    loomir_run.print_outputs(model.run({"x": np.full((8, 16), 0.5, np.float32)}, engine="interpreter"))
    assert printed == capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "identifier", "said"),
    [
        (["--args", VALUES], "bad-option", "1 values for the 2 arguments"),
        (["--args", f"{VALUES}, 3.0 : f32"], "bad-option", "3.0"),
        (["--args", "dense<1> : tensor<4xi32>, 3 : index"], "bad-option", "memref<4xf32>"),
        (["--args", "dense<1.0> : tensor<2x2xf32>, 3 : index"], "bad-option", "memref<4xf32>"),
        (["--args", '"three", 3 : index'], "bad-option", "three"),
        (["--args", "dense<[1.0"], "bad-option", "--args"),
        (["--symbol", "nobody"], "no-main", "nobody"),
        (["--args", f"{VALUES}, 5 : index"], "runtime-program", "memref.load"),
        (["--args", f"{VALUES}, 4 : index", "--max-iterations", "3"], "limit-iterations", "3"),
    ],
)
def test_mistakes(
    options: list[str], identifier: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with raises_error(identifier, said):
        ran(SUMS, tmp_path, capsys, "--symbol", "sums", *options)


def test_mistakes_about_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = loomir.load(CONTROL_FLOW).mlir("loops", full_constants=True)
    with raises_error("input-missing", "'x'"):
        ran(text, tmp_path, capsys)
    with raises_error("input-shape", "'x'"):
        ran(text, tmp_path, capsys, "--args", "dense<0.5> : tensor<8xf32>")
    with raises_error("not-of-stage", "text.mlir", "operations of GRAPH"):
        ran(loomir.load(CONTROL_FLOW).mlir("graph"), tmp_path, capsys)
    with raises_error("bad-option", "2 values for 1 inputs"):
        ran(text, tmp_path, capsys, "--args", "1.0 : f32, 2.0 : f32")


def test_the_command_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["loomir-run", str(CONTROL_FLOW)])
    with pytest.raises(SystemExit) as stop:
        loomir_run.main()
    assert stop.value.code == 1
    assert capsys.readouterr().err.startswith("loomir-run: error: ")
    monkeypatch.setattr("sys.argv", ["loomir-run", str(tmp_path / "nothing.mlir")])
    with pytest.raises(SystemExit):
        loomir_run.main()
    assert "[file-unreadable]" in capsys.readouterr().err
