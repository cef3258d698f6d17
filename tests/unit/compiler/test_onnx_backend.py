"""ONNX's Backend interface."""

from __future__ import annotations

import unittest

import numpy as np
import onnx
import onnx.backend.test
import onnx.parser
import pytest
from onnx import helper

from loomir.compiler import onnx_backend
from loomir.compiler.model import ENGINES, Engine
from loomir.compiler.onnx_backend import LoomirBackend
from tests.support import raises_error

MODEL = onnx.parser.parse_model(
    """
<ir_version: 10, opset_import: ["" : 21]>
g (float[n] x, float[n] a) => (float[n] sum, float[n] "1") <float[1] two = {2.0}> {
  sum = Add (x, a) "1" = Mul (x, two)
}""".replace('"1"', "first")
)
X, A = np.array([1, 2], np.float32), np.array([3, 5], np.float32)


@pytest.mark.parametrize("engine", ENGINES)
def test_run_in_every_engine(engine: Engine) -> None:
    outputs = onnx_backend.run_model(MODEL, [X, A], engine=engine)
    np.testing.assert_array_equal(outputs[0], X + A)
    np.testing.assert_array_equal(outputs["first"], 2 * X)  # pyright: ignore[reportArgumentType, reportCallIssue]


def test_prepared_once_run_often() -> None:
    rep = onnx_backend.prepare(MODEL, engine="graph", shapes={"x": [2]})
    for scale in (1, 2):
        np.testing.assert_array_equal(rep.run({"x": X * scale, "a": A})[0], X * scale + A)
    with raises_error("input-count", "1 inputs for a model of 2", "x, a"):
        rep.run([X])
    with raises_error("input-shape"):
        rep.run([np.zeros(3, np.float32), np.zeros(3, np.float32)])


def test_a_single_input_needs_no_list() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 21]> g (float[2] x) => (float[2] y) { y = Neg (x) }'
    )
    np.testing.assert_array_equal(onnx_backend.run_model(model, X, engine="graph")[0], -X)


def test_values_are_handed_on() -> None:
    rep = onnx_backend.prepare(MODEL, engine="graph", values={"a": A})
    np.testing.assert_array_equal(rep.run({"x": X})[0], X + A)
    with raises_error("input-value"):
        rep.run([X, X])


def test_devices() -> None:
    assert onnx_backend.supports_device("CPU")
    assert not onnx_backend.supports_device("CUDA:1")
    assert not onnx_backend.supports_device("NPU")
    with raises_error("bad-device", "CUDA"):
        onnx_backend.prepare(MODEL, "CUDA")


def test_compatible() -> None:
    assert onnx_backend.is_compatible(MODEL)
    assert not onnx_backend.is_compatible(MODEL, "CUDA")
    head = '<ir_version: 10, opset_import: ["" : 21]>'
    text = onnx.parser.parse_model(f"{head} g (string[2] x) => (string[2] y) {{ y = Identity (x) }}")
    assert not onnx_backend.is_compatible(text)
    # How long the result is depends on data without a bound.
    window = onnx.parser.parse_model(f"{head} g (int64[1] s) => (float[n] y) {{ y = ConstantOfShape (s) }}")
    assert onnx_backend.is_compatible(window, engine="graph")
    assert not onnx_backend.is_compatible(window, engine="native")


def test_run_node() -> None:
    node = helper.make_node("Clip", ["x", "", "high"], ["y"])
    (y,) = onnx_backend.run_node(node, [X, np.array(1.5, np.float32)], engine="graph")
    np.testing.assert_array_equal(y, np.array([1, 1.5], np.float32))
    old = helper.make_node("Clip", ["x"], ["y"], max=1.5)
    (y,) = onnx_backend.run_node(
        old, [X], outputs_info=[(np.dtype(np.float32), (2,))], opset_version=6, engine="graph"
    )
    np.testing.assert_array_equal(y, np.array([1, 1.5], np.float32))
    with raises_error("input-count", "Clip"):
        onnx_backend.run_node(node, [X])
    with raises_error("invalid-onnx", "Concat"):
        onnx_backend.run_node(helper.make_node("Concat", ["x", "a"], ["y"]), [X, A])


def test_run_node_on_sequences() -> None:
    """A list of arrays is a sequence where the operator takes one, else an array."""
    join = helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0)
    (y,) = onnx_backend.run_node(join, [[X, A]], engine="graph")
    np.testing.assert_array_equal(y, np.concatenate([X, A]))
    erase = helper.make_node("SequenceErase", ["s", "p"], ["y"])
    (y,) = onnx_backend.run_node(erase, [[X, A], 0], engine="graph")
    assert len(y) == 1
    np.testing.assert_array_equal(y[0], A)
    (y,) = onnx_backend.run_node(helper.make_node("SequenceLength", ["s"], ["y"]), [[]], engine="graph")
    assert int(y) == 0
    (y,) = onnx_backend.run_node(helper.make_node("Neg", ["x"], ["y"]), [[X, A]], engine="graph")
    np.testing.assert_array_equal(y, -np.stack([X, A]))
    with raises_error("invalid-onnx", "Nonsense"):
        onnx_backend.run_node(helper.make_node("Nonsense", ["x"], ["y"]), [X])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_onnx_s_own_runner() -> None:
    """A class is all that it needs; a test of every kind."""

    class Graph(LoomirBackend):
        ENGINE = "graph"

    runner = onnx.backend.test.BackendTest(Graph, __name__)
    for name in (
        "test_abs_cpu",
        "test_Linear_cpu",
        "test_operator_basic_cpu",
        "test_expand_shape_model1_cpu",
        "test_abs_cuda",
    ):
        runner.include(f"^{name}$")
    result = unittest.TestResult()
    suite = runner.test_suite
    # (A suite forgets its tests while it runs; `testsRun` counts skipped ones before Python 3.12.)
    count = suite.countTestCases()
    suite.run(result)
    assert not result.errors
    assert not result.failures
    assert sum(reason == "no matched include pattern" for _, reason in result.skipped) == count - 5
