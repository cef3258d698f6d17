"""Reshapes to shapes that are known when run: every engine computes them, in as much room as there are elements."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.engines.native import CStatus, build_program, run_program
from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.model import ENGINES, Engine
from tests.differential.oracle import assert_engines_agree, run_onnxruntime
from tests.differential.test_regressions import parse
from tests.support import assert_all_agree, raises_error
from tests.support_tools import SANITIZE, sanitizing_compilers

CHAIN = """
main (float[{elements}] x, int64[2] s, int64[1] t) => (float[a, b] y, float[c] z) {{
  r = Reshape (x, s)
  e = Tanh (r)
  half = Constant <value_float = 0.5> ()
  h = Mul (e, half)
  y = Transpose <perm = [1, 0]> (h)
  z = Reshape (y, t)
}}
"""
LOOP = """
main (float[6] x, int64[2] s, int64[2] t, int64 n, bool go) => (float[a, b] y, float[c, d] z) {
  first = Reshape (x, s)
  y = Loop (n, "", first) <body = body (int64 i, bool c, float[p, q] a) => (bool again, float[u, v] next) {
    again = Identity (c)
    turned = Transpose <perm = [1, 0]> (a)
    b = Reshape (turned, t)
    w = Sin (b)
    next = Transpose <perm = [1, 0]> (w)
  }>
  z = If (go) <
    then_branch = then () => (float[e, f] g) { g = Neg (y) },
    else_branch = else () => (float[h, j] k) { k = Reshape (x, t) }
  >
}
"""


def of_chain(elements: int) -> onnx.ModelProto:
    return parse(CHAIN.format(elements=elements))


def arena_and_room(elements: int) -> tuple[int, int]:
    """The bytes of the arena, and the elements of the output `y`."""
    code = emit_c(loomir.load(of_chain(elements)).lowered("loops"), "model")
    lines = [line.split() for line in code.header.splitlines()]
    found = {words[1]: int(words[2]) for words in lines if words[:1] == ["#define"] and len(words) == 3}
    return found["MODEL_ARENA_BYTES"], found["MODEL_Y_CAPACITY"]


@pytest.mark.parametrize("engine", ENGINES)
def test_chain(engine: Engine) -> None:
    model = of_chain(12)
    x = np.linspace(-2, 2, 12, dtype=np.float32)
    feeds = [{"x": x, "s": np.array(s), "t": np.array([12])} for s in ([3, 4], [12, 1], [-1, 6], [1, 12])]
    assert_engines_agree(loomir.load(model), feeds, run_onnxruntime(model, feeds), engines=[engine])


@pytest.mark.parametrize("engine", ENGINES)
def test_loop_and_branches(engine: Engine) -> None:
    model = parse(LOOP)
    x = np.linspace(-1, 1, 6, dtype=np.float32)
    feeds = [
        {"x": x, "s": np.array(s), "t": np.array(t), "n": np.array(n), "go": np.array(go)}
        for s, t, n, go in (
            ([2, 3], [6, 1], 3, True),
            ([1, -1], [3, 2], 0, False),
            ([6, 1], [2, 3], 1, False),
        )
    ]
    assert_engines_agree(loomir.load(model), feeds, run_onnxruntime(model, feeds), engines=[engine])


def test_under_sanitizers(tmp_path: Path) -> None:
    model = of_chain(12)
    code = loomir.load(model).emit_c(tmp_path)
    build_program(code, tmp_path, compiler=sanitizing_compilers()[:1], flags=("-O1", *SANITIZE))
    x = np.linspace(-2, 2, 12, dtype=np.float32)
    feeds = [
        {"x": x, "s": np.array(s), "t": np.array([12])}
        for s in ([3, 4], [12, 1], [-1, 6], [4, 4], [1 << 32, 1 << 32])
    ]
    expected = run_onnxruntime(model, feeds[:3])
    for feed, want in zip(feeds, expected):
        assert_all_agree(run_program(code, tmp_path, feed), want)
    for feed in feeds[3:]:
        with pytest.raises(CStatus, match="SHAPE"):
            run_program(code, tmp_path, feed)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", [[3, 5], [1 << 32, 1 << 32], [0, 100], [-1, 7]])
def test_another_number_of_elements_is_refused_before_it_is_written(engine: Engine, shape: list[int]) -> None:
    feed = {"x": np.zeros(12, np.float32), "s": np.array(shape), "t": np.array([12])}
    with raises_error("runtime-shape"):
        loomir.load(of_chain(12)).run(feed, engine=engine)


def test_room_is_that_of_the_elements() -> None:
    arena, room = arena_and_room(65536)
    assert room == 65536
    assert arena <= 3 * 4 * 65536


GUARDED = """
main (float[12] x, int64[2] s, int64 n) => (float y) {
  start = Constant <value_float = 0.0> ()
  y = Loop (n, "", start) <body = body (int64 i, bool c, float a) => (bool again, float next) {
    again = Identity (c)
    r = Reshape (x, s)
    e = Exp (r)
    t = Transpose <perm = [1, 0]> (e)
    u = Sin (t)
    sum = ReduceSum <keepdims = 0> (u)
    next = Add (a, sum)
  }>
}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_what_does_not_change_in_a_loop_stays_behind_the_question_of_its_size(engine: Engine) -> None:
    model = loomir.load(parse(GUARDED))
    feed = {"x": np.zeros(12, np.float32), "s": np.array([1 << 20, 1 << 20]), "n": np.array(0)}
    assert model.run(feed, engine=engine)["y"] == 0
    with raises_error("runtime-shape"):
        model.run({**feed, "n": np.array(2)}, engine=engine)
    right = model.run({**feed, "n": np.array(2), "s": np.array([4, 3])}, engine=engine)["y"]
    assert np.allclose(right, 24 * np.sin(1.0))


FALSE = """
func.func @main(%x: tensor<12xf32> {loomir.name = "x"}, %s: tensor<2xi64> {loomir.name = "s"})
    -> (tensor<?x?xf32, #ov.bounds<BOUNDS>> {loomir.name = "y"}) {
  %r = ov.reshape %x, %s : (tensor<12xf32>, tensor<2xi64>) -> tensor<?x?xf32, #ov.bounds<BOUNDS>>
  %y = ov.exp %r : (tensor<?x?xf32, #ov.bounds<BOUNDS>>) -> tensor<?x?xf32, #ov.bounds<BOUNDS>>
  func.return %y : tensor<?x?xf32, #ov.bounds<BOUNDS>>
}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_bounds_as_an_attribute_say_nothing_of_an_operation(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "attribute.mlir"
    text = FALSE.replace(", #ov.bounds<BOUNDS>", "")
    path.write_text(text.replace("ov.exp %r", "ov.exp %r {loomir.bounds = #ov.bounds<1, 1>}"))
    feed = {"x": np.zeros(12, np.float32), "s": np.array([3, 4])}
    assert np.array_equal(loomir.load(path).run(feed, engine=engine)["y"], np.ones((3, 4)))


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "graph"])
@pytest.mark.parametrize("bounds", ["12, 12, count = 11", "12, 12, count = 0", "3, 3", "?, ?, count = 1"])
def test_bounds_that_a_text_says_falsely_are_checked(tmp_path: Path, engine: Engine, bounds: str) -> None:
    path = tmp_path / "false.mlir"
    path.write_text(FALSE.replace("BOUNDS", bounds))
    with raises_error("runtime-capacity"):
        loomir.load(path).run({"x": np.zeros(12, np.float32), "s": np.array([3, 4])}, engine=engine)
