"""The options of `loomir convert`.

Each does what its function of tools/model_optimizer/convert does, and says its own name where its value is wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from loomir.compiler.formats import convert_front, load_unconverted
from loomir.compiler.model import Model
from loomir.tools.loomir_main import main
from loomir.tools.model_optimizer.convert.cutting import apply_input_options
from loomir.tools.model_optimizer.convert.preprocessing import normalise_inputs
from loomir.tools.model_optimizer.convert.preprocessing_options import (
    PreprocessingOptions,
    parse_layouts,
    parse_values,
)
from loomir.tools.model_optimizer.convert.specifications import input_options, parse_outputs
from tests.unit.tools.model_optimizer.mo.test_loading import names_go
from tests.unit.tools.test_loomir_main import fails

__all__ = ["names_go"]

TEXT = """
<ir_version: 10, opset_import: ["" : 20]>
image (float[N,3,4,5] x, float[1] by) => (float[N,3,4,5] y)
{
    ["relu"] a = Relu (x)
    ["times"] b = Mul (a, by)
    ["add"] y = Add (b, by)
}
"""
OFF = [
    part for id in ("CleanUp", "FuseBatchNorm", "FuseSwish", "RemoveIdentity") for part in ("--disable", id)
]
"""Switches for transformations that would change the functions' results."""


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "image.onnxtxt"
    path.write_text(TEXT)
    return path


def by_functions(path: Path, options: PreprocessingOptions | None, **given: str) -> str:
    module = load_unconverted(path)
    outputs = parse_outputs(given.pop("output")) if "output" in given else None
    layouts = options.layouts if options is not None else ()
    apply_input_options(module, input_options(**given), outputs, layouts)
    convert_front(module)
    if options is not None:
        normalise_inputs(module, options)
    return (
        Model(module)
        .optimize("ov-remove-unneeded,ov-infer,ov-fold-constants{keep-shapeof=true}")
        .mlir("graph")
    )


@pytest.mark.parametrize(
    ("arguments", "given", "options"),
    [
        (["--input", "relu[2,3,4,5],by"], {"input": "relu[2,3,4,5],by"}, None),
        (["--output", "times"], {"output": "times"}, None),
        (["--input-shape", "[7,3,4,5],[1]", "--input", "x,by"], {"input_shape": "[7,3,4,5],[1]", "input": "x,by"}, None),
        (["--freeze", "by->2.5"], {"freeze": "by->2.5"}, None),
        (["--batch", "6", "--layout", "x(nchw),by(c)"], {"batch": "6"}, PreprocessingOptions(layouts=parse_layouts("x(nchw),by(c)"))),
        (["--mean-values", "x[1,2,3]"], {}, PreprocessingOptions(parse_values("mean-values", "x[1,2,3]"))),
        (["--scale-values", "x[4]"], {}, PreprocessingOptions((), parse_values("scale-values", "x[4]"))),
        (["--scale", "2"], {}, PreprocessingOptions(scale=2.0)),
        (["--reverse-input-channels"], {}, PreprocessingOptions(reverse_channels=True)),
        (
            ["--mean-values", "x[1,2,3,4,5]", "--layout", "x(nhwc)"],
            {},
            PreprocessingOptions(parse_values("mean-values", "x[1,2,3,4,5]"), layouts=parse_layouts("x(nhwc)")),
        ),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)  # fmt: skip
def test_option_is_its_function(
    arguments: list[str],
    given: dict[str, str],
    options: PreprocessingOptions | None,
    image: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["convert", str(image), *arguments, *OFF])
    assert capsys.readouterr().out.rstrip() == by_functions(image, options, **given).rstrip()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--input", "x[2"),
        ("--output", ","),
        ("--input-shape", "2,3"),
        ("--freeze", "by"),
        ("--batch", "none"),
        ("--layout", "x(n"),
        ("--mean-values", "x"),
        ("--scale-values", "x[0]"),
        ("--scale", "0"),
    ],
)
def test_wrong_value_is_named(
    option: str, value: str, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the hint is one that the command takes."""
    message = fails(capsys, "convert", str(image), option, value)
    assert "[bad-option]" in message
    assert f"{option} '{value}': " in message
    assert f"for example: {option} " in message


def test_options_without_a_value_are_named_too(image: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = fails(
        capsys,
        "convert",
        str(image),
        "--reverse-input-channels",
        "--output",
        "add",
        "--input",
        "relu[2,4],by",
    )
    assert "--reverse-input-channels: no input has 3 channels" in message
    for option in ("--enable", "--disable"):
        assert "unknown transformation 'Nothing'" in fails(capsys, "convert", str(image), option, "Nothing")


def test_extensions_of_the_old_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The example: what nobody knows is there without them, and a folder without extensions is refused."""
    example = Path(__file__).parents[4] / "examples" / "convert"
    main(["convert", str(example / "scores.onnxtxt"), "--output", "halve"])
    assert 'ov.custom "Halve"' in capsys.readouterr().out
    folder = str(example / "mo_extensions")
    main(["convert", str(example / "scores.onnxtxt"), "--output", "halve", "--mo-extensions", folder])
    printed = capsys.readouterr().out
    assert "ov.multiply" in printed
    assert "ov.custom" not in printed
    main(["convert", str(example / "scores.onnxtxt"), "--mo-extensions", folder, "--print-pipeline"])
    assert "ModelOptimizerFront" in capsys.readouterr().out
    message = fails(capsys, "convert", str(example / "scores.onnxtxt"), "--mo-extensions", str(tmp_path))
    assert "there are no extensions in the directory [mo-extension-broken]" in message
