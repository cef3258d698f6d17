"""The extents of scan outputs after no trip: one rule, in every engine and at every level, however much is known when compiling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.engines.lowered import LoopsEngine, StructuredEngine
from tests.support import raises_error

ENGINES = ("graph", "structured", "loops", "native")
# What a body gives of its carried value v [u, 3], the iteration i, and x [2, 3] and the number m = 0 from outside; its extents.
PARTS: dict[str, tuple[str, str, list[int]]] = {
    "elementwise": ("q = Abs (v)", "float[u,3] q", [2, 3]),
    "from outside": ("q = Identity (x)", "float[u,3] q", [2, 3]),
    "nothing declared": ("q = Exp (v)", "float[u,r] q", [2, 3]),
    "product": ("t = Transpose <perm = [1,0]> (v) q = MatMul (v, t)", "float[u,r] q", [2, 2]),
    "joined": ("q = Concat <axis = 0> (v, x)", "float[u,r] q", [4, 3]),
    "flat": ("flat = Constant <value_ints = [-1]> () q = Reshape (v, flat)", "float[u] q", [6]),
    "computed shape": (
        """sh = Shape (v) twice = Constant <value_ints = [1,2]> () to = Mul (sh, twice)
           wide = Concat <axis = 1> (v, v) q = Reshape (wide, to)""",
        "float[u,r] q",
        [2, 6],
    ),
    "a row": ("q = Gather (v, i)", "float[r] q", [3]),
    "rows that are not there": (
        "none = Sub (v, x) far = Sub (m, one) q = Gather (v, far)",
        "float[r] q",
        [3],
    ),
    "elements decide": ("q = NonZero (v)", "int64[r,u] q", [2, 0]),
    "the iteration decides": (
        "four = Constant <value_int = 4> () q = Range (i, four, one)",
        "int64[r] q",
        [4],
    ),
    "an input decides": (
        "four = Constant <value_int = 4> () n = Add (i, m) q = Range (n, four, one)",
        "int64[r] q",
        [4],
    ),
    "cut": (
        """a = Constant <value_ints = [1]> () b = Constant <value_ints = [100]> () zero = Constant <value_ints = [0]> ()
           q = Slice (v, a, b, zero)""",
        "float[u,3] q",
        [1, 3],
    ),
}
FEED: dict[str, Any] = {"x": np.ones((2, 3), np.float32), "m": np.array(0)}


def program(part: str, declared: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(
        f"""<ir_version: 9, opset_import: ["" : 18]> g (float[n,3] x, int64 m) => (int64[k] s) {{
        c = Constant <value = bool {{1}}> () one = Constant <value_int = 1> ()
        y, z = Loop (m, c, x) <body = b (int64 i, bool cc, float[u,3] v) => (bool d, float[u,3] w, {declared}) {{
          d = Identity (cc) w = Neg (v) {part} }}>
        s = Shape (z) }}"""
    )


@pytest.mark.parametrize("level", ["O0", "O2"])
@pytest.mark.parametrize("name", PARTS)
def test_one_rule(name: str, level: str, tmp_path: Path) -> None:
    part, declared, extents = PARTS[name]
    model, wanted = program(part, declared), [0, *extents]
    fixed: list[dict[str, Any]] = [
        {},
        {"shapes": {"x": [2, 3]}},
        {"max_shapes": {"x": [5, 3]}},
        {"values": {"m": 0}},
    ]
    for number, known in enumerate(fixed):
        loaded = loomir.load(model, level=level, **known)
        # (The native engine runs what the loops engine does: once is enough.)
        for engine in ENGINES if number == 1 else ENGINES[:3]:
            assert loaded.run(FEED, engine=engine)["s"].tolist() == wanted, (engine, known)
    loomir.load(model, level=level).save(tmp_path / "again.xml")
    assert loomir.load(tmp_path / "again.xml").run(FEED, engine="graph")["s"].tolist() == wanted


@pytest.mark.parametrize("name", PARTS)
def test_extents_that_are_open_below_graph(name: str) -> None:
    """One lowered program for all shapes, as C has it."""
    part, declared, extents = PARTS[name]
    model = loomir.load(program(part, declared), max_shapes={"x": [5, 3]})
    structured = StructuredEngine(model.lowered("structured", capacity=64))
    loops = LoopsEngine(model.lowered("loops", capacity=64))
    for run in (structured, loops):
        assert run(FEED)["s"].tolist() == [0, *extents]


@pytest.mark.parametrize("level", ["O0", "O2"])
def test_an_endless_loop_that_does_not_start(level: str) -> None:
    model = onnx.parser.parse_model(
        """<ir_version: 9, opset_import: ["" : 18]> g (float[n,3] x, bool go) => (int64[k] s) {
        y, z = Loop ("", go, x) <body = b (int64 i, bool cc, float[u,3] v) => (bool d, float[u,3] w, float[u,r] q) {
          d = Constant <value = bool {1}> () w = Neg (v) q = Exp (v) }>
        s = Shape (z) }"""
    )
    for engine in ENGINES:
        loaded = loomir.load(model, level=level)
        assert loaded.run({"x": FEED["x"], "go": np.bool_(False)}, engine=engine)["s"].tolist() == [0, 2, 3]
        with raises_error("endless-loop"):
            loaded.run({"x": FEED["x"], "go": np.bool_(True)}, engine=engine)
