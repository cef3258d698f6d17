"""ONNX's own node tests: its models with the results that its reference semantics give.

They are one test for each engine: to make the models takes ten seconds, which collecting them would cost every run.
"""

from __future__ import annotations

import warnings
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.backend.test.case.test_case import TestCase as NodeTest

import loomir
from loomir.compiler.model import Engine
from loomir.errors import Error

REFUSED = {"unsupported-operator", "unknown-operator", "unsupported-type"}
"""Errors that say that loomir does not have an operator or an element type."""

UNBOUNDED = {"unbounded-shape", "unbounded-trips", "unresolved-rank"}
"""Errors of the stages below GRAPH, where everything has a bound."""

REFUSED_VARIANTS = {
    "test_batchnorm_epsilon_training_mode",
    "test_batchnorm_example_training_mode",
    "test_maxpool_with_argmax_2d_precomputed_strides",
    "test_training_dropout",
    "test_training_dropout_default",
    "test_training_dropout_default_mask",
    "test_training_dropout_mask",
    "test_training_dropout_zero_ratio",
    "test_training_dropout_zero_ratio_mask",
}
"""Tests of attributes that are refused: training, and positions in column-major order."""

AGREEING = 1090
"""How many tests agree at least in the graph engine: an operator that is lost would else pass as refused."""


@cache
def node_tests() -> list[NodeTest]:
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_model_tests(kind="node")


def as_array(value: object) -> Any:
    """A tensor as an array; sequences stay lists (such a model is refused)."""
    if isinstance(value, list):
        return value
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)


def is_parameter(value: object) -> bool:
    """Whether an input may say axes or a shape."""
    return isinstance(value, np.ndarray) and value.dtype == np.int64 and value.ndim <= 1


def difference(test: NodeTest, engine: Engine) -> str | None:
    """Run a node test; what is wrong with the result. Raises what loading and running raise."""
    assert test.model is not None
    assert test.data_sets is not None
    inputs, outputs = test.data_sets[0]
    feed = {i.name: as_array(v) for i, v in zip(test.model.graph.input, inputs)}
    # The node tests have axes, shapes and pads as inputs; what is lowered must know them.
    fixed = {} if engine == "graph" else {n: v for n, v in list(feed.items())[1:] if is_parameter(v)}
    model = loomir.load(test.model, values=fixed)
    results = model.run(feed, engine=engine)
    for declared, value in zip(test.model.graph.output, outputs):
        actual, expected = results[declared.name], as_array(value)
        if actual.dtype != expected.dtype or actual.shape != expected.shape:
            return f"{actual.dtype}{list(actual.shape)} instead of {expected.dtype}{list(expected.shape)}"
        # The reference works in the precision of the type in some tests and in a higher one in others.
        precision = {"float16": 2e-3, "bfloat16": 1.6e-2}.get(expected.dtype.name, 0.0)
        rtol, atol = max(test.rtol, precision), max(test.atol, precision, 1e-6)
        if expected.dtype.kind in "biu":
            agrees = np.array_equal(actual, expected)
        else:
            a, b = actual.astype(np.float64), expected.astype(np.float64)
            agrees = np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        if not agrees:
            return f"output {declared.name} differs"
    return None


def run_all(tests: list[NodeTest], engine: Engine, allowed: set[str]) -> Counter[str]:
    """Outcomes counted; fails with all the tests that neither agree nor are refused as expected."""
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    for test in tests:
        try:
            problem = difference(test, engine)
        except Error as error:
            if error.identifier in allowed or (
                error.identifier == "unsupported-attribute" and test.name in REFUSED_VARIANTS
            ):
                outcomes[error.identifier] += 1
                continue
            problem = str(error)
        if problem is None:
            outcomes["agree"] += 1
        else:
            wrong.append(f"{test.name}: {problem}")
    assert not wrong, "\n".join(wrong)
    return outcomes


def test_graph_engine() -> None:
    assert run_all(node_tests(), "graph", REFUSED)["agree"] >= AGREEING


@pytest.mark.parametrize("engine", ["loops", "native"])
def test_lowered_sample(engine: Engine) -> None:
    """Every fifteenth test through the whole compiler."""
    assert run_all(node_tests()[7::15], engine, REFUSED | UNBOUNDED)["agree"] >= 50
