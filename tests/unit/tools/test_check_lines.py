"""Generated lit tests pass, fail when the result is another one, and are generated again as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomir.tools.loomir_opt import LoomirOpt
from tests.run_lines import LitFailure, LitTest

ROOT = Path(__file__).parents[3]
TWO_ARMS = """\
// What it is about.
func.func @arms(%c: tensor<i1>, %x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %k = ov.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %r = ov.if %c -> (tensor<2x2xf32>) {
    %a = ov.add %x, %k : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    ov.yield %a : tensor<2x2xf32>
  } else {
    %a = ov.subtract %x, %k : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    ov.yield %a : tensor<2x2xf32>
  }
  func.return %r : tensor<2x2xf32>
}

// -----

func.func private @declared(f32)
func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {
  func.return %0 : tensor<2xf32>
}
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "two arms.mlir"
    path.write_text(TWO_ARMS)
    return path


def generated(folder: Path, *arguments: str | Path) -> Path:
    """The test that the command writes."""
    path = folder / "generated.mlir"
    LoomirOpt([*map(str, arguments), "--generate-checks", "-o", str(path)]).run()
    return path


def run(test: Path, folder: Path) -> None:
    LitTest(test, folder).run()


@pytest.mark.parametrize(
    "options",
    [
        ("--split-input-file", "--cse", "-p", "O1"),
        ("--split-input-file", "--print-op-generic"),
        ("-p", "ov-loop-unroll{max-trips=3},func.func(cse)"),
    ],
    ids=" ".join,
)
def test_of_text(options: tuple[str, ...], text: Path, tmp_path: Path) -> None:
    input_ = text if "--split-input-file" in options else ROOT / "tests/lit/tools/loomir_opt/upstream.mlir"
    made = generated(tmp_path, input_, *options)
    written = made.read_text()
    assert str(input_) not in written
    run(made, tmp_path)
    generated(tmp_path, made, *options)
    assert made.read_text() == written


@pytest.mark.parametrize("stage", ["graph", "structured", "loops"])
def test_of_a_model(stage: str, tmp_path: Path) -> None:
    """The program that is imported becomes the text of the test, without the options about models."""
    made = generated(tmp_path, ROOT / "examples/controlflow.xml", "-O2", "--verify-stage", stage)
    run(made, tmp_path)


def test_it_fails_for_another_result(text: Path, tmp_path: Path) -> None:
    made = generated(tmp_path, text, "--split-input-file")
    written = made.read_text()
    # A use of another value, a constant, an operation, a line too many.
    for right, wrong in (
        ("ov.add %x, %k", "ov.add %k, %x"),
        ("[3.0, 4.0]]> :", "[3.0, 5.0]]> :"),
        ("ov.subtract %x", "ov.multiply %x"),
        ("  func.return %0", "  %y = ov.tanh %0 : (tensor<2xf32>) -> tensor<2xf32>\n  func.return %0"),
    ):
        assert written.count(right) == 1
        made.write_text(written.replace(right, wrong))
        with pytest.raises(LitFailure):
            run(made, tmp_path)


def test_names_of_values_do_not_matter(text: Path, tmp_path: Path) -> None:
    made = generated(tmp_path, text, "--split-input-file")
    made.write_text(made.read_text().replace("%x", "%another").replace("%r", "%7"))
    run(made, tmp_path)


def test_other_targets_have_none(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        generated(tmp_path, text, "--split-input-file", "-t", "c")
    assert "[bad-option]" in capsys.readouterr().err
