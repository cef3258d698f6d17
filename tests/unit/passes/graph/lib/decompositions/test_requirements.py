"""A composite's demands on its operands' extents hold when the program runs, in every engine, with bounds and without."""

import io

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import loomir
from loomir.compiler.model import Engine
from tests.support import raises_error

F32 = np.float32


def lstm(state_batch: int | str) -> bytes:
    """An LSTM whose batch is open in X, and in the initial states what is given."""
    weights = {
        "W": np.linspace(-1, 1, 48, dtype=F32).reshape(1, 12, 4),
        "R": np.linspace(1, -1, 36, dtype=F32).reshape(1, 12, 3),
        "B": np.zeros((1, 24), F32),
    }
    inputs = [("X", [5, "N", 4]), ("h", [1, state_batch, 3]), ("c", [1, state_batch, 3])]
    node = helper.make_node("LSTM", ["X", "W", "R", "B", "", "h", "c"], ["Y"], hidden_size=3)
    graph = helper.make_graph(
        [node],
        "lstm",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs],
        [helper.make_tensor_value_info("Y", TensorProto.FLOAT, [5, 1, None, 3])],
        [onnx.numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    stream = io.BytesIO()
    onnx.save(model, stream)
    return stream.getvalue()


def feed(batch: int, state_batch: int) -> dict[str, np.ndarray]:
    state = np.ones((1, state_batch, 3), F32)
    return {"X": np.ones((5, batch, 4), F32), "h": state, "c": state}


@pytest.mark.parametrize("engine", ["graph", "structured", "loops", "native"])
@pytest.mark.parametrize("state_batch", ["M", 2])
def test_states_of_another_batch(engine: Engine, state_batch: int | str, tmp_path) -> None:
    path = tmp_path / "lstm.onnx"
    path.write_bytes(lstm(state_batch))
    open_states = isinstance(state_batch, str)
    for bounds in (
        None,
        {"X": [None, 4, None]} | ({n: [None, 4, None] for n in "hc"} if open_states else {}),
    ):
        model = loomir.load(path, max_shapes=bounds)
        good = model.run(feed(2, 2), engine=engine)["Y"]
        assert good.shape == (5, 1, 2, 3)
        with raises_error("runtime-shape"):
            model.run(feed(1, 2), engine=engine)
