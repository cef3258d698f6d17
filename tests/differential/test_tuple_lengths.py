"""GatherND and ScatterND whose tuples of indices have a length that only the running program knows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import ENGINES, Engine
from tests.support import assert_agree, raises_error

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
INDICES = np.array([[0, 1, 3], [1, -1, 0], [-1, 0, 2]])


def parse(graph: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 21]> {graph}')


def gathered(data: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return np.stack([data[tuple(row)] for row in indices])


@pytest.mark.parametrize("engine", ENGINES)
def test_tuples_that_are_longer_in_each_iteration(engine: Engine, tmp_path: Path) -> None:
    """No program for the values of a feed has one length."""
    loaded = loomir.load(
        parse("""
    main (float[2, 3, 4] x, int64[3, 3] all) => (float[3] sums) {
      trips = Constant <value_int = 3> ()
      zero = Constant <value_ints = [0]> ()
      one = Constant <value_ints = [1]> ()
      sums = Loop (trips, "") <body = longer (int64 i, bool go) => (bool again, float sum) {
        again = Constant <value = bool {1}> ()
        before = Reshape (i, one)
        length = Add (before, one)
        tuples = Slice (all, zero, length, one)
        y = GatherND (x, tuples)
        twice = Add (y, y)
        sum = ReduceSum <keepdims = 0> (twice)
      }>
    }"""),
        specialise=False,
    )
    wanted = np.array([2 * gathered(X, INDICES[:, :k]).sum() for k in (1, 2, 3)], np.float32)
    assert_agree(loaded.run({"x": X, "all": INDICES}, engine=engine)["sums"], wanted, engine)
    loaded.emit_c(tmp_path, "m")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("k", [0, 1, 2])
def test_gathering_by_tuples_of_a_bounded_length(k: int, engine: Engine, tmp_path: Path) -> None:
    """With batches, and the most that the rank allows where the bound is more."""
    loaded = loomir.load(
        parse("""
    main (float[2, 3, 4] x, int64[2, rows, k] i) => (float[n] z) {
      y = GatherND <batch_dims = 1> (x, i)
      flat = Constant <value_ints = [-1]> ()
      z = Reshape (y, flat)
    }"""),
        max_shapes={"i": [2, 5, 4]},
        specialise=False,
    )
    indices = np.array([[[0, 1], [2, 3]], [[1, 1], [-1, 0]]])[..., :k]
    wanted = np.stack([gathered(x, rows) for x, rows in zip(X, indices)]).reshape(-1)
    assert_agree(loaded.run({"x": X, "i": indices}, engine=engine)["z"], wanted, engine)
    loaded.emit_c(tmp_path, "m")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max"])
def test_scattering_needs_the_length_that_the_updates_have(
    reduction: str, engine: Engine, tmp_path: Path
) -> None:
    """Their rank says it; another one is an error when the program runs."""
    loaded = loomir.load(
        parse(f"""
    main (float[2, 3, 4] x, int64[3, 3] i, int64[1] n, float[3, 4] u) => (float[2, 3, 4] y) {{
      zero = Constant <value_ints = [0]> ()
      one = Constant <value_ints = [1]> ()
      tuples = Slice (i, zero, n, one)
      y = ScatterND <reduction = "{reduction}"> (x, tuples, u)
    }}"""),
        specialise=False,
    )
    updates = np.linspace(-2, 30, 12, dtype=np.float32).reshape(3, 4)
    join = {"none": lambda a, b: b, "add": np.add, "mul": np.multiply, "max": np.maximum}[reduction]
    wanted = X.copy()
    for (a, b, _), row in zip(INDICES, updates):
        wanted[a, b] = join(wanted[a, b], row)
    feed = {"x": X, "i": INDICES, "u": updates}
    made = loaded.run({**feed, "n": np.array([2])}, engine=engine)["y"]
    assert_agree(made, wanted, engine)
    for length in (1, 3):
        with raises_error("runtime-shape"):
            loaded.run({**feed, "n": np.array([length])}, engine=engine)
    loaded.emit_c(tmp_path, "m")


@pytest.mark.parametrize("engine", ENGINES)
def test_one_update_for_an_element_or_for_a_slice_of_one(engine: Engine, tmp_path: Path) -> None:
    """One element of any rank will do where it is a scalar that is updated: both lengths are possible."""
    loaded = loomir.load(
        parse("""
    main (float[3, 1] x, int64[k] i, float[1] u) => (float[3, 1] y) { y = ScatterND (x, i, u) }"""),
        max_shapes={"i": [2]},
        specialise=False,
    )
    x, u = np.zeros((3, 1), np.float32), np.ones(1, np.float32)
    for index in ([2], [2, 0]):
        wanted = x.copy()
        wanted[2, 0] = 1
        assert_agree(loaded.run({"x": x, "i": np.array(index), "u": u}, engine=engine)["y"], wanted, engine)
    loaded.emit_c(tmp_path, "m")


@pytest.mark.parametrize("engine", ENGINES)
def test_tuples_that_are_longer_than_the_rank(engine: Engine) -> None:
    loaded = loomir.load(
        parse("""
    main (float[2, 3] x, int64[3, 3] i, int64[1] n) => (float sum) {
      zero = Constant <value_ints = [0]> ()
      one = Constant <value_ints = [1]> ()
      tuples = Slice (i, zero, n, one)
      y = GatherND (x, tuples)
      sum = ReduceSum <keepdims = 0> (y)
    }"""),
        specialise=False,
    )
    feed = {"x": X[0, :2, :3], "i": np.zeros((3, 3), np.int64)}
    made = loaded.run({**feed, "n": np.array([1])}, engine=engine)["sum"]
    assert_agree(np.asarray(made), np.float32(9), engine)
    with raises_error("runtime-shape"):
        loaded.run({**feed, "n": np.array([3])}, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_openvino_forms(engine: Engine, tmp_path: Path) -> None:
    from openvino import opset13 as op

    from tests.conformance.openvino_models import const, parameter, save

    x, i, u = (
        parameter([2, 3, 4], np.float32, "x"),
        parameter([3, -1], np.int64, "i"),
        parameter([3, 4], np.float32, "u"),
    )
    scattered = op.scatter_nd_update(x, i, u)
    flat = op.reshape(op.gather_nd(x, i, 0), const([-1], np.int64), False)
    save(tmp_path / "m.xml", [scattered, flat], [x, i, u])
    loaded = loomir.load(tmp_path / "m.xml", max_shapes={"i": [3, 3]}, specialise=False)
    loaded.emit_c(tmp_path, "m")
    updates = np.linspace(-2, 30, 12, dtype=np.float32).reshape(3, 4)
    wanted = X.copy()
    wanted[tuple(INDICES[:, :2].T)] = updates
    made = list(loaded.run({"x": X, "i": INDICES[:, :2], "u": updates}, engine=engine).values())
    assert_agree(np.asarray(made[0]), wanted, engine)
    assert_agree(np.asarray(made[1]), gathered(X, INDICES[:, :2]).reshape(-1), engine)
