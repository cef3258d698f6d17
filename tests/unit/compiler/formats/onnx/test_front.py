"""FRONT as a user has it: what the importer builds, written by hand, loaded from a text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.model import ENGINES
from tests.support import raises_error

MODEL = """
<ir_version: 10, opset_import: ["" : 21]>
g (float[N,4] x, int64 n) => (float[N,4] y)
<float[4] w = {1, 2, 3, 4}, float[1] unread = {0}> {
  y = Loop (n, , x) <body = b (int64 i, bool c, float[N,4] v) => (bool c, float[N,4] next) { next = Add (v, w) }>
}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_text_of_front_runs(tmp_path: Path, engine: loomir.Engine) -> None:
    proto = onnx.parser.parse_model(MODEL)
    path = tmp_path / "m.mlir"
    path.write_text(str(load_front(proto)))
    model = loomir.load(path, shapes={"x": (2, 4)})
    y = model.run({"x": np.ones((2, 4), np.float32), "n": np.array(3)}, engine=engine)["y"]
    np.testing.assert_array_equal(y, [[4, 7, 10, 13]] * 2)


def test_shapes_values_and_names_are_in_it() -> None:
    module = str(load_front(onnx.parser.parse_model(MODEL), shapes={"x": (7, 4)}, values={"n": 2}))
    assert '%x: tensor<7x4xf32> {loomir.name = "x"}' in module
    assert '%n: tensor<i64> {loomir.name = "n", loomir.value = dense<2> : tensor<i64>}' in module
    assert "unread" not in module, "nothing reads it"


def test_what_onnxruntime_reads_otherwise_is_said_of_a_text_too(tmp_path: Path) -> None:
    text = MODEL.replace("bool c, float[N,4] next) {", "bool stop, float[N,4] next) { stop = Not (c)")
    path = tmp_path / "m.mlir"
    path.write_text(str(load_front(onnx.parser.parse_model(text))))
    feed = {"x": np.ones((1, 4), np.float32), "n": np.array(3)}
    with pytest.warns(loomir.SemanticsWarning, match=r"m\.mlir.*its condition is missing"):
        assert loomir.load(path).run(feed)["y"][0, 0] == 4
    assert loomir.load(path, semantics="onnxruntime").run(feed)["y"][0, 0] == 2


def test_errors_say_the_file_and_the_node(tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(
        """func.func @main(%x: tensor<2xf32> {loomir.name = "x"}) -> !onnx.unknown {
  %y = onnx.node "Fused" 1 in "com.example" named "the one" (%x) : (tensor<2xf32>) -> !onnx.unknown
  func.return %y : !onnx.unknown
}"""
    )
    with raises_error("unknown-operator", f"{path}:2:8", "'the one' (Fused)", "com.example"):
        loomir.load(path).lowered("structured")
