"""`ov.loop` and `ov.if` in the graph engine: the table of docs/semantics.md, "Loops and branches"."""

from __future__ import annotations

import re

import numpy as np
import pytest

from loomir.compiler.engines.graph import GraphEngine, SlicedArray, concatenated
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.ov.attributes import Slicing
from loomir.tools.compare.counting import WorkCounter
from loomir.tools.compare.rows import LoopCount
from tests.support import raises_error


def engine(text: str, **options: object) -> GraphEngine:
    # The type of a constant stands twice: as the attribute's and as the result's.
    text = re.sub(r"(ov\.constant dense<.*> : )(\S+)$", r"\1\2 : \2", text, flags=re.MULTILINE)
    return GraphEngine(parse_module(text), **options)


X = np.arange(32, dtype=np.float32).reshape(8, 4)

SCAN = """
func.func @main(%n: tensor<i64> {loomir.name = "n"}, %x: tensor<8x4xf32> {loomir.name = "x"})
    -> (tensor<1x4xf32> {loomir.name = "sum"}, tensor<1x4xf32> {loomir.name = "last"},
        tensor<?x4xf32> {loomir.name = "all"}) {
  %zero = ov.constant dense<0.0> : tensor<1x4xf32>
  %sum, %last, %all = ov.loop trip(%n) carried(%zero) sliced(%x)
      {slices = [#ov.slice<axis = AXIS>], concats = [#ov.slice<axis = -2>]}
      : (tensor<i64>, tensor<1x4xf32>, tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>,
          tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %acc: tensor<1x4xf32>, %part: tensor<1x4xf32>):
    %next = ov.add %acc, %part : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%next : tensor<1x4xf32>) last(%part : tensor<1x4xf32>) concat(%next : tensor<1x4xf32>)
  }
  func.return %sum, %last, %all : tensor<1x4xf32>, tensor<1x4xf32>, tensor<?x4xf32>
}
"""


@pytest.mark.parametrize("axis", ["0", "-2", "0, start = -1, end = 0, stride = -1"])
@pytest.mark.parametrize("n", [0, 1, 5, 8, -1])
def test_trips_slices_and_outputs(n: int, axis: str):
    out = engine(SCAN.replace("AXIS", axis))({"n": np.int64(n), "x": X})
    trips = 8 if n < 0 else n  # negative: no limit but that of the slices
    rows = X[::-1] if "stride" in axis else X
    np.testing.assert_array_equal(out["all"], np.add.accumulate(rows[:trips]).reshape(trips, 4))
    np.testing.assert_array_equal(out["sum"], rows[:trips].sum(0, keepdims=True))
    np.testing.assert_array_equal(out["last"], rows[trips - 1 : trips] if trips else np.zeros((1, 4)))
    assert out["last"].dtype == np.float32


def test_a_trip_count_beyond_the_slices():
    run = engine(SCAN.replace("AXIS", "0"))
    with raises_error("runtime-shape", "iteration 8", "ov.loop"):
        run({"n": np.int64(9), "x": X})


def test_counts():
    counter = WorkCounter()
    engine(SCAN.replace("AXIS", "0"), listeners=[counter])({"n": np.int64(5), "x": X})
    assert list(counter.loops.values()) == [LoopCount(None, 1, 5, 5, 5 * 16)]
    # The constant, and the loop with its last value and the five parts of the concatenation.
    assert (counter.operations, counter.bytes) == (7, 16 + 5 * 16 + (16 + 5 * 16))


def test_iterations_are_bounded():
    run = engine(SCAN.replace("AXIS", "0"), max_iterations=4)
    run({"n": np.int64(4), "x": X})
    with raises_error("limit-iterations", "4"):
        run({"n": np.int64(5), "x": X})


SWAP = """
func.func @main(%m: tensor<i64> {loomir.name = "m"}, %go: tensor<i1> {loomir.name = "go"},
                %a: tensor<2xi32> {loomir.name = "a"}, %b: tensor<2xi32> {loomir.name = "b"})
    -> (tensor<2xi32> {loomir.name = "p"}, tensor<2xi32> {loomir.name = "q"},
        tensor<?xi64> {loomir.name = "seen"}) {
  %one = ov.constant dense<1> : tensor<1xi64>
  %p, %q, %seen = ov.loop trip(%m) while(%go) carried(%a, %b) {concats = [#ov.slice<axis = 0>]}
      : (tensor<i64>, tensor<i1>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>,
          tensor<?xi64>) {
  ^bb0(%i: tensor<i64>, %x: tensor<2xi32>, %y: tensor<2xi32>):
    %three = ov.constant dense<3> : tensor<i64>
    %on = ov.less %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %part = ov.multiply %one, %i : (tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
    ov.next while(%on) carried(%y, %x : tensor<2xi32>, tensor<2xi32>) concat(%part : tensor<1xi64>)
  }
  func.return %p, %q, %seen : tensor<2xi32>, tensor<2xi32>, tensor<?xi64>
}
"""


@pytest.mark.parametrize(
    ("m", "go", "trips"), [(10, True, 4), (2, True, 2), (10, False, 0), (-1, True, 4), (0, True, 0)]
)
def test_condition_is_read_before_each_iteration_and_back_edges_are_simultaneous(
    m: int, go: bool, trips: int
):
    a, b = np.array([1, 2], np.int32), np.array([3, 4], np.int32)
    out = engine(SWAP)({"m": np.int64(m), "go": np.bool_(go), "a": a, "b": b})
    # The condition is false in iteration 3, which itself is complete: as many parts as iterations ran.
    np.testing.assert_array_equal(out["seen"], np.arange(trips), strict=True)
    np.testing.assert_array_equal(out["p"], b if trips % 2 else a)
    np.testing.assert_array_equal(out["q"], a if trips % 2 else b)


GROW = """
func.func @main(%n: tensor<i64> {loomir.name = "n"}) -> (tensor<?xf32> {loomir.name = "x"}CONCAT_RESULT) {
  %one = ov.constant dense<1.0> : tensor<1xf32>
  %x#ALL = ov.loop trip(%n) carried(%one) CONCATS : (tensor<i64>, tensor<1xf32>) -> (tensor<?xf32>CONCAT) {
  ^bb0(%i: tensor<i64>, %acc: tensor<?xf32>):
    %next = ov.concat %acc, %one {axis = 0 : i64} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    ov.next carried(%next : tensor<?xf32>) PARTS
  }
  func.return %x#USED : tensor<?xf32>CONCAT
}
"""
PLAIN = {"CONCAT_RESULT": "", "#ALL": "", "CONCATS": "", "CONCAT": "", "PARTS": "", "#USED": ""}
WITH_SCAN = {
    "CONCAT_RESULT": ', tensor<?xf32> {loomir.name = "all"}',
    "#ALL": ", %all",
    "CONCATS": "{concats = [#ov.slice<axis = 0>]}",
    "CONCAT": ", tensor<?xf32>",
    "PARTS": "concat(%next : tensor<?xf32>)",
    "#USED": ", %all",
}


def filled(text: str, holes: dict[str, str]) -> str:
    for hole, value in holes.items():
        text = text.replace(hole, value)
    return text


@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_carried_value_may_change_its_shape(n: int):
    assert engine(filled(GROW, PLAIN))({"n": np.int64(n)})["x"].shape == (n + 1,)


def test_a_concatenated_value_may_not():
    run = engine(filled(GROW, WITH_SCAN))
    assert run({"n": np.int64(1)})["all"].shape == (2,)
    assert run({"n": np.int64(0)})["all"].shape == (0,)
    with raises_error("runtime-shape", "[2]", "[3]"):
        run({"n": np.int64(2)})


def test_concatenation_on_any_axis_with_wide_parts():
    parts = [np.full((2, 3), k) for k in range(3)]
    joined = concatenated(parts, Slicing(axis=-1))
    np.testing.assert_array_equal(joined, np.repeat(np.arange(3), 3)[None].repeat(2, 0))
    np.testing.assert_array_equal(
        concatenated(parts, Slicing(axis=1, stride=-1, start=-1, end=0)), joined[:, ::-1]
    )


def test_slicing_by_parts():
    whole = np.arange(24).reshape(2, 12)
    cut = SlicedArray.of(whole, Slicing(axis=1, start=2, end=-3, stride=4, part_size=4))
    assert cut.trips == 2
    np.testing.assert_array_equal(cut.part(1), whole[:, 6:10])
    back = SlicedArray.of(whole, Slicing(axis=-1, start=-1, end=0, stride=-3, part_size=3))
    assert [back.part(i)[0, 0] for i in range(4)] == [9, 6, 3, 0]
    with raises_error("loop-part-size"):
        SlicedArray.of(whole, Slicing(axis=1, stride=5, part_size=5))
    with raises_error("loop-range"):
        SlicedArray.of(whole, Slicing(axis=1, start=13))
    with raises_error("loop-axis"):
        SlicedArray.of(whole, Slicing(axis=2))


BRANCH = """
func.func @main(%c: tensor<i1> {loomir.name = "c"}, %x: tensor<2xf32> {loomir.name = "x"},
    %k: tensor<1xi64> {loomir.name = "k"})
    -> (tensor<*xf32> {loomir.name = "y"}) {
  %y = ov.if %c -> (tensor<*xf32>) {
    %axis = ov.constant dense<0> : tensor<i64>
    %g = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<2xf32>, tensor<1xi64>,
        tensor<i64>) -> tensor<1xf32>
    ov.yield %g : tensor<1xf32>
  } else {
    %shape = ov.constant dense<[1, 2]> : tensor<2xi64>
    %r = ov.reshape %x, %shape : (tensor<2xf32>, tensor<2xi64>) -> tensor<1x2xf32>
    ov.yield %r : tensor<1x2xf32>
  }
  func.return %y : tensor<*xf32>
}
"""


def test_only_the_chosen_branch_runs_and_ranks_may_differ():
    run = engine(BRANCH)
    x, inside, outside = np.array([1, 2], np.float32), np.array([1]), np.array([7])
    np.testing.assert_array_equal(run({"c": np.bool_(True), "x": x, "k": inside})["y"], x[1:])
    np.testing.assert_array_equal(run({"c": np.bool_(False), "x": x, "k": outside})["y"], x[None])
    with raises_error("runtime-index"):
        run({"c": np.bool_(True), "x": x, "k": outside})


def test_the_feed_is_checked():
    run = engine(SWAP)
    good = {"m": np.int64(1), "go": np.bool_(True), "a": np.zeros(2, np.int32), "b": np.zeros(2, np.int32)}
    with raises_error("input-missing", "'b'"):
        run({k: v for k, v in good.items() if k != "b"})
    with raises_error("input-unknown", "'c'"):
        run(good | {"c": np.int64(0)})
    with raises_error("input-dtype", "'a'"):
        run(good | {"a": np.zeros(2, np.int64)})
    with raises_error("input-shape", "'a'"):
        run(good | {"a": np.zeros(3, np.int32)})


def test_a_composite_operation_is_decomposed_where_it_is_reached():
    text = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = ov.softmax %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}"""
    (y,) = engine(text)({"arg0": np.zeros((2, 3), np.float32)}).values()
    np.testing.assert_allclose(y, np.full((2, 3), 1 / 3, np.float32))


def test_a_loop_of_loops():
    text = """
func.func @main(%n: tensor<i64> {loomir.name = "n"}) -> (tensor<i64> {loomir.name = "y"}) {
  %zero = ov.constant dense<0> : tensor<i64>
  %y = ov.loop trip(%n) carried(%zero) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %a: tensor<i64>):
    %z = ov.loop trip(%i) carried(%a) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
    ^bb1(%j: tensor<i64>, %b: tensor<i64>):
      %s = ov.add %b, %j : (tensor<i64>, tensor<i64>) -> tensor<i64>
      ov.next carried(%s : tensor<i64>)
    }
    ov.next carried(%z : tensor<i64>)
  }
  func.return %y : tensor<i64>
}"""
    counter = WorkCounter()
    run = engine(text, listeners=[counter]).run({"n": np.int64(6)})
    assert run.outputs["y"] == sum(j for i in range(6) for j in range(i))
    assert run.iterations == counter.trips
    outer, inner = sorted(counter.loops.values(), key=lambda c: c.entered)
    assert (outer.entered, outer.trips, inner.entered, inner.trips) == (1, 6, 6, 15)
    assert (inner.operations, inner.bytes, outer.operations) == (15, 120, 21)
