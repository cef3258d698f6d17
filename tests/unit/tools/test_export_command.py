"""`loomir export`, and `--save` of `loomir convert`."""

from __future__ import annotations

from pathlib import Path

import pytest

import loomir
from loomir.tools.loomir_main import main

MODEL = Path(__file__).parents[2] / "fixtures" / "ad01_fp32.xml"


def test_a_model_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.xml"
    main(["export", str(MODEL), "-o", str(path)])
    assert capsys.readouterr().out == f"{path}, {path.with_suffix('.bin')}\n"
    assert [i.name for i in loomir.load(path).inputs] == [i.name for i in loomir.load(MODEL).inputs]


def test_weights_in_16_bits(tmp_path: Path) -> None:
    """Less than two thirds of the bytes: biases and other small constants stay."""
    for name, options in (("whole", []), ("half", ["--compress-to-fp16"])):
        main(["export", str(MODEL), "-o", str(tmp_path / f"{name}.xml"), *options])
    sizes = [(tmp_path / f"{name}.bin").stat().st_size for name in ("whole", "half")]
    assert sizes[1] < sizes[0] * 2 / 3


def test_converted_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.xml"
    main(["convert", str(MODEL), "--save", str(path)])
    assert capsys.readouterr().out == f"{path}, {path.with_suffix('.bin')}\n"
    loomir.load(path)


def test_what_stops_a_program_may_be_left_out(tmp_path: Path) -> None:
    source = tmp_path / "m.mlir"
    source.write_text("""
func.func @main(%x: tensor<8xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %y = ov.gather %x, %i, %a {out_of_range = "error"} : (tensor<8xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}""")
    for checks, found in (("keep", True), ("drop", False)):
        main(["export", str(source), "-o", str(tmp_path / "m.xml"), "--run-time-checks", checks])
        assert ("Select" in (tmp_path / "m.xml").read_text()) == found


@pytest.mark.parametrize(
    ("path", "said"),
    [("m.bin", "[bad-option]"), ("no/m.xml", "[file-unwritable]"), ("m\0.xml", "[file-unwritable]")],
)
def test_where_it_cannot_be_written(
    path: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["export", str(MODEL), "-o", f"{tmp_path}/{path}"])
    assert said in capsys.readouterr().err
