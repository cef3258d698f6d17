"""LSTM, GRU and RNN for a machine with vectors, where products of the sequence are computed for blocks of iterations: the same numbers."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import loomir
from loomir.compiler.engines.graph import GraphEngine

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
INPUTS, HIDDEN = 16, 24


def model(kind: str, direction: str, steps: int, batch: int, *, lengths: bool) -> onnx.ModelProto:
    """One recurrent operator with a bias and a first state, and perhaps a length for each sequence of the batch."""
    random = np.random.default_rng(steps)
    directions, gates = 1 + (direction == "bidirectional"), GATES[kind] * HIDDEN
    weights = {
        "W": random.normal(size=(directions, gates, INPUTS)) / 4,
        "R": random.normal(size=(directions, gates, HIDDEN)) / 5,
        "B": random.normal(size=(directions, 2 * gates)) / 2,
    }
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, (steps, batch, INPUTS))]
    if lengths:
        inputs.append(helper.make_tensor_value_info("lengths", TensorProto.INT32, (batch,)))
    inputs.append(helper.make_tensor_value_info("h", TensorProto.FLOAT, (directions, batch, HIDDEN)))
    outputs = ["y", "h_end", "c_end"][: 3 if kind == "LSTM" else 2]
    names = ["x", "W", "R", "B", "lengths" if lengths else "", "h"]
    node = helper.make_node(kind, names, outputs, hidden_size=HIDDEN, direction=direction)
    graph = helper.make_graph(
        [node],
        "recurrent",
        inputs,
        [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs],
        [numpy_helper.from_array(w.astype(np.float32), n) for n, w in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", GATES)
def test_sequences(kind: str, direction: str) -> None:
    random = np.random.default_rng(3)
    directions = 1 + (direction == "bidirectional")
    # No loop; one block, whose products stand before the loop; one of sixteen iterations, and three behind it.
    for steps, batch, lengths in ((1, 1, False), (5, 3, True), (16, 1, True), (19, 1, False), (19, 2, True)):
        written = model(kind, direction, steps, batch, lengths=lengths)
        feed: dict[str, np.ndarray] = {
            "x": random.normal(size=(steps, batch, INPUTS)).astype(np.float32),
            "h": random.normal(size=(directions, batch, HIDDEN)).astype(np.float32),
        }
        if lengths:
            feed["lengths"] = random.integers(1, steps + 1, size=batch).astype(np.int32)
        expected = GraphEngine(loomir.load(written).module).run(feed).outputs
        made = loomir.load(written, machine="x86-64-v3")
        results = made.run(feed, engine="loops")
        for name, value in expected.items():
            np.testing.assert_allclose(results[name], value, rtol=1e-4, atol=1e-5, err_msg=f"{steps} {name}")
