"""Descriptions of sequences and optionals, and checks of their feeds.

Every engine behaves alike.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loomir
from loomir.compiler.feeds import OptionalInfo, SequenceInfo, TensorInfo
from loomir.compiler.feeds.samples import SEQUENCE_LENGTH, random_feed
from loomir.compiler.model import ENGINES, Engine
from tests.support import raises_error

SOURCE = """
func.func @main(
    %s: !ovseq.sequence<tensor<?x2xf32>> {loomir.name = "s"}, %o: !ovseq.optional<tensor<2xi64>> {loomir.name = "o"},
    %x: tensor<2xf32> {loomir.name = "x"})
    -> (!ovseq.sequence<tensor<*xf32>> {loomir.name = "t"}, !ovseq.optional<tensor<2xi64>> {loomir.name = "p"},
        tensor<i64> {loomir.name = "n"}) {
  %t = ovseq.insert %s, %x : (!ovseq.sequence<tensor<?x2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<*xf32>>
  %n = ovseq.length %t : (!ovseq.sequence<tensor<*xf32>>) -> tensor<i64>
  func.return %t, %o, %n : !ovseq.sequence<tensor<*xf32>>, !ovseq.optional<tensor<2xi64>>, tensor<i64>
}
"""
X = np.array([1, 2], np.float32)
ROWS = np.ones((3, 2), np.float32)


@pytest.fixture
def model(tmp_path: Path) -> loomir.Model:
    path = tmp_path / "m.mlir"
    path.write_text(SOURCE)
    return loomir.load(path)


def test_what_is_told(model: loomir.Model) -> None:
    sequence, optional, tensor = model.inputs
    assert isinstance(sequence, SequenceInfo)
    assert isinstance(optional, OptionalInfo)
    assert isinstance(tensor, TensorInfo)
    assert sequence.element.shape == (None, 2)
    assert sequence.dtype == np.float32
    assert optional.value.dtype == optional.dtype == np.int64
    assert [str(i) for i in model.inputs] == [
        "s: sequence of float32[?,2]",
        "o: optional int64[2]",
        "x: float32[2]",
    ]
    assert [str(i) for i in model.outputs] == [
        "t: sequence of float32[…]",
        "p: optional int64[2]",
        "n: int64[]",
    ]


@pytest.mark.parametrize("o", [None, np.array([3, 4])], ids=["none", "some"])
def test_lists_and_none_are_fed_and_given(model: loomir.Model, o: np.ndarray | None) -> None:
    outputs = model.run({"s": [ROWS, ROWS[:1]], "o": o, "x": X}, engine="graph")
    assert [a.shape for a in outputs["t"]] == [(3, 2), (1, 2), (2,)]
    assert int(outputs["n"]) == 3
    assert outputs["p"] is None if o is None else np.array_equal(outputs["p"], o)


def test_results_share_no_memory_with_what_was_fed(model: loomir.Model) -> None:
    rows = ROWS.copy()
    outputs = model.run({"s": [rows], "o": None, "x": X}, engine="graph")
    outputs["t"][0][:] = 7
    np.testing.assert_array_equal(rows, ROWS)


def test_python_lists_have_no_dtype_of_their_own(model: loomir.Model) -> None:
    outputs = model.run({"s": [[[1, 2]]], "o": [3, 4], "x": [1, 2]}, engine="graph")
    assert outputs["t"][0].dtype == np.float32
    assert outputs["p"].dtype == np.int64


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("change", "identifier", "words"),
    [
        ({"s": ROWS}, "input-sequence", "'s: sequence of float32[?,2]' was given an array"),
        ({"s": None}, "input-sequence", "NoneType"),
        ({"s": 5}, "input-sequence", "int"),
        ({"s": [ROWS, None]}, "input-sequence", "'s/1: float32[?,2]'"),
        ({"x": None}, "input-sequence", "'x: float32[2]' is a tensor"),
        ({"s": [ROWS.astype(np.float64)]}, "input-dtype", "'s/0"),
        ({"s": [ROWS, X]}, "input-shape", "'s/1"),
        ({"o": np.array([1, 2, 3])}, "input-shape", "'o"),
        ({"x": [X, ROWS]}, "input-shape", "'x"),
        ({"s/0": ROWS}, "input-unknown", "o: optional int64[2], x: float32[2]"),
    ],
)
def test_what_does_not_fit(
    model: loomir.Model, change: dict[str, Any], identifier: str, words: str, engine: Engine
) -> None:
    feed = {"s": [ROWS], "o": None, "x": X} | change
    if identifier == "input-sequence":
        with raises_error("input-sequence", words):
            model.run(feed, engine=engine)
    else:
        with raises_error(identifier, words):
            model.run(feed, engine=engine)


def test_an_input_that_is_left_out(model: loomir.Model) -> None:
    with raises_error("input-missing", "o: optional int64[2]"):
        model.run({"s": [], "x": X}, engine="graph")


@pytest.mark.parametrize("option", ["shapes", "max_shapes", "values"])
def test_only_tensors_can_be_fixed_or_bounded(tmp_path: Path, option: str) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(SOURCE)
    with raises_error("input-sequence", "'s'", "only tensors"):
        loomir.load(path, **{option: {"s": [2]}})


def test_random_feeds(model: loomir.Model) -> None:
    """A list for a sequence, a value for an optional."""
    feed = random_feed(model, seed=3)
    assert [a.shape for a in feed["s"]] == [(1, 2)] * SEQUENCE_LENGTH
    assert feed["o"].shape == (2,)
    model.run(feed, engine="graph")


def test_random_elements_of_unknown_rank(tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(SOURCE.replace("tensor<?x2xf32>", "tensor<*xf32>"))
    assert [a.shape for a in random_feed(loomir.load(path))["s"]] == [(1,)] * SEQUENCE_LENGTH
