"""DynamicQuantizeLSTM against ONNX Runtime with one thread, and as its quantiser makes it of an LSTM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import loomir
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import raises_error

STEPS, FEATURES, HIDDEN = 5, 6, 4
INPUTS = ("X", "W", "R", "B", "lengths", "h", "c", "P", "ws", "wz", "rs", "rz")
OUTPUTS = ("Y", "Y_h", "Y_c")
CASES: dict[str, dict[str, Any]] = {
    "one sequence": {},
    "a batch": {"batch": 3},
    "backwards": {"direction": "reverse"},
    "both ways": {"direction": "bidirectional", "batch": 2},
    "weights without a sign": {"dtype": np.uint8},
    "a scale for each column": {"columns": True},
    "nothing that may be left out": {"without": ("B", "h", "c")},
    "lengths": {"batch": 3, "lengths": [5, 2, 3]},
    "steps that no sequence has": {"batch": 2, "lengths": [3, 4], "direction": "bidirectional"},
    "lengths, backwards": {"batch": 3, "lengths": [5, 2, 3], "direction": "reverse"},
    "what gates see of the cell": {"peepholes": True, "batch": 2},
    "limited": {"clip": 0.4},
}


def model_of(
    batch: int = 1,
    direction: str = "forward",
    dtype: type = np.int8,
    without: tuple[str, ...] = (),
    lengths: list[int] | None = None,
    *,
    columns: bool = False,
    peepholes: bool = False,
    **attributes: Any,
) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A model of one node, whose weights are constants, and a feed."""
    rng = np.random.default_rng(7)
    ways = 2 if direction == "bidirectional" else 1
    info, scales = np.iinfo(dtype), (ways, 4 * HIDDEN) if columns else (ways,)
    middle = (int(info.min) + info.max + 1) // 2

    def real(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32) / 2

    constants = {
        "W": rng.integers(info.min, info.max + 1, (ways, FEATURES, 4 * HIDDEN)).astype(dtype),
        "R": rng.integers(info.min, info.max + 1, (ways, HIDDEN, 4 * HIDDEN)).astype(dtype),
        "B": real(ways, 8 * HIDDEN),
        "P": real(ways, 3 * HIDDEN),
        "ws": rng.uniform(0.002, 0.01, scales).astype(np.float32),
        "wz": np.full(scales, middle + 3, dtype),
        "rs": rng.uniform(0.002, 0.01, scales).astype(np.float32),
        "rz": np.full(scales, middle - 2, dtype),
    }
    feed = {
        "X": real(STEPS, batch, FEATURES) * 3,
        "h": real(ways, batch, HIDDEN),
        "c": real(ways, batch, HIDDEN),
        "lengths": np.array(lengths or [STEPS] * batch, np.int32),
    }
    missing = {*without, *([] if peepholes else ["P"]), *(["lengths"] if lengths is None else [])}
    names = ["" if name in missing else name for name in INPUTS]
    node = helper.make_node(
        "DynamicQuantizeLSTM",
        names,
        OUTPUTS,
        domain="com.microsoft",
        hidden_size=HIDDEN,
        direction=direction,
        **attributes,
    )
    feed = {name: array for name, array in feed.items() if name in names}
    graph = helper.make_graph(
        [node],
        "lstm",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in feed.items()
        ],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in OUTPUTS],
        [numpy_helper.from_array(array, name) for name, array in constants.items() if name in names],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9), feed


@pytest.mark.parametrize("name", CASES)
def test_as_onnxruntime_with_one_thread(name: str) -> None:
    model, feed = model_of(**CASES[name])
    expected = onnxruntime_session(model).run(None, feed)
    for engine in ("graph", "native"):
        found = loomir.load(model).run(feed, engine=engine)
        for output, wanted in zip(OUTPUTS, expected, strict=True):
            np.testing.assert_allclose(
                found[output], np.asarray(wanted), rtol=2e-6, atol=1e-6, err_msg=f"{engine} {output}"
            )


def test_what_the_quantiser_makes_of_an_lstm(tmp_path: Path) -> None:
    """Extents of the batch and of the steps stay open."""
    quantization = pytest.importorskip("onnxruntime.quantization")
    rng = np.random.default_rng(3)
    constants = {
        "W": rng.standard_normal((1, 4 * HIDDEN, FEATURES)) / 3,
        "R": rng.standard_normal((1, 4 * HIDDEN, HIDDEN)) / 3,
        "B": rng.standard_normal((1, 8 * HIDDEN)) / 3,
    }
    node = helper.make_node("LSTM", ["X", "W", "R", "B"], ["Y", "Y_h"], hidden_size=HIDDEN)
    graph = helper.make_graph(
        [node],
        "lstm",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, ["steps", "batch", FEATURES])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("Y", "Y_h")],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in constants.items()],
    )
    source, file = tmp_path / "lstm.onnx", tmp_path / "integers.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), source)
    quantization.quantize_dynamic(source, file, weight_type=quantization.QuantType.QInt8)
    made = onnx.load(file)
    assert [each.op_type for each in made.graph.node] == ["DynamicQuantizeLSTM"]
    model, session = loomir.load(file), onnxruntime_session(made)
    for shape in ((3, 1, FEATURES), (6, 2, FEATURES)):
        feed = {"X": rng.standard_normal(shape).astype(np.float32)}
        for engine in ("graph", "native"):
            found = model.run(feed, engine=engine)
            for output, wanted in zip(("Y", "Y_h"), session.run(None, feed), strict=True):
                np.testing.assert_allclose(found[output], np.asarray(wanted), rtol=2e-6, atol=1e-6)


def test_errors() -> None:
    for wrong, error, what in (
        ({"without": ("rs",)}, "invalid-onnx", "without R_scale"),
        ({"activations": ["Relu", "Tanh", "Tanh"]}, "unsupported-attribute", "activations relu, tanh, tanh"),
        ({"input_forget": 1}, "unsupported-attribute", "input_forget"),
        ({"direction": "sideways"}, "invalid-onnx", "direction 'sideways'"),
    ):
        with raises_error(error, what):
            loomir.load(model_of(**wrong)[0])


def test_a_hidden_size_that_the_weights_do_not_have() -> None:
    model, _ = model_of()
    (size,) = [each for each in model.graph.node[0].attribute if each.name == "hidden_size"]
    size.i = HIDDEN + 3
    with raises_error("invalid-onnx", "W of shape [1, 6, 16] for a hidden size of 7"):
        loomir.load(model)
