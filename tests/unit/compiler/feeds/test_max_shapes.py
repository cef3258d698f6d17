"""`max_shapes=`: extents that stay dynamic with an upper bound, from the model to C."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine, Model
from tests.support import assert_agree, raises_error
from tests.support_c import run_sanitized

FIXTURES = Path(__file__).parents[3] / "fixtures"

NORMALISED = """<ir_version: 8, opset_import: ["" : 17]>
normalised (float[n,m] x, float[m,k] w) => (float[p,q] y) {
  a = MatMul(x, w)
  b = Softmax<axis=1>(a)
  c = ReduceMean<axes=[0],keepdims=1>(b)
  y = Sub(b, c)
}"""

RUNNING_SUM = """<ir_version: 8, opset_import: ["" : 17]>
running (float[t,3] x, float[3] s) => (float[3] last, float[u,3] all) {
  last, all = Scan<num_scan_inputs=1, body = step (float[3] a, float[3] row) => (float[3] b, float[3] seen) {
    b = Add(a, row)
    seen = Identity(b)
  }>(s, x)
}"""


def parse(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(text)


def normalised(**options) -> Model:
    return loomir.load(parse(NORMALISED), **(options or {"max_shapes": {"x": [8, 16], "w": [16, 5]}}))


def feed(n: int, m: int, k: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(n)
    return {
        "x": rng.standard_normal((n, m)).astype(np.float32),
        "w": rng.standard_normal((m, k)).astype(np.float32),
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_one_program_takes_every_shape_up_to_the_bound(engine: Engine) -> None:
    model = normalised()
    for extents in ((8, 16, 5), (3, 4, 2), (1, 1, 1), (0, 4, 2)):
        given = feed(*extents)
        a = given["x"] @ given["w"]
        e = np.exp(a - a.max(axis=1, keepdims=True, initial=-np.inf))
        b = e / e.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            c = b.sum(axis=0, keepdims=True) / np.float32(extents[0])
        assert_agree(model.run(given, engine=engine)["y"], b - c)
    assert len(model._engines) == 1
    assert model.for_feed(feed(2, 2, 2)) is model, "a feed of another shape must not need another program"


def test_sanitized_c_at_and_below_the_bound() -> None:
    module = normalised().lowered("loops")
    for extents in ((8, 16, 5), (2, 3, 4)):
        given = feed(*extents)
        outputs = run_sanitized(module, given)
        assert_agree(outputs["y"], normalised().run(given, engine="graph")["y"])


def test_header_says_the_largest_shape(tmp_path) -> None:
    normalised().emit_c(tmp_path, name="n")
    header = (tmp_path / "n.h").read_text()
    assert "const float *x /* [?,?], at most [8,16], room for 128 */" in header
    assert "size_t x_dim0" in header
    assert "float *y /* [?,?], at most [8,5], room for 40 */" in header


@pytest.mark.parametrize("engine", ENGINES)
def test_scan_over_a_bounded_length(engine: Engine) -> None:
    model = loomir.load(parse(RUNNING_SUM), max_shapes={"x": [6, 3]})
    for length in (6, 1, 0, 4):
        x = np.arange(length * 3, dtype=np.float32).reshape(length, 3)
        s = np.ones(3, np.float32)
        outputs = model.run({"x": x, "s": s}, engine=engine)
        assert_agree(outputs["all"], s + np.cumsum(x, axis=0, dtype=np.float32))
        assert_agree(outputs["last"], s + x.sum(axis=0))
    assert len(model._engines) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_feed_beyond_the_bound_is_refused(engine: Engine) -> None:
    with raises_error("input-shape", "≤8", "[9, 16]"):
        normalised().run(feed(9, 16, 5), engine=engine)


def test_feed_whose_shapes_disagree_is_refused_when_run() -> None:
    wrong = {**feed(8, 16, 5), "w": np.zeros((15, 5), np.float32)}
    with raises_error("runtime-shape"):
        normalised().run(wrong, engine="native")


def test_inputs_say_their_bounds() -> None:
    model = normalised(max_shapes={"x": [8, None]})
    assert [str(i) for i in model.inputs] == ["x: float32[≤8,?]", "w: float32[?,?]"]
    assert not model.inputs[0].bounded


def test_what_has_no_bound_is_still_refused_by_name() -> None:
    with raises_error("dynamic-input", "'w'", "max_shapes"):
        normalised(max_shapes={"x": [8, 16]}).lowered("structured")


def test_run_specialises_where_a_bound_is_missing() -> None:
    given = feed(3, 4, 2)
    model = normalised(max_shapes={"x": [8, 16]})
    assert_agree(model.run(given, engine="native")["y"], model.run(given, engine="graph")["y"])


def test_bounds_give_an_unranked_input_its_rank() -> None:
    text = NORMALISED.replace("float[n,m] x", "float[] x").replace("float[p,q]", "float[]")
    module = parse(text)
    module.graph.input[0].type.tensor_type.ClearField("shape")
    module.graph.output[0].type.tensor_type.ClearField("shape")
    model = loomir.load(module, max_shapes={"x": [8, 16], "w": [16, 5]})
    given = feed(3, 4, 2)
    assert_agree(model.run(given, engine="native")["y"], model.run(given, engine="graph")["y"])


@pytest.mark.parametrize("largest", [[8], [8, 16, 1]])
def test_bounds_of_another_rank_are_refused(largest: list[int]) -> None:
    with raises_error("shape-mismatch", "'x'"):
        normalised(max_shapes={"x": largest})


def test_bound_below_a_fixed_extent_is_refused() -> None:
    with raises_error("shape-mismatch", "'x'", "[4, 4]"):
        normalised(shapes={"x": [8, 4]}, max_shapes={"x": [4, 4]})


def test_shape_beyond_the_bound_is_refused() -> None:
    with raises_error("shape-mismatch", "at most [8, 16]"):
        normalised().with_shapes({"x": [9, 16]})


def test_unknown_name_is_refused() -> None:
    with raises_error("unknown-input", "'z'"):
        normalised(max_shapes={"z": [1]})


@pytest.mark.parametrize("name", ["ad01_fp32", "pretrainedResnet"])
def test_real_model_with_a_bounded_batch(name: str) -> None:
    path = FIXTURES / f"{name}.xml"
    (info,) = loomir.load(path, optimize=False).inputs
    assert info.shape is not None
    model = loomir.load(path, max_shapes={info.name: [4 if e is None else e for e in info.shape]})
    for batch in (4, 1, 3, 0):
        x = np.random.default_rng(batch).standard_normal([batch, *info.shape[1:]]).astype(np.float32)
        expected = model.run({info.name: x}, engine="graph")
        actual = model.run({info.name: x}, engine="native")
        for output, value in expected.items():
            assert_agree(actual[output], value)
    assert len(model._engines) == 2


@pytest.mark.parametrize("given", [4, ["a", 16], [4.5, 16]])
def test_what_is_no_shape_is_refused(given) -> None:
    with raises_error("bad-shape", "'x'"):
        normalised(max_shapes={"x": given})
    with raises_error("bad-shape", "'x'"):
        normalised(shapes={"x": given})
    with raises_error("bad-shape", "'x'"):
        normalised(shapes={"x": [None, 16]})


def test_negative_limits_are_refused() -> None:
    with raises_error("bad-shape"):
        normalised(max_shapes={"x": [-1, 16]})
    with raises_error("bad-option", "max_bytes"):
        normalised(max_bytes=-1)
