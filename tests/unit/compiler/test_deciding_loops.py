"""Loops whose iterations decide static parameters of an operation (axes).

Such a loop is unrolled below GRAPH if its trip count is known (B8).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from tests.support import raises_error

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
Expected = Callable[[int], np.ndarray]


def by_sums(n: int) -> np.ndarray:
    x = X
    for k in range(n):
        x = x - x.sum(k, keepdims=True)
    return x


def by_pairs(n: int) -> np.ndarray:
    x = X
    for k in range(n):
        for m in range(2):
            x = x - x.max(k + m, keepdims=True)
    return x


def backwards(n: int) -> np.ndarray:
    x = X
    for k in range(n):
        x = x - x.sum(2 - k, keepdims=True)
    return x


HEAD = "one = Constant <value_ints = [-1]> () c2 = Identity (c)"
BODIES: dict[str, tuple[str, Expected]] = {
    "the iteration number": (
        f"""y = Loop (n, "", x) <body = b (int64 i, bool c, float[p,q,r] v) => (bool c2, float[p,q,r] w) {{
          {HEAD} a = Reshape (i, one) s = ReduceSum (v, a) w = Sub (v, s) }}>""",
        by_sums,
    ),
    "a carried counter": (
        f"""begin = Constant <value_int = 2> ()
        y, z = Loop (n, "", x, begin) <body = b (int64 i, bool c, float[p,q,r] v, int64 k) => (bool c2, float[p,q,r] w, int64 j) {{
          {HEAD} a = Reshape (k, one) s = ReduceSum (v, a) w = Sub (v, s) step = Constant <value_int = 1> () j = Sub (k, step) }}>""",
        backwards,
    ),
    "two loops": (
        f"""two = Constant <value_int = 2> ()
        y = Loop (n, "", x) <body = b (int64 i, bool c, float[p,q,r] v) => (bool c2, float[p,q,r] w) {{ {HEAD}
          w = Loop (two, "", v) <body = e (int64 j, bool f, float[p,q,r] u) => (bool f2, float[p,q,r] t) {{
            f2 = Identity (f) k = Add (i, j) a = Reshape (k, one) s = ReduceMax (u, a) t = Sub (u, s) }}> }}>""",
        by_pairs,
    ),
}


def program(body: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(
        f"""<ir_version: 9, opset_import: ["" : 18]> g (float[2,3,4] x, int64 n) => (float[2,3,4] y) {{ {body} }}"""
    )


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "Os"])
@pytest.mark.parametrize("name", BODIES)
def test_axes_from_an_iteration(name: str, level: str, tmp_path: Path) -> None:
    body, expected = BODIES[name]
    model = loomir.load(program(body), level=level)
    for n in (0, 1, 2):
        feed = {"x": X, "n": np.array(n)}
        for engine in ("graph", "structured", "loops"):
            np.testing.assert_array_equal(model.run(feed, engine=engine)["y"], expected(n))
    fixed = loomir.load(program(body), level=level, values={"n": 2})
    np.testing.assert_array_equal(fixed.run({"x": X}, engine="native")["y"], expected(2))
    fixed.emit_c(tmp_path, "m", max_trips=100)


def test_trips_that_are_not_known_are_refused(tmp_path: Path) -> None:
    model = loomir.load(program(BODIES["the iteration number"][0]))
    with raises_error("unknown-axes", "fix 'n' with values="):
        model.emit_c(tmp_path)
