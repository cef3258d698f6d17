"""Reduced findings of random programs.

Each program once failed at the level that it is run at.
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine
from loomir.tools.fuzz.levels import BY_NAME
from tests.differential.oracle import assert_engines_agree, run_onnxruntime
from tests.support import assert_all_agree, raises_error
from tests.support_c import run_sanitized

HEADER = '<ir_version: 8, opset_import: ["" : 21]>'


def check(text: str, feeds: list[dict[str, np.ndarray]], level: str, engine: Engine) -> None:
    model = onnx.parser.parse_model(f"{HEADER}\n{text}")
    loaded = loomir.load(model, pipelines=BY_NAME[level].pipelines)
    assert_engines_agree(loaded, feeds, run_onnxruntime(model, feeds), engines=[engine])


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_over_constants_that_are_not_folded(engine: Engine) -> None:
    """Seed 5, program 196, level imported: the constant went in as a scalar, and nothing said over how many elements."""
    check(
        """g (float[3] x) => (float[3] p, float[3] s, float[1] m, float[2,3] q) {
             k = Constant <value: tensor = float[3] {0.5, 0.5, 0.5}> ()
             w = Constant <value: tensor = float[2,4] {2, 2, 2, 2, 2, 2, 2, 2}> ()
             v = Constant <value: tensor = float[4,3] {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}> ()
             s = Softmax <axis = 0> (k)
             m = ReduceMax (k)
             q = MatMul (w, v)
             p = Add (x, s)
           }""",
        [{"x": np.array([1, 2, -3], np.float32)}],
        "imported",
        engine,
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_bounds_of_a_branch_s_number_are_exact(engine: Engine) -> None:
    """Seed 2026, program 1116: bounds joined from two branches were computed on in 64 bits, and wrapped round."""
    check(
        """g (int64 x, bool c) => (bool y, int64 z) {
             k = Constant <value_int = 96> ()
             large = Constant <value_int = 100> ()
             n = If (c) <then_branch = t () => (int64 a) { a = Constant <value_int = 10> () },
                         else_branch = e () => (int64 b) { b = Min (x, k) }>
             d = Sub (n, x)
             y = Greater (d, large)
             s = Sub (n, n)
             m = Mod (s, large)
             z = Add (m, m)
           }""",
        [{"x": np.array(v, np.int64), "c": np.array(c)} for v in (5, -3, 1000) for c in (True, False)],
        "default",
        engine,
    )


@pytest.mark.parametrize("level", ["imported", "default"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_sequence_in_a_branch_that_never_runs(engine: Engine, level: str) -> None:
    """Seed 2026, program 1687: the insertion does not fit the buffer of those that happen, and need not."""
    check(
        """g (float[1,3] x) => (int64[2] s, int64 n) {
             r = Constant <value: tensor = float[1,1] {0}> ()
             q = SequenceConstruct (r)
             zero = Constant <value: tensor = int64 {0}> ()
             t, l = Loop (zero, "", q, x) <body = b (int64 i, bool c, seq(float[1,?]) a, float[1,3] v)
                                            => (bool k, seq(float[1,?]) d, float[1,3] w) {
               two = Constant <value: tensor = int64 {2}> ()
               late = GreaterOrEqual (i, two)
               d = If (late) <then_branch = t1 () => (seq(float[1,?]) e) { e = SequenceInsert (a, x) },
                              else_branch = t2 () => (seq(float[1,?]) f) { f = Identity (a) }>
               k = Constant <value: tensor = bool {1}> ()
               w = Identity (x)
             }>
             s = Shape (l)
             n = SequenceLength (t)
           }""",
        [{"x": np.ones((1, 3), np.float32)}],
        level,
        engine,
    )


def test_a_boolean_beside_itself_in_c() -> None:
    """Seed 2, program 102: `c != c` in C, of which compilers warn."""
    model = onnx.parser.parse_model(
        f"""{HEADER}
        g (bool c) => (bool x, bool e, bool a, bool o, bool[2] v, bool[2] w) {{
          two = Constant <value_ints = [2]> ()
          wide = Expand (c, two)
          x = Xor (c, c)
          e = Equal (c, c)
          a = And (c, c)
          o = Or (c, c)
          v = Xor (wide, wide)
          w = Equal (wide, wide)
        }}"""
    )
    module = loomir.load(model, optimize=False).lowered("loops")
    for value in (True, False):
        feed = {"c": np.array(value)}
        (expected,) = run_onnxruntime(model, [feed])
        assert_all_agree(run_sanitized(module, feed), expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_forbidden_branch_that_gives_a_sequence(engine: Engine) -> None:
    """Met while reading: `ov.fail` had facts of tensors only, and loading ended in an assertion."""
    text = """g (bool c, float[3] x, float[2] y) => (int64 n, seq(float[N]) s) {
                s = If (c) <then_branch = t () => (seq(float[3]) a) { b = Add (x, y)  a = SequenceConstruct (b) },
                            else_branch = e () => (seq(float[3]) d) { d = SequenceConstruct (x, y) }>
                n = SequenceLength (s)
              }"""
    model = loomir.load(onnx.parser.parse_model(f"{HEADER}\n{text}"))
    feed = {"x": np.ones(3, np.float32), "y": np.zeros(2, np.float32)}
    outputs = model.run({**feed, "c": np.array(False)}, engine=engine)
    assert outputs["n"] == 2
    assert [v.shape for v in outputs["s"]] == [(3,), (2,)]
    with raises_error("runtime-shape"):
        model.run({**feed, "c": np.array(True)}, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_view_in_a_branch_of_what_another_branch_reads(engine: Engine) -> None:
    """Seed 20261125, program 1009, level reshapable: a Reshape in one arm gave the tensor outside extents that only that arm has."""
    check(
        """g (double[2] x, bool c) => (double[n] z) {
             one = Constant <value: tensor = int64[1] {1}> ()
             last = Constant <value: tensor = int64[1] {-1}> ()
             zero = Constant <value: tensor = int64[1] {0}> ()
             s = Slice (x, last, one, zero, last)
             p = If (c) <then_branch = t () => (int64[1] a) { a = Constant <value: tensor = int64[1] {-1}> () },
                         else_branch = e () => (int64[2] b) { b = Constant <value: tensor = int64[2] {0, 0}> () }>
             r = Reshape (s, p)
             y = Concat <axis = 0> (r, r)
             z = Concat <axis = 0> (y, y)
           }""",
        [{"x": np.array([0.0, 0.0]), "c": np.array(True)}],
        "reshapable",
        engine,
    )


@pytest.mark.parametrize("turned", ["x", "t"])
def test_sums_are_added_in_the_order_that_the_program_says(turned: str) -> None:
    """Seed 2026, program 1878: how a tensor lay decided in which order its elements were added, of floats in LOOPS and in numpy."""
    model = onnx.parser.parse_model(
        f"""{HEADER}
        g (float[3, 3] x) => (float s) {{
          t = Transpose <perm = [1, 0]> (x)
          s = ReduceSum <keepdims = 0> ({turned})
        }}"""
    )
    x = (np.arange(9, dtype=np.float32) / 7 - 0.6).reshape(3, 3)
    x[0, 2] = 0.1 + 1 / 3
    program = loomir.load(model, check_each_pass=True)
    results = [program.run({"x": v}, engine=e)["s"] for e in ENGINES for v in (x, np.asfortranarray(x))]
    sums = np.float32(0)
    for element in (x if turned == "x" else x.T).reshape(-1):
        sums += element
    assert {float(r) for r in results[2:]} == {float(sums)}
    assert results[0] == results[1]
