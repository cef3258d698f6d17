"""Loops that their data never end: an error of the emitted C and of the native engine, and no cost where trips are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler import model as models
from tests.support import raises_error

# `while (x > 1) x = x / 2`, and a number of trips that is fed.
HALVING = """g (float x, int64 n) => (float y, float z) {
  one = Constant <value = float {1}> () two = Constant <value = float {2}> () go = Greater (x, one)
  y = Loop ("", go, x) <body = b (int64 i, bool c, float v) => (bool d, float w) { w = Div (v, two) d = Greater (w, one) }>
  z = Loop (n, "", x) <body = e (int64 j, bool f, float u) => (bool h, float r) { r = Add (u, two) h = Identity (f) }>
}"""
STATIC = """g (float x) => (float y) {
  n = Constant <value_int = 40> () two = Constant <value = float {2}> ()
  y = Loop (n, "", x) <body = b (int64 i, bool c, float v) => (bool d, float w) { a = Sin (v) w = Div (a, two) d = Identity (c) }>
}"""


def parsed(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 18]> {text}')


def emitted(text: str, folder: Path, max_trips: int | None) -> str:
    return loomir.load(parsed(text)).emit_c(folder, "m", max_trips=max_trips).source


def test_the_limit_is_in_the_c(tmp_path: Path) -> None:
    assert "ERROR_LIMIT" not in emitted(HALVING, tmp_path, None)
    source = emitted(HALVING, tmp_path, 1000)
    assert source.count("return M_ERROR_LIMIT") == 2


def test_known_trips_cost_nothing(tmp_path: Path) -> None:
    assert emitted(STATIC, tmp_path, 40) == emitted(STATIC, tmp_path, None)
    assert "return M_ERROR_LIMIT" in emitted(STATIC, tmp_path, 39)


def test_a_native_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default, with the engines' own limit; no loop that ends before is any different."""
    monkeypatch.setattr(models, "DEFAULT_MAX_ITERATIONS", 1000)
    model = loomir.load(parsed(HALVING))
    feed = {"x": np.array(np.inf, np.float32), "n": np.array(3)}
    for engine in ("graph", "loops", "native"):
        with raises_error("limit-iterations"):
            model.run(feed, engine=engine)
    outputs = model.run({"x": np.array(40, np.float32), "n": np.array(1000)}, engine="native")
    assert (outputs["y"], outputs["z"]) == (0.625, 2040)
    with raises_error("limit-iterations"):
        model.run({"x": np.array(40, np.float32), "n": np.array(1001)}, engine="native")


@pytest.mark.parametrize("value", [-1, 1.5, True, "many"])
def test_the_option_is_checked(value: object, tmp_path: Path) -> None:
    with raises_error("bad-option"):
        loomir.load(parsed(STATIC)).emit_c(tmp_path, max_trips=value)  # pyright: ignore[reportArgumentType]
