"""The public interface: loading, fixing shapes and values, feeding, pipelines, and its errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.feeds import TensorInfo
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.lowering import lower
from loomir.compiler.model import Model
from loomir.compiler.pass_options import with_options
from loomir.compiler.pipeline import PIPELINES
from loomir.tools.arguments import parse_shapes, parse_values
from tests.support import raises_error

SOURCE = """
func.func @main(%x: tensor<?x2xf32> {loomir.name = "x"}, %n: tensor<i64> {loomir.name = "n"}) -> (tensor<?x2xf32> {loomir.name = "y"}) {
  %f = ov.convert %n {destination_type = f32} : (tensor<i64>) -> tensor<f32>
  %y = ov.multiply %x, %f : (tensor<?x2xf32>, tensor<f32>) -> tensor<?x2xf32>
  func.return %y : tensor<?x2xf32>
}
"""
ENGINES = ("graph", "structured", "loops", "interpreter", "native")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "scale.mlir"
    file.write_text(SOURCE)
    return file


def test_inputs_and_outputs(path: Path) -> None:
    model = loomir.load(path)
    assert [str(t) for t in model.inputs] == ["x: float32[?,2]", "n: int64[]"]
    assert [str(t) for t in model.outputs] == ["y: float32[?,2]"]


@pytest.mark.parametrize("engine", ENGINES)
def test_open_shapes_are_specialised_to_the_feed(path: Path, engine) -> None:
    """Three and five rows in turn, by the same Model; never to its values."""
    model = loomir.load(path)
    for rows, factor in ((3, 2), (5, 2), (3, -1)):
        x = np.arange(2 * rows, dtype=np.float32).reshape(rows, 2)
        (y,) = model.run({"x": x, "n": np.int64(factor)}, engine=engine).values()
        np.testing.assert_array_equal(y, x * factor)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_feed_is_checked_once(path: Path, engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the Model, and not by its engine again."""
    checked: list[str] = []
    fitted = TensorInfo.fitted
    monkeypatch.setattr(
        TensorInfo, "fitted", lambda self, given: checked.append(self.name) or fitted(self, given)
    )
    loomir.load(path).run({"n": 2, "x": [[1, 2]]}, engine=engine)
    assert checked == ["x", "n"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_fixed_value_may_be_fed_or_left_out(path: Path, engine) -> None:
    model = loomir.load(path, shapes={"x": [1, 2]}, values={"n": 3})
    x = np.array([[1, 2]], np.float32)
    for feed in ({"x": x}, {"x": x, "n": np.int64(3)}, {"x": [[1, 2]], "n": 3}):
        np.testing.assert_array_equal(model.run(feed, engine=engine)["y"], 3 * x)
    with raises_error("input-value", "'n'"):
        model.run({"x": x, "n": np.int64(4)}, engine=engine)


def test_feeds_that_do_not_fit(path: Path) -> None:
    model = loomir.load(path)
    x, n = np.zeros((1, 2), np.float32), np.int64(1)
    with raises_error("input-missing", "'n"):
        model.run({"x": x})
    with raises_error("input-unknown", "'z'"):
        model.run({"x": x, "n": n, "z": x})
    with raises_error("input-dtype", "float64"):
        model.run({"x": x.astype(np.float64), "n": n})
    with raises_error("input-shape", "[1, 3]"):
        model.run({"x": np.zeros((1, 3), np.float32), "n": n})
    with raises_error("bad-engine", "'gpu'"):
        model.run({"x": x, "n": n}, engine="gpu")  # pyright: ignore[reportArgumentType]


def test_shapes_and_values_that_do_not_fit(path: Path) -> None:
    with raises_error("unknown-input", "'z'", "x, n"):
        loomir.load(path, shapes={"z": [1]})
    with raises_error("shape-mismatch", "[1, 3]"):
        loomir.load(path, shapes={"x": [1, 3]})
    with raises_error("value-mismatch", "cannot hold"):
        loomir.load(path, values={"n": 1.5})
    with raises_error("value-mismatch", "[2]"):
        loomir.load(path, values={"n": [1, 2]})


ENDLESS = """
func.func @main(%x: tensor<i64> {{loomir.name = "x"}}, %n: tensor<i64> {{loomir.name = "n"}}) -> (tensor<i64> {{loomir.name = "y"}}) {{
  %y = ov.loop {trip} carried(%x) : ({types}tensor<i64>) -> tensor<i64> {{
  ^bb0(%i: tensor<i64>, %acc: tensor<i64>):
    %t = ov.add %acc, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = ov.maximum %t, %acc : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %more = ov.less %s, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next {cond} carried(%s : tensor<i64>)
  }}
  func.return %y : tensor<i64>
}}
"""


@pytest.mark.parametrize(
    ("trip", "cond"), [("", "while(%more)"), ("trip(%n)", "while(%more)"), ("trip(%n)", ""), ("", "")]
)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_endless_loop_is_stopped(engine, trip: str, cond: str, tmp_path: Path) -> None:
    """By `max_iterations`, in C too: a while loop, and a counted one, with or without a trip count."""
    file = tmp_path / "endless.mlir"
    file.write_text(ENDLESS.format(trip=trip, cond=cond, types="tensor<i64>, " if trip else ""))
    model = loomir.load(file, max_iterations=20)
    if cond:
        # 0 + 1 + … + 19 = 190 is reached in the twentieth iteration, 191 would take one more.
        assert model.run({"x": 0, "n": 190}, engine=engine)["y"] == 190
        assert model.run({"x": 0, "n": 3}, engine=engine)["y"] == 3
    elif trip:
        assert model.run({"x": 0, "n": 20}, engine=engine)["y"] == 190
    else:
        # Nothing could end it: it is refused when it starts.
        with raises_error("endless-loop", "never ends"):
            model.run({"x": 0, "n": 0}, engine=engine)
        return
    with raises_error("limit-iterations"):
        model.run({"x": 0, "n": 191 if cond else 21}, engine=engine)


def test_c_counts_no_iterations_unless_asked(tmp_path: Path) -> None:
    file = tmp_path / "endless.mlir"
    file.write_text(ENDLESS.format(trip="", cond="while(%more)", types=""))
    for limit in (None, 20):
        assert "cf.assert" not in loomir.load(file, max_iterations=limit).mlir("loops")
    module = loomir.load(file).module
    assert "limit: a loop runs for more than 20 iterations" in str(lower(module, "loops", max_iterations=20))
    assert "cf.assert" not in str(lower(module, "loops"))
    with raises_error("bad-option", "max-iterations=-1"):
        lower(module, "loops", max_iterations=-1)


def test_arguments_that_a_method_does_not_take(tmp_path: Path) -> None:
    module = parse_module(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\nfunc.return %x : tensor<2xf32>\n}"
    )
    model = Model(module)
    with raises_error("bad-option", "emit_c: missing a required argument: 'directory'"):
        model.emit_c(name="flow")  # pyright: ignore[reportCallIssue]
    with raises_error("bad-option", "emit_c: got an unexpected keyword argument 'folder'"):
        model.emit_c(tmp_path, folder="x")  # pyright: ignore[reportCallIssue]
    with raises_error("bad-option", "optimize: too many positional arguments"):
        model.optimize("cse", "cse")  # pyright: ignore[reportCallIssue]


def test_limits_hold_whatever_a_pipeline_says(tmp_path: Path) -> None:
    """Of two bounds on iterations the smaller one counts."""
    file = tmp_path / "endless.mlir"
    file.write_text(ENDLESS.format(trip="trip(%n) ", cond="", types="tensor<i64>, "))
    for given, spelled, least in ((10, 30, 10), (30, 10, 10), (10, None, 10)):
        passes = with_options(PIPELINES["structured"], "convert-ov-loop-to-scf", max_iterations=spelled)
        pipelines = {**PIPELINES, "structured": passes}
        model = loomir.load(file, max_iterations=given, pipelines=pipelines)
        assert model.run({"x": 0, "n": least}, engine="native")
        with raises_error("limit-iterations"):
            model.run({"x": 0, "n": least + 1}, engine="native")


def test_pipelines(path: Path) -> None:
    model = loomir.load(path, shapes={"x": [1, 2]})
    assert model.optimize("canonicalize,cse").mlir() == model.mlir()
    with raises_error("bad-pipeline"):
        model.optimize("no-such-pass")
    with raises_error("bad-pipeline"):
        model.optimize("ov-loop-unroll{max-trips=}")
    with raises_error("bad-stage"):
        lower(model.module, "metal")


def test_text_parses_back_to_the_same_program(path: Path) -> None:
    """At every stage, and with large constants left out, in one process."""
    model = loomir.load(path, shapes={"x": [1, 2]})
    for stage in ("graph", "structured", "loops"):
        text = model.mlir(stage)
        assert str(parse_module(text)) == text


def test_mlir_that_is_none(tmp_path: Path) -> None:
    with raises_error("mlir-syntax"):
        parse_module("func.func @main(")
    with raises_error("mlir-invalid"):
        parse_module("func.func @main(%a: tensor<f32>) -> tensor<f64> { func.return %a : tensor<f32> }")
    with raises_error("no-main"):
        Model(parse_module("func.func @other() { func.return }")).inputs  # noqa: B018
    with raises_error("file-unreadable"):
        loomir.load(tmp_path / "nowhere.mlir")


def test_options_of_the_tools() -> None:
    assert parse_shapes(["a=1,2", "b=c=3", "s="]) == {"a": [1, 2], "b=c": [3], "s": []}
    assert parse_values(["sr=16000", "x=1,2.5", "b=true"]) == {"sr": 16000, "x": [1, 2.5], "b": True}
    for bad in ("a", "=1", "a=1,x", "a=-1"):
        with raises_error("bad-option"):
            parse_shapes([bad])
    with raises_error("bad-option"):
        parse_values(["a=b"])


def test_input_fixed_to_nan_may_be_fed() -> None:
    text = '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x, float[2] z) => (float[2] y) { y = Add(x, z) }'
    nan = np.array([np.nan, 1], np.float32)
    model = loomir.load(onnx.parser.parse_model(text), values={"z": nan})
    outputs = model.run({"x": np.ones(2, np.float32), "z": nan})
    np.testing.assert_array_equal(outputs["y"], nan + 1)
    with raises_error("input-value"):
        model.run({"x": np.ones(2, np.float32), "z": np.ones(2, np.float32)})


def test_an_output_that_is_an_input_has_its_shape(tmp_path: Path) -> None:
    """No pass before inference sees a function that says something else than it returns."""
    file = tmp_path / "through.mlir"
    file.write_text(
        'func.func @main(%x: tensor<?x2xf32> {loomir.name = "x"}) -> tensor<?x2xf32> { func.return %x : tensor<?x2xf32> }'
    )
    model = loomir.load(file, optimize=False, shapes={"x": [3, 2]})
    model.module.verify()
    assert model.for_feed({"x": np.ones((3, 2), np.float32)}).run({"x": np.ones((3, 2), np.float32)})
    loomir.load(file, shapes={"x": [3, 2]}, check_each_pass=True)
