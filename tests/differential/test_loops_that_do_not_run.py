"""Loop bodies that the shapes of a feed make invalid.

Every engine raises an error if an iteration runs, and none if no iteration does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from tests.support import raises_error

ENGINES = ("graph", "structured", "loops", "interpreter", "native")

BODIES = {
    "carried": """y, z = Loop (n, "", x) <body = b (int64 i, bool c, float[p] s) => (bool d, float[p] t, float[r] u) {
      d = Identity (c) t = Add (s, w) u = Mul (t, w) }>""",
    "inside another loop": """y, z = Loop (two, "", x) <body = b (int64 i, bool c, float[p] s) => (bool d, float[p] t, float[r] u) {
      d = Identity (c)
      t = Loop (n, "", s) <body = inner (int64 j, bool e, float[p] v) => (bool f, float[p] g) { f = Identity (e) g = Add (v, w) }>
      u = Identity (t) }>""",
    "around another loop": """y, z = Loop (n, "", x) <body = b (int64 i, bool c, float[p] s) => (bool d, float[p] t, float[r] u) {
      d = Identity (c)
      t = Loop (two, "", s) <body = inner (int64 j, bool e, float[p] v) => (bool f, float[p] g) { f = Identity (e) g = Add (v, w) }>
      u = Identity (t) }>""",
    "by a condition": """go = Greater (n, zero)
      y, z = Loop ("", go, x) <body = b (int64 i, bool c, float[p] s) => (bool d, float[p] t, float[r] u) {
        k = Sub (n, one) d = Less (i, k) t = Add (s, w) u = Mul (t, w) }>""",
    "in a branch": """here = Greater (n, zero)
      y, z = If (here) <then_branch = a () => (float[p] q, float[k,r] o) {
        q, o = Loop (n, "", x) <body = b (int64 i, bool c, float[p] s) => (bool d, float[p] t, float[r] u) {
          d = Identity (c) t = Add (s, w) u = Mul (t, w) }> },
        else_branch = e () => (float[p] q2, float[k,r] o2) { q2 = Identity (x) e1 = Unsqueeze (x, none) o2 = Slice (e1, none, none) }>""",
}


def program(body: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 21]>
        g (int64 n, float[p] x, float[q] w) => (float[p] y, float[k,r] z) {{
          two = Constant <value_int = 2> () one = Constant <value_int = 1> () zero = Constant <value_int = 0> ()
          none = Constant <value_ints = [0]> () {body} }}"""
    )


def feed(n: int, p: int, q: int) -> dict[str, Any]:
    return {"n": np.array(n), "x": np.arange(p, dtype=np.float32), "w": np.ones(q, np.float32)}


@pytest.mark.parametrize("name", BODIES)
def test_every_engine_alike(name: str) -> None:
    model = loomir.load(program(BODIES[name]))
    runs = model.run(feed(2, 3, 3), engine="graph")
    for engine in ENGINES:
        again = model.run(feed(2, 3, 3), engine=engine)
        assert all(np.array_equal(again[k], v) for k, v in runs.items())
        # Shapes that do not go together: no iteration of what adds them runs.
        outputs = model.run(feed(0, 2, 3), engine=engine)
        np.testing.assert_array_equal(outputs["y"], [0, 1])
        assert outputs["z"].shape == model.run(feed(0, 2, 3), engine="graph")["z"].shape
        for trips in (1, 2):
            with raises_error("runtime-shape"):
                model.run(feed(trips, 2, 3), engine=engine)
        if engine in ("structured", "loops", "interpreter"):
            with pytest.raises(loomir.Error, match=r"(?s)'Add:.*shapes .2. and .3. do not broadcast"):
                model.run(feed(1, 2, 3), engine=engine)


@pytest.mark.parametrize("name", ["carried", "by a condition", "inside another loop"])
def test_shapes_that_are_fixed(name: str) -> None:
    """Loaded, and with every pass checked: only the trip count is open."""
    model = loomir.load(program(BODIES[name])).with_shapes({"x": [2], "w": [3]})
    for engine in ENGINES:
        np.testing.assert_array_equal(model.run(feed(0, 2, 3), engine=engine)["y"], [0, 1])
        with raises_error("runtime-shape"):
            model.run(feed(1, 2, 3), engine=engine)


def test_a_loop_that_surely_runs_or_not() -> None:
    text = BODIES["carried"]
    with raises_error("broadcast-shapes", "'Add:t'"):
        loomir.load(program(text), values={"n": 1}).with_shapes({"x": [2], "w": [3]})
    never = loomir.load(program(text), values={"n": 0}).with_shapes({"x": [2], "w": [3]})
    for engine in ENGINES:
        assert never.run(feed(0, 2, 3), engine=engine)["y"].shape == (2,)
