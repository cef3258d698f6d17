"""Values of one element in the C of small ONNX programs: variables, without arena, checks or wrapping sums that ranges decide."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.levels import Level
from tests.support import assert_agree, raises_error
from tests.unit.compiler.test_model import ENGINES

ROWS = """
    one = Constant <value_ints = [1]> ()
    zero = Constant <value_ints = [0]> ()
    i1 = Reshape (i, one)
    at = Unsqueeze (i1, one)
    row = Gather <axis = 0> (x, i)
    up = Unsqueeze (row, zero)
"""


def loop(
    results: str, carried: str, body: str, initial: str, trips: str = "n = Constant <value_int = 32> ()"
) -> str:
    """A Loop that ends after its trips; `carried` are pairs of declarations, of the body's inputs and outputs."""
    before, after = carried.split(" -> ")
    return f"""{trips}
        {results} = Loop <body = b (int64 i, bool c, {before}) => (bool d, {after}) {{ d = Identity (c) {body} }}> (n, , {initial})"""


PROGRAMS = {
    "row_update": (
        "(float[32,8] x, float[64,8] t) => (float[64,8] y)",
        loop("y", "float[64,8] s -> float[64,8] r", f"{ROWS} r = ScatterND (s, at, up)", "t"),
    ),
    "store_load": (
        "(float[32,8] x, float[64,8] t) => (float[64,8] y, float[32,8] z)",
        loop(
            "y, z",
            "float[64,8] s -> float[64,8] r, float[8] o",
            f"{ROWS} r = ScatterND (s, at, up) back = Gather <axis = 0> (r, i) o = Add (back, back)",
            "t",
        ),
    ),
    "zero_fill": (
        "(float[32,8] x) => (float[32,8] y)",
        "shape = Constant <value_ints = [32, 8]> () t = ConstantOfShape (shape)"
        + loop("y", "float[32,8] s -> float[32,8] r", f"{ROWS} r = ScatterND (s, at, up)", "t"),
    ),
    "grow_concat": (
        "(float[32,8] x) => (float[k,8] y)",
        "shape = Constant <value_ints = [0, 8]> () t = ConstantOfShape (shape)"
        + loop("y", "float[m,8] s -> float[k,8] r", f"{ROWS} e = Exp (up) r = Concat <axis = 0> (s, e)", "t"),
    ),
    "strength": (
        "(float[256] x) => (float y)",
        "t = Constant <value_float = 0.0> ()"
        + loop(
            "y",
            "float s -> float r",
            "eight = Constant <value_int = 8> () k = Mul (i, eight) e = Gather <axis = 0> (x, k) r = Add (s, e)",
            "t",
        ),
    ),
    "frozen_flag": (
        "(float[32,8] x) => (float[8] y)",
        "eight = Constant <value_ints = [8]> () t = ConstantOfShape (eight) f = Constant <value_ints = [1]> () g = Cast <to = 9> (f)"
        + loop(
            "y, last",
            "float[8] s, bool[1] flag -> float[8] r, bool[1] following",
            f"""{ROWS}
            r = If (flag) <
              then_branch = t () => (float[8] a) {{ a = Add (s, row) }}, else_branch = e () => (float[8] k) {{ k = Identity (s) }}>
            sum = ReduceSum <keepdims = 1> (r, zero)
            limit = Constant <value_floats = [2.0]> ()
            small = Less (sum, limit)
            following = And (flag, small)""",
            "t, g",
        ),
    ),
    "rotate": (
        "(float[32] x) => (float[1] y)",
        "t = Constant <value_floats = [0.0]> () o = Constant <value_floats = [1.0]> ()"
        + loop(
            "y, z",
            "float[1] p, float[1] q -> float[1] r, float[1] s",
            "e = Gather <axis = 0> (x, i) h = Constant <value_float = 0.5> () m = Mul (p, h) r = Identity (q) s = Add (m, e)",
            "t, o",
        ),
    ),
    "data_index": (
        "(float[32,8] x, float[64,8] t, int64[32] k) => (float[64,8] y)",
        loop(
            "y",
            "float[64,8] s -> float[64,8] r",
            f"{ROWS} ki = Gather <axis = 0> (k, i) k1 = Reshape (ki, one) k2 = Unsqueeze (k1, one) r = ScatterND (s, k2, up)",
            "t",
        ),
    ),
}


def model_of(name: str) -> loomir.Model:
    interface, body = PROGRAMS[name]
    return loomir.load(
        onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {name} {interface} {{ {body} }}')
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_scalars_are_variables(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    code = model.emit_c(tmp_path, name=name)
    assert code.arena_bytes == 0
    run = code.source[code.source.index(f"{name}_status {name}_run(") :]
    # A select of a constant, and a buffer that is stored and read in the next line.
    assert not re.search(r"\b(true|false) \?", run)
    assert "buf[0] =" not in run
    if name != "data_index":
        assert "ERROR_INDEX" not in run
        assert "_index(" not in run
        assert "_index_i64(" not in run
    else:
        # One check of what the caller gives; behind it the index is known.
        assert run.count("ERROR_INDEX") == 1
        assert re.search(r"const ptrdiff_t (v\d*) = v\d+ \* 8;\n +for .*\n +y\[\1 \+ j\] =", run)


@pytest.mark.parametrize("name", PROGRAMS)
def test_engines_agree(name: str) -> None:
    model = model_of(name)
    random = np.random.default_rng(3)
    feed: dict[str, np.ndarray] = {}
    for kind, extents, word in re.findall(r"(\w+)\[([\d,]+)\] (\w+)", PROGRAMS[name][0].partition("=>")[0]):
        shape = [int(extent) for extent in extents.split(",")]
        is_integer = kind == "int64"
        feed[word] = random.integers(-64, 64, shape) if is_integer else random.random(shape, np.float32)
    expected = model.run(feed, engine="graph")
    for engine in ("structured", "loops", "native"):
        for word, value in model.run(feed, engine=engine).items():
            assert_agree(value, expected[word])


@pytest.mark.parametrize("extent", [1, 2, 64])
@pytest.mark.parametrize("level", ["O0", "O1", "O2", "Os"])
def test_index_of_data_is_checked(extent: int, level: Level) -> None:
    """An assertion does not decide itself: of one row it says that the index behind it is 0."""
    text = f'<ir_version: 10, opset_import: ["" : 21]> m (float[{extent}] x, int64 i) => (float y) {{ y = Gather (x, i) }}'
    model = loomir.load(onnx.parser.parse_model(text), level=level)
    x = np.arange(extent, dtype=np.float32)
    for engine in ENGINES:
        for inside in (0, extent - 1, -1, -extent):
            assert model.run({"x": x, "i": np.int64(inside)}, engine=engine)["y"] == x[inside]
        for outside in (extent, -extent - 1, 1 << 32, -(1 << 40)):
            with raises_error("runtime-index"):
                model.run({"x": x, "i": np.int64(outside)}, engine=engine)


def test_trip_count_that_is_not_negative(tmp_path: Path) -> None:
    body = loop(
        "y", "float[8] s -> float[8] r", "h = Constant <value_float = 0.5> () r = Mul (s, h)", "x", trips=""
    )
    text = f'<ir_version: 10, opset_import: ["" : 21]> m (float[8] x, int64 n) => (float[8] y) {{ {body} }}'
    model = loomir.load(onnx.parser.parse_model(text))
    assert "PTRDIFF_MAX :" not in model.emit_c(tmp_path, name="m").source
    x = np.ones(8, np.float32)
    for n, power in ((-3, 0), (0, 0), (2, 2)):
        found = model.run({"x": x, "n": np.int64(n)}, engine="native")["y"]
        assert_agree(found, x * np.float32(0.5**power))
