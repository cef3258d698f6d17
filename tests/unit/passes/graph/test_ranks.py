"""Programs whose ranks differ run below GRAPH, and give what they gave before: what threads, peels, resolves and flattens them."""

from pathlib import Path

import numpy as np
import pytest

import loomir
from tests.support import assert_all_agree

PEELED = """
func.func @main(%x: tensor<2x4xf32> {loomir.name = "x"}, %n: tensor<i64> {loomir.name = "n"})
    -> (tensor<*xf32> {loomir.name = "r"}, tensor<?x4xf32> {loomir.name = "s"}) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %most = ov.constant dense<6> : tensor<i64> : tensor<i64>
  %low = ov.maximum %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %trip = ov.minimum %low, %most : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %limit = ov.constant dense<30.0> : tensor<f32> : tensor<f32>
  %axes = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %empty = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
  %none = ov.constant dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %r, %s = ov.loop trip(%trip) carried(%none) {concats = [#ov.slice<axis = 0, start = START, end = END, stride = STRIDE>]}
      : (tensor<i64>, tensor<1xf32>) -> (tensor<*xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %y = ov.add %a, %x : (tensor<*xf32>, tensor<2x4xf32>) -> tensor<*xf32>
    %z = ov.add %y, %f : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
    %sum = ov.reduce_sum %z, %axes {keep_dims = false} : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
    %scalar = ov.reshape %sum, %empty {special_zero = false} : (tensor<*xf32>, tensor<0xi64>) -> tensor<f32>
    %more = ov.less %scalar, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%more) carried(%z : tensor<*xf32>) concat(%x : tensor<2x4xf32>)
  }
  func.return %r, %s : tensor<*xf32>, tensor<?x4xf32>
}
"""

RESOLVED = """
func.func @main(%c: tensor<i1> {loomir.name = "c"}, %x: tensor<f32> {loomir.name = "x"}, %v: tensor<1xf32> {loomir.name = "v"})
    -> (tensor<1xf32> {loomir.name = "d"}, tensor<*xf32> {loomir.name = "t"}) {
  %r = ov.if %c -> (tensor<*xf32>) {
    %n = ov.negative %x : (tensor<f32>) -> tensor<f32>
    ov.yield %n : tensor<f32>
  } else {
    ov.yield %v : tensor<1xf32>
  }
  %a = ov.add %r, %v : (tensor<*xf32>, tensor<1xf32>) -> tensor<*xf32>
  %d = ov.exp %a : (tensor<*xf32>) -> tensor<*xf32>
  %late = ov.abs %v : (tensor<1xf32>) -> tensor<1xf32>
  %k = ov.multiply %late, %d : (tensor<1xf32>, tensor<*xf32>) -> tensor<*xf32>
  %m = ov.multiply %r, %k : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %t = ov.if %c -> (tensor<*xf32>) {
    ov.yield %m : tensor<*xf32>
  } else {
    ov.yield %k : tensor<*xf32>
  }
  func.return %d, %t : tensor<*xf32>, tensor<*xf32>
}
""".replace("-> (tensor<1xf32> {loomir", "-> (tensor<*xf32> {loomir")


THREADED = """
func.func @main(%x: tensor<3xf32> {loomir.name = "x"}, %n: tensor<i64> {loomir.name = "n"}, %low: tensor<f32> {loomir.name = "low"},
    %high: tensor<f32> {loomir.name = "high"}) -> (tensor<*xf32> {loomir.name = "r"}) {
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %false = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %none = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %empty = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<3xf32>) -> tensor<*xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<*xf32>):
    %most = ov.reduce_max %v, %axis : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
    %m = ov.reshape %most, %empty : (tensor<*xf32>, tensor<0xi64>) -> tensor<f32>
    %stop = ov.greater %m, %high : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %left, %go, %kept, %new = ov.if %stop -> (tensor<i1>, tensor<i1>, tensor<*xf32>, tensor<*xf32>) {
      ov.yield %true, %false, %v, %none : tensor<i1>, tensor<i1>, tensor<*xf32>, tensor<f32>
    } else {
      %skip = ov.less %m, %low : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %a, %b = ov.if %skip -> (tensor<*xf32>, tensor<*xf32>) {
        %w = ov.exp %v : (tensor<*xf32>) -> tensor<*xf32>
        ov.yield %w, %none : tensor<*xf32>, tensor<f32>
      } else {
        %w = ov.add %v, %x : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
        ov.yield %none, %w : tensor<f32>, tensor<*xf32>
      }
      ov.yield %skip, %true, %a, %b : tensor<i1>, tensor<i1>, tensor<*xf32>, tensor<*xf32>
    }
    %s = ov.if %left -> (tensor<*xf32>) {
      ov.yield %kept : tensor<*xf32>
    } else {
      %t = ov.add %new, %m : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
      ov.yield %t : tensor<*xf32>
    }
    ov.next while(%go) carried(%s : tensor<*xf32>)
  }
  func.return %r : tensor<*xf32>
}
"""


def load(tmp_path: Path, text: str) -> loomir.Model:
    """The program of a text, not optimised."""
    path = tmp_path / "model.mlir"
    path.write_text(text)
    return loomir.load(path, optimize=False)


@pytest.mark.parametrize("n", [0, 1, 2, 6])
@pytest.mark.parametrize(("start", "end", "stride"), [(0, -1, 2), (-1, 0, -2)])
def test_a_peeled_loop_gives_the_same(tmp_path: Path, n: int, start: int, end: int, stride: int) -> None:
    """All iterations, one only, and an end by the condition after the first or a later one."""
    text = PEELED.replace("START", str(start)).replace("END", str(end))
    text = text.replace("stride = STRIDE", f"stride = {stride}, part_size = 2")
    model = load(tmp_path, text)
    for scale in (0.0, 1.0, 9.0):
        feed = {"x": np.full((2, 4), scale, np.float32), "n": np.array(n)}
        assert_all_agree(model.run(feed, engine="native"), model.run(feed, engine="graph"), f"{n}, {scale}")


@pytest.mark.parametrize("taken", [True, False])
def test_resolved_ranks_give_the_same(tmp_path: Path, taken: bool) -> None:
    model = load(tmp_path, RESOLVED)
    feed = {"c": np.array(taken), "x": np.float32(0.5), "v": np.array([0.25], np.float32)}
    assert_all_agree(model.run(feed, engine="native"), model.run(feed, engine="graph"))


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize(("low", "high"), [(0.0, 9.0), (2.0, 9.0), (0.0, 0.0), (9.0, 0.5)])
def test_threaded_branches_give_the_same(tmp_path: Path, n: int, low: float, high: float) -> None:
    """`break` and `continue` as exporters write them: each of the three ways through the body, and none."""
    feed = {
        "x": np.array([0.25, 1.0, -3.0], np.float32),
        "n": np.array(n),
        "low": np.float32(low),
        "high": np.float32(high),
    }
    model = load(tmp_path, THREADED)
    assert_all_agree(model.run(feed, engine="native"), model.run(feed, engine="graph"))


def test_a_result_of_two_ranks_is_its_elements_and_its_extents(tmp_path: Path) -> None:
    text = RESOLVED.replace("func.return %d, %t", "func.return %r, %t")
    feed = {"c": np.array(True), "x": np.float32(0.5), "v": np.array([0.25], np.float32)}
    model = load(tmp_path, text)
    for engine in ("graph", "native"):
        assert model.run(feed, engine=engine)["d"].shape == ()
        assert model.run(feed | {"c": np.array(False)}, engine=engine)["d"].shape == (1,)
    header = model.emit_c(tmp_path).header
    assert "size_t *d_extents_dim0 /* how many dimensions 'd' has */" in header
