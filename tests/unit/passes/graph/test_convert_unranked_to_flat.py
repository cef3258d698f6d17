"""`convert-unranked-to-flat`: extents that the run computes, what is refused, and what C says of an output of any rank."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx.parser
import pytest

import loomir
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.model import ENGINES, Model
from loomir.compiler.pipeline import PIPELINES, run_passes
from loomir.errors import Error
from tests.support import assert_agree, raises_error

X = np.arange(6, dtype=np.float32).reshape(2, 3)
RESHAPE = """
func.func @main(%x: tensor<2x3xf32> {loomir.name = "x"}, %s: tensor<?xTYPE> {loomir.name = "s", loomir.bounds = [5 : i64]})
    -> (tensor<*xf32> {loomir.name = "y"}) {
  %y = ov.reshape %x, %s {special_zero = SPECIAL} : (tensor<2x3xf32>, tensor<?xTYPE>) -> tensor<*xf32>
  func.return %y : tensor<*xf32>
}
"""


def program(text: str, folder: Path) -> Model:
    path = folder / "model.mlir"
    path.write_text(text)
    return loomir.load(path, specialise=False)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize("type_", ["i64", "i32"])
def test_a_shape_of_any_length(type_: str, special: bool, engine, tmp_path: Path) -> None:
    """Reshape yields its result, or its error, for any wanted shape."""
    model = program(RESHAPE.replace("SPECIAL", str(special).lower()).replace("TYPE", type_), tmp_path)
    dtype = np.dtype(type_.replace("i", "int"))
    right = [[6], [-1], [3, -1], [3, 2], [1, 1, 6, 1, 1], [1, -1, 1, 3]]
    right += [[0, -1], [0, 3, 1], [0, 0], [-1, 0, 2]] if special else []
    for wanted in right:
        extents = [X.shape[k] if n == 0 else n for k, n in enumerate(wanted)]
        outputs = model.run({"x": X, "s": np.array(wanted, dtype)}, engine=engine)
        assert_agree(outputs["y"], X.reshape(extents), str(wanted))
    for wanted in ([], [5], [-1, -1], [-2, -3], [4, -1], [3, 3], [3, 2, 0], [0, 0, 0], [2, 3, 2]):
        with pytest.raises(Error) as caught:
            model.run({"x": X, "s": np.array(wanted, dtype)}, engine=engine)
        assert caught.value.identifier == "runtime-shape", (wanted, str(caught.value))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_shape_of_any_length_for_no_elements(engine, tmp_path: Path) -> None:
    """A copied extent takes no part in the -1: `[0, 3]` to `[0, -1]` is `[0, 3]`."""
    text = RESHAPE.replace("SPECIAL", "true").replace("TYPE", "i64").replace("2x3x", "0x3x")
    model, x = program(text, tmp_path), X[:0]
    for wanted, shape in {(0, -1): (0, 3), (-1,): (0,), (0, 3, -1): (0, 3, 1), (7, 0, 0): None}.items():
        feed = {"x": x, "s": np.array(wanted)}
        if shape is None:
            with raises_error("runtime-shape"):
                model.run(feed, engine=engine)
        else:
            assert model.run(feed, engine=engine)["y"].shape == shape


LOOP = """
func.func @main(%n: tensor<i64> {{loomir.name = "n"}}, %x: tensor<1x2x1xf32> {{loomir.name = "x"}})
    -> (tensor<*xf32> {{loomir.name = "y"}}) {{
  %axes = ov.constant dense<{axes}> : tensor<{count}xi64> : tensor<{count}xi64>
  %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1x2x1xf32>) -> tensor<*xf32> {{
  ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
    %b = {operation} %a, %axes {attributes}: (tensor<*xf32>, tensor<{count}xi64>) -> tensor<*xf32>
    ov.next carried(%b : tensor<*xf32>)
  }}
  func.return %y : tensor<*xf32>
}}
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("axes", [[0], [-1], [0, 2], [-1, -3], [1, 0, 2]])
def test_dimensions_that_each_iteration_adds(axes: list[int], engine, tmp_path: Path) -> None:
    text = LOOP.format(axes=axes, count=len(axes), operation="ov.unsqueeze", attributes="")
    model = program(text, tmp_path)
    x = X[:1, :2, None]
    for n in (0, 1, 4):
        wanted = x
        for _ in range(n):
            wanted = np.expand_dims(wanted, tuple(axes))
        assert_agree(model.run({"n": np.array(n), "x": x}, engine=engine)["y"], wanted)
    with pytest.raises(Error) as caught:
        model.run({"n": np.array(40), "x": x}, engine=engine)
    assert caught.value.identifier in ("runtime-capacity", "limit-bytes")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("axes", "most"), [([0], 1), ([-1], 1), ([0, 2], 1)])
def test_dimensions_that_each_iteration_drops(axes: list[int], most: int, engine, tmp_path: Path) -> None:
    text = LOOP.format(axes=axes, count=len(axes), operation="ov.squeeze", attributes="{strict = true} ")
    model, x = program(text, tmp_path), X[:1, :2, None]
    for n in range(most + 1):
        wanted = np.squeeze(x, tuple(axes)) if n else x
        assert_agree(model.run({"n": np.array(n), "x": x}, engine=engine)["y"], wanted)
    with pytest.raises(Error) as caught:
        model.run({"n": np.array(most + 1), "x": x}, engine=engine)
    assert caught.value.identifier.startswith("runtime-") or engine == "graph"


BRANCHES = """
<ir_version: 8, opset_import: ["" : 21]>
main (bool c, float[2,3] x, float[4] v) => (float[] y, float[] z) {
  one = Constant <value_ints = [0]> ()
  y = If (c) <then_branch = a () => (float[] p) { p = Relu (x) }, else_branch = b () => (float[] q) { q = Neg (v) }>
  z = ReduceMax <keepdims = 0> (y, one)
}"""


def test_the_header_of_an_output_of_any_rank(tmp_path: Path) -> None:
    code = loomir.load(onnx.parser.parse_model(BRANCHES)).emit_c(tmp_path)
    for line in (
        "float *y_data /* the elements of 'y', row-major: [?], at most [6], room for 6 */",
        "size_t *y_data_dim0 /* how many elements 'y' has */",
        "int64_t *y_extents /* the extents of 'y': [?], at most [2], room for 2 */",
        "size_t *y_extents_dim0 /* how many dimensions 'y' has */",
    ):
        assert line in code.header


def test_more_ranks_than_are_dispatched(tmp_path: Path) -> None:
    module = loomir.load(onnx.parser.parse_model(BRANCHES)).module
    run_passes(module.clone(), "convert-unranked-to-flat{max-ranks=2}")
    with raises_error("unresolved-rank", "ReduceMax"):
        run_passes(module.clone(), "convert-unranked-to-flat{max-ranks=1}")


def test_an_input_of_any_rank_is_refused() -> None:
    with raises_error("unresolved-rank", "input 0"):
        run_passes(
            parse_module(
                'func.func @main(%x: tensor<*xf32> {loomir.name = "x"}) -> tensor<*xf32> {\n'
                "  %y = ov.exp %x : (tensor<*xf32>) -> tensor<*xf32>\n  func.return %y : tensor<*xf32>\n}"
            ),
            "convert-unranked-to-flat",
        )


@pytest.mark.parametrize("passes", ["convert-unranked-to-flat", "ov-if-resolve-ranks"])
def test_parts_of_any_rank_that_a_loop_puts_together(passes: str) -> None:
    """A value from outside decides their rank: there is a loop for each, or one in each branch."""
    text = BRANCHES.replace("(float[] y, float[] z)", "(float[] w)").replace(
        "z = ReduceMax <keepdims = 0> (y, one)",
        "n = Constant <value = int64 {3}> () t = Constant <value = bool {1}> ()"
        " w = Loop (n, t) <body = body (int64 i, bool k) => (bool k2, float[] o) { k2 = Identity (k) o = Exp (y) }>",
    )
    pipelines = {**PIPELINES, "core": f"{passes},convert-unranked-to-flat,ov-decompose,ov-fold-constants"}
    model = loomir.load(onnx.parser.parse_model(text), specialise=False, pipelines=pipelines)
    v = X.reshape(-1)[:4]
    for c, y in ((True, np.maximum(X, 0)), (False, -v)):
        for engine in ("graph", "structured", "native"):
            outputs = model.run({"c": np.array(c), "x": X, "v": v}, engine=engine)
            assert_agree(outputs["w"], np.exp(np.stack([y] * 3)), engine)
