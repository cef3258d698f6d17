"""Constants of 4 bits two to a byte, of whole programs: all engines give what numpy does, of half as many bytes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import loomir
from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.levels import LEVELS
from loomir.compiler.model import Engine, Model
from loomir.passes.loops.linalg_pack_nibbles import packed
from tests.support_c import run_sanitized

ENGINES: tuple[Engine, ...] = ("loops", "native")
RANDOM = np.random.default_rng(4)


def drawn(shape: Sequence[int], least: int, most: int) -> np.ndarray:
    """Integers of which the ends are there."""
    found = RANDOM.integers(least, most + 1, shape).astype(np.int8)
    found.flat[:2] = least, most
    return found


def narrowing() -> list[str]:
    """Level Os for weights of any size."""
    passes = LEVELS["Os"]["graph"]
    return ["ov-narrow-weights{least-bytes=0}" if p == "ov-narrow-weights" else p for p in passes]


def packing() -> list[str]:
    passes = LEVELS["Os"]["loops"]
    return ["linalg-pack-nibbles{least-bytes=0}" if p == "linalg-pack-nibbles" else p for p in passes]


def without_packing() -> list[str]:
    return [p for p in LEVELS["Os"]["loops"] if p != "linalg-pack-nibbles"]


def model_of(
    nodes: Sequence[onnx.NodeProto],
    constants: dict[str, np.ndarray | onnx.TensorProto],
    shape: Sequence[int],
    element: int = TensorProto.FLOAT,
    result: int = TensorProto.FLOAT,
) -> onnx.ModelProto:
    held = [
        value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(value, name)
        for name, value in constants.items()
    ]
    graph = helper.make_graph(
        nodes,
        "nibbles",
        [helper.make_tensor_value_info("x", element, shape)],
        [helper.make_tensor_value_info("y", result, None)],
        held,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def of_4_bits(values: np.ndarray, type_: int) -> onnx.TensorProto:
    return helper.make_tensor("w", type_, values.shape, values.flatten().tolist())


def is_packed(model: Model) -> bool:
    """Return True if the code takes either half of a byte."""
    return "arith.remui" in str(model.lowered("loops"))


def convolution(
    x: np.ndarray, w: np.ndarray, pads: int, stride: int, dilation: int, groups: int = 1
) -> np.ndarray:
    """A window of numpy's, in the type of x."""
    x = np.pad(x, ((0, 0), (0, 0), (pads, pads), (pads, pads)))
    outputs, inputs, height, width = w.shape
    rows = (x.shape[2] - dilation * (height - 1) - 1) // stride + 1
    columns = (x.shape[3] - dilation * (width - 1) - 1) // stride + 1
    found = np.zeros((x.shape[0], outputs, rows, columns), x.dtype)
    each = outputs // groups
    for g, i, j in product(range(groups), range(height), range(width)):
        part = x[
            :,
            g * inputs : (g + 1) * inputs,
            i * dilation : i * dilation + stride * (rows - 1) + 1 : stride,
            j * dilation : j * dilation + stride * (columns - 1) + 1 : stride,
        ]
        kernel = w[g * each : (g + 1) * each, :, i, j].astype(x.dtype)
        found[:, g * each : (g + 1) * each] += np.einsum("bchw,nc->bnhw", part, kernel)
    return found


def weights_in_c(model: Model) -> int:
    return emit_c(model.lowered("loops"), "model").weight_bytes


@pytest.mark.parametrize(("depth", "columns"), [(32, 24), (31, 24), (32, 23), (48, 1)])
@pytest.mark.parametrize(("least", "most"), [(-8, 7), (0, 15)])
def test_a_product_of_floats(depth: int, columns: int, least: int, most: int) -> None:
    """The same bits as without the pass, in half the bytes.

    The bytes are those of 8-bit weights, rounded up along one dimension.
    """
    w = drawn((depth, columns), least, most)
    scale = RANDOM.uniform(0.01, 0.1, columns).astype(np.float32)
    type_ = TensorProto.INT4 if least < 0 else TensorProto.UINT4
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["f"], axis=1),
        helper.make_node("MatMul", ["x", "f"], ["y"]),
    ]
    made = model_of(nodes, {"w": of_4_bits(w, type_), "s": scale}, [3, depth])
    model = loomir.load(made, level="Os", pipelines={"graph": narrowing(), "loops": packing()})
    other = loomir.load(made, level="Os", pipelines={"graph": narrowing(), "loops": without_packing()})
    x = RANDOM.standard_normal((3, depth)).astype(np.float32)
    expected = x @ (w * scale)
    for engine in ENGINES:
        (y,) = model.run({"x": x}, engine=engine).values()
        (same,) = other.run({"x": x}, engine=engine).values()
        np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(y, same)
    least_bytes = min(-(-depth // 2) * columns, depth * -(-columns // 2))
    assert weights_in_c(model) == weights_in_c(other) - depth * columns + least_bytes


@pytest.mark.parametrize(
    ("window", "pads", "stride", "dilation", "groups"),
    [(3, 1, 1, 1, 1), (3, 1, 2, 1, 1), (3, 2, 1, 2, 1), (2, 0, 2, 1, 1), (1, 0, 1, 1, 1), (3, 1, 1, 1, 6)],
)
def test_convolutions(window: int, pads: int, stride: int, dilation: int, groups: int) -> None:
    """In floats with weights of 4 bits, and in integers; windows of 3 × 3, too, and each channel by itself."""
    channels, outputs = 6, 12
    w = drawn((outputs, channels // groups, window, window), -8, 7)
    attributes: dict[str, Any] = {
        "pads": [pads] * 4,
        "strides": [stride] * 2,
        "dilations": [dilation] * 2,
        "group": groups,
    }
    shape = [1, channels, 9, 8]
    scale = RANDOM.uniform(0.01, 0.1, outputs).astype(np.float32)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["f"], axis=0),
        helper.make_node("Conv", ["x", "f"], ["y"], **attributes),
    ]
    made = model_of(nodes, {"w": of_4_bits(w, TensorProto.INT4), "s": scale}, shape)
    model = loomir.load(made, level="Os", pipelines={"graph": narrowing(), "loops": packing()})
    assert is_packed(model)
    x = RANDOM.standard_normal(shape).astype(np.float32)
    wanted = convolution(x.astype(np.float64), w, pads, stride, dilation, groups)
    for engine in ENGINES:
        (y,) = model.run({"x": x}, engine=engine).values()
        np.testing.assert_allclose(y, wanted * scale[:, None, None], rtol=1e-4, atol=1e-4)

    nodes = [helper.make_node("ConvInteger", ["x", "w", "z"], ["y"], **attributes)]
    constants: dict[str, np.ndarray | onnx.TensorProto] = {"w": w, "z": np.array(131, np.uint8)}
    made = model_of(nodes, constants, shape, TensorProto.UINT8, TensorProto.INT32)
    model = loomir.load(made, level="Os", pipelines={"loops": packing()})
    assert is_packed(model)
    x = RANDOM.integers(0, 256, shape).astype(np.uint8)
    wanted = convolution(x.astype(np.int64) - 131, w, pads, stride, dilation, groups)
    for engine in ENGINES:
        (y,) = model.run({"x": x}, engine=engine).values()
        np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("zero", [0, 3, 120])
@pytest.mark.parametrize(("least", "most"), [(-8, 7), (0, 15), (-3, 0), (100, 115), (-128, -113)])
def test_integers_less_a_zero_point(least: int, most: int, zero: int) -> None:
    """Whatever 16 numbers in a row weights are of, with 8 bits or, less their zero point, with more."""
    w = drawn((40, 12), least, most)
    nodes = [helper.make_node("MatMulInteger", ["x", "w", "a", "b"], ["y"])]
    constants: dict[str, np.ndarray | onnx.TensorProto] = {
        "w": w,
        "a": np.array(-5, np.int8),
        "b": np.array(zero, np.int8),
    }
    made = model_of(nodes, constants, [5, 40], TensorProto.INT8, TensorProto.INT32)
    model = loomir.load(made, level="Os")
    assert is_packed(model)
    x = RANDOM.integers(-128, 128, (5, 40)).astype(np.int8)
    for engine in ENGINES:
        (y,) = model.run({"x": x}, engine=engine).values()
        np.testing.assert_array_equal(y, (x.astype(np.int64) + 5) @ (w.astype(np.int64) - zero))


def test_a_network_of_integers() -> None:
    """Two layers, quantised: as at the default level, whose weights are bytes."""
    constants: dict[str, np.ndarray | onnx.TensorProto] = {
        "w": drawn((16, 8, 3, 3), -8, 7),
        "v": drawn((1024, 10), -7, 7),
        "s": np.array(0.03, np.float32),
        "t": np.array(0.1, np.float32),
        "u": np.array(0.5, np.float32),
        "z": np.array(-3, np.int8),
        "o": np.array(0, np.int8),
    }
    node = helper.make_node
    nodes = [
        node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        node("DequantizeLinear", ["q", "s", "z"], ["a"]),
        node("DequantizeLinear", ["w", "t", "o"], ["b"]),
        node("Conv", ["a", "b"], ["c"], pads=[1, 1, 1, 1]),
        node("Relu", ["c"], ["r"]),
        node("QuantizeLinear", ["r", "t", "z"], ["d"]),
        node("DequantizeLinear", ["d", "t", "z"], ["e"]),
        node("Flatten", ["e"], ["f"]),
        node("DequantizeLinear", ["v", "t", "o"], ["g"]),
        node("MatMul", ["f", "g"], ["h"]),
        node("QuantizeLinear", ["h", "u", "z"], ["i"]),
        node("DequantizeLinear", ["i", "u", "z"], ["y"]),
    ]
    made = model_of(nodes, constants, [1, 8, 8, 8])
    model, other = (loomir.load(made, level=level, integers=True) for level in ("Os", "O2"))
    x = RANDOM.uniform(-3, 3, (1, 8, 8, 8)).astype(np.float32)
    (same,) = other.run({"x": x}, engine="native").values()
    for engine in ENGINES:
        (y,) = model.run({"x": x}, engine=engine).values()
        np.testing.assert_array_equal(y, same)
    assert weights_in_c(other) - weights_in_c(model) == (16 * 8 * 9 + 1024 * 10) // 2
    (y,) = run_sanitized(model.lowered("loops"), {"x": x}).values()
    np.testing.assert_array_equal(y, same)


IR = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data element_type="f32" shape="2,{depth}"/>
  <output><port id="0" precision="FP32"><dim>2</dim><dim>{depth}</dim></port></output></layer>
<layer id="1" name="w" type="Const" version="opset1"><data element_type="{type}" shape="{rows},{depth}" offset="0" size="{size}"/>
  <output><port id="0" precision="{type}"><dim>{rows}</dim><dim>{depth}</dim></port></output></layer>
<layer id="2" name="c" type="Convert" version="opset1"><data destination_type="f32"/>
  <input><port id="0"/></input>
  <output><port id="1" precision="FP32"><dim>{rows}</dim><dim>{depth}</dim></port></output></layer>
<layer id="3" name="z" type="Const" version="opset1"><data element_type="f32" shape="{rows},1" offset="{size}" size="{scales}"/>
  <output><port id="0" precision="FP32"><dim>{rows}</dim><dim>1</dim></port></output></layer>
<layer id="4" name="d" type="Subtract" version="opset1"><data auto_broadcast="numpy"/>
  <input><port id="0"/><port id="1"/></input>
  <output><port id="2" precision="FP32"><dim>{rows}</dim><dim>{depth}</dim></port></output></layer>
<layer id="5" name="s" type="Const" version="opset1"><data element_type="f32" shape="{rows},1" offset="{scale}" size="{scales}"/>
  <output><port id="0" precision="FP32"><dim>{rows}</dim><dim>1</dim></port></output></layer>
<layer id="6" name="e" type="Multiply" version="opset1"><data auto_broadcast="numpy"/>
  <input><port id="0"/><port id="1"/></input>
  <output><port id="2" precision="FP32"><dim>{rows}</dim><dim>{depth}</dim></port></output></layer>
<layer id="7" name="y" type="MatMul" version="opset1"><data transpose_a="false" transpose_b="true"/>
  <input><port id="0"/><port id="1"/></input>
  <output><port id="2" precision="FP32" names="y"><dim>2</dim><dim>{rows}</dim></port></output></layer>
<layer id="8" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges>
<edge from-layer="1" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="2" from-port="1" to-layer="4" to-port="0"/>
<edge from-layer="3" from-port="0" to-layer="4" to-port="1"/>
<edge from-layer="4" from-port="2" to-layer="6" to-port="0"/>
<edge from-layer="5" from-port="0" to-layer="6" to-port="1"/>
<edge from-layer="0" from-port="0" to-layer="7" to-port="0"/>
<edge from-layer="6" from-port="2" to-layer="7" to-port="1"/>
<edge from-layer="7" from-port="2" to-layer="8" to-port="0"/>
</edges></net>"""


@pytest.mark.parametrize(("type_", "zeros"), [("i4", [0]), ("u4", [8]), ("u4", [5]), ("u4", [0, 3, 8, 15])])
def test_compressed_weights_of_openvino(type_: str, zeros: list[int], tmp_path: Path) -> None:
    """Compressed weights as NNCF writes them.

    They have 4 bits, less a zero point, which may differ in each row, times a scale for each row.
    """
    rows, depth = 16, 40
    w = drawn((rows, depth), *((-8, 7) if type_ == "i4" else (0, 15)))
    w[:, :2] = w.min(), w.max()
    zero = np.resize(np.array(zeros, np.float32), (rows, 1))
    scale = RANDOM.uniform(0.01, 0.1, (rows, 1)).astype(np.float32)
    raw = packed(w.reshape(-1) & 15, 0).tobytes()
    path = tmp_path / "m.xml"
    size, scales = len(raw), scale.nbytes
    path.write_text(
        IR.format(type=type_, rows=rows, depth=depth, size=size, scale=size + scales, scales=scales)
    )
    path.with_suffix(".bin").write_bytes(raw + zero.tobytes() + scale.tobytes())
    model = loomir.load(path, level="Os")
    x = RANDOM.standard_normal((2, depth)).astype(np.float32)
    for engine in ENGINES:
        (y,) = model.run({"x": x}, engine=engine).values()
        np.testing.assert_allclose(y, x @ ((w - zero) * scale).T, rtol=1e-4, atol=1e-4)
    assert weights_in_c(model) == rows * depth // 2 + scales + (rows if len(zeros) > 1 else 0)


def test_a_padded_convolution_of_channels_apart() -> None:
    """Each channel's weights are counted from a number of its own; the padding is left out as before."""
    outputs = 10
    w = drawn((outputs, 6, 3, 3), 0, 15) + (np.arange(outputs, dtype=np.int8) * 11 - 60)[:, None, None, None]
    nodes = [helper.make_node("ConvInteger", ["x", "w", "z"], ["y"], pads=[1, 1, 1, 1])]
    constants: dict[str, np.ndarray | onnx.TensorProto] = {"w": w, "z": np.array(131, np.uint8)}
    made = model_of(nodes, constants, [1, 6, 9, 8], TensorProto.UINT8, TensorProto.INT32)
    model = loomir.load(made, level="Os")
    assert weights_in_c(model) == w.size // 2 + outputs
    x = RANDOM.integers(0, 256, (1, 6, 9, 8)).astype(np.uint8)
    for engine in ENGINES:
        (y,) = model.run({"x": x}, engine=engine).values()
        np.testing.assert_array_equal(y, convolution(x.astype(np.int64) - 131, w, 1, 1, 1))
    (y,) = run_sanitized(model.lowered("loops"), {"x": x}).values()
    np.testing.assert_array_equal(y, convolution(x.astype(np.int64) - 131, w, 1, 1, 1))
    text = str(model.lowered("loops"))
    assert "scf.if" not in text
    assert "arith.select" not in text


def test_what_is_small_or_spans_more_stays() -> None:
    nodes = [helper.make_node("MatMulInteger", ["x", "w"], ["y"])]
    for shape, most in (((8, 8), 7), ((40, 12), 8)):
        w = drawn(shape, -8, most)
        made = model_of(nodes, {"w": w}, [5, shape[0]], TensorProto.INT8, TensorProto.INT32)
        assert not is_packed(loomir.load(made, level="Os"))
