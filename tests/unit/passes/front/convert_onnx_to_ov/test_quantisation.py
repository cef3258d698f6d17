"""Quantised operators against ONNX Runtime, and where it has no kernel against ONNX's reference, in graph and native."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import loomir
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import assert_all_agree, raises_error
from tests.support_c import run_sanitized

RNG = np.random.default_rng(11)
X = (RNG.standard_normal((2, 3, 4)) * 60).astype(np.float32)
"""Beyond the range of 8 bits for the scales below, too."""


def q(dtype: type, *shape: int) -> np.ndarray:
    """Integers of the whole range of a type."""
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max, shape, dtype, endpoint=True)


def f(*values: float) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.float32)


def node_model(
    operator: str,
    arrays: Sequence[np.ndarray | None],
    opset: int,
    inputs: int = 1,
    dynamic_dimensions: bool = False,
    **attributes: Any,
) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A model of one node; the first `inputs` arrays are inputs, the others initialisers, None is left out."""
    feed: dict[str, np.ndarray] = {}
    infos, initialisers, names = [], [], []
    for k, array in enumerate(arrays):
        names.append("" if array is None else f"x{k}")
        if array is None:
            continue
        if k < inputs:
            shape = [f"d{k}{i}" if dynamic_dimensions and i == 0 else e for i, e in enumerate(array.shape)]
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            infos.append(helper.make_tensor_value_info(names[-1], kind, shape))
            feed[names[-1]] = array
        else:
            initialisers.append(numpy_helper.from_array(array, names[-1]))
    node = helper.make_node(operator, names, ["y"], **attributes)
    output = onnx.ValueInfoProto(name="y")
    graph = helper.make_graph([node], "g", infos, [output], initialisers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return onnx.shape_inference.infer_shapes(model), feed


def check(model: onnx.ModelProto, feed: dict[str, np.ndarray], expected: np.ndarray, **bounds: Any) -> None:
    for engine in ("graph", "native"):
        (actual,) = loomir.load(model, **bounds).run(feed, engine=engine).values()
        assert actual.dtype == expected.dtype
        if expected.dtype.kind in "fV":
            a, e = actual.astype(np.float64), expected.astype(np.float64)
            np.testing.assert_allclose(a, e, rtol=1e-6, err_msg=engine)
        else:
            np.testing.assert_array_equal(actual, expected, err_msg=engine)


QUANTISED: dict[str, tuple[str, list[np.ndarray | None], int, dict[str, Any]]] = {
    "default zero point": ("QuantizeLinear", [X, f(0.4)], 13, {}),
    "per tensor, i8": ("QuantizeLinear", [X, f(0.5), np.array(-3, np.int8)], 13, {}),
    "one element": ("QuantizeLinear", [X, np.full(1, 0.5, np.float32), np.array([3], np.uint8)], 13, {}),
    "per axis": ("QuantizeLinear", [X, f(0.4, 1.0, 0.3), np.array([1, 128, 255], np.uint8)], 13, {"axis": -2}),
    "of a vector": ("QuantizeLinear", [X[0, 0], f(0.4, 1.0, 0.3, 2), np.zeros(4, np.uint8)], 13, {"axis": 0}),
    "u16": ("QuantizeLinear", [X * 900, f(0.5), np.array(32768, np.uint16)], 21, {}),
    "i16": ("QuantizeLinear", [X * 900, f(1.0), np.array(-5, np.int16)], 21, {}),
    "output_dtype": ("QuantizeLinear", [X, f(0.5)], 21, {"output_dtype": TensorProto.INT8}),
    "f16": ("QuantizeLinear", [X.astype(np.float16), np.array(0.5, np.float16), np.array(7, np.uint8)], 19, {}),
    "blocks that divide": (
        "QuantizeLinear",
        [X, RNG.random((2, 3, 2), np.float32) + 0.5, q(np.int8, 2, 3, 2)],
        21,
        {"axis": 2, "block_size": 2},
    ),
    "blocks that don't": (
        "QuantizeLinear",
        [X, RNG.random((2, 2, 4), np.float32) + 0.5, q(np.int8, 2, 2, 4)],
        21,
        {"axis": 1, "block_size": 2},
    ),
    "dequantise": ("DequantizeLinear", [q(np.int8, 2, 3, 4), f(0.5), np.array(-3, np.int8)], 13, {}),
    "dequantise per axis": (
        "DequantizeLinear",
        [q(np.uint8, 2, 3, 4), f(0.5, 2, 3), np.array([0, 128, 255], np.uint8)],
        13,
        {"axis": 1},
    ),
    "dequantise i32": ("DequantizeLinear", [q(np.int32, 2, 3), f(0.001)], 13, {}),
    "dequantise u16": ("DequantizeLinear", [q(np.uint16, 5), f(0.5), np.array(32768, np.uint16)], 21, {}),
    "dequantise blocks": (
        "DequantizeLinear",
        [q(np.int8, 5, 4), RNG.random((3, 4), np.float32), q(np.int8, 3, 4)],
        21,
        {"axis": 0, "block_size": 2},
    ),
    "product": ("MatMulInteger", [q(np.uint8, 3, 4), q(np.int8, 4, 5), np.array(12, np.uint8)], 10, {}),
    "product per column": (
        "MatMulInteger",
        [q(np.uint8, 2, 3, 4), q(np.uint8, 4, 5), np.array(128, np.uint8), q(np.uint8, 5)],
        10,
        {},
    ),
    "convolution": (
        "ConvInteger",
        [q(np.uint8, 1, 2, 5, 5), q(np.uint8, 3, 2, 3, 3), np.array(100, np.uint8), np.array(7, np.uint8)],
        10,
        {"pads": [1, 0, 1, 2], "strides": [2, 1]},
    ),
    "quantised product": (
        "QLinearMatMul",
        [q(np.uint8, 3, 4), f(0.01), np.array(113, np.uint8), q(np.uint8, 4, 5), f(0.02), np.array(114, np.uint8),
         f(0.05), np.array(118, np.uint8)],
        21,
        {},
    ),
    "quantised convolution": (
        "QLinearConv",
        [q(np.uint8, 1, 4, 6, 6), f(0.01), np.array(113, np.uint8), q(np.int8, 6, 2, 3, 3),
         f(0.02, 0.01, 0.03, 0.02, 0.05, 0.01), np.zeros(6, np.int8), f(0.2), np.array(118, np.uint8),
         RNG.integers(-5000, 5000, 6).astype(np.int32)],
        13,
        {"group": 2, "pads": [1, 1, 1, 1]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUANTISED)
def test_as_onnxruntime(name: str) -> None:
    operator, arrays, opset, attributes = QUANTISED[name]
    model, feed = node_model(operator, arrays, opset, **attributes)
    session = onnxruntime_session(model)
    (expected,) = session.run(None, feed)
    check(model, feed, np.asarray(expected))


@pytest.mark.parametrize(
    "name", ["per axis", "blocks that don't", "dequantise per axis", "product", "quantised product"]
)
def test_first_extent_unknown(name: str) -> None:
    operator, arrays, opset, attributes = QUANTISED[name]
    model, feed = node_model(operator, arrays, max(opset, 21), dynamic_dimensions=True, **attributes)
    (expected,) = ReferenceEvaluator(model).run(None, feed)
    check(model, feed, np.asarray(expected))


SMALL = {
    "i4": ml_dtypes.int4, "u4": ml_dtypes.uint4, "i2": ml_dtypes.int2, "u2": ml_dtypes.uint2,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2, "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f4e2m1": ml_dtypes.float4_e2m1fn,
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_there_and_back_through_small_types(name: str) -> None:
    """Quantise and dequantise again; both as ONNX's reference does."""
    scale, zero = np.array([0.5, 2.0, 10.0], np.float32), np.zeros(3, SMALL[name])
    model, feed = node_model("QuantizeLinear", [X, scale, zero], 25, axis=1)
    (codes,) = ReferenceEvaluator(model).run(None, feed)
    check(model, feed, np.asarray(codes))
    back, feed = node_model("DequantizeLinear", [np.asarray(codes), scale, zero], 25, axis=1)
    (expected,) = ReferenceEvaluator(back).run(None, feed)
    check(back, feed, np.asarray(expected))


def test_product_per_row() -> None:
    """A vector as zero point of the left operand has an element for each row (ONNX Runtime and the reference don't)."""
    a, b, zero = q(np.uint8, 3, 4), q(np.int8, 4, 5), np.array([1, 128, 255], np.uint8)
    model, feed = node_model("MatMulInteger", [a, b, zero], 10)
    check(model, feed, (a.astype(np.int32) - zero[:, None].astype(np.int32)) @ b.astype(np.int32))


@pytest.mark.parametrize(
    ("arrays", "attributes"),
    [
        ([X, f(0.5), np.array(0, np.int8)], {"output_dtype": TensorProto.UINT8}),
        ([X, np.ones((3, 4), np.float32)], {}),
        ([X, np.ones((2, 2, 4), np.float32)], {"axis": 1, "block_size": 3}),
        ([X, np.ones((3, 4), np.float32)], {"axis": 1, "block_size": 2}),
    ],
    ids=["two types", "no block size", "too many blocks", "rank"],
)
def test_what_does_not_fit(arrays: list[np.ndarray], attributes: dict[str, Any]) -> None:
    with raises_error("invalid-onnx"):
        loomir.load(node_model("QuantizeLinear", arrays, 21, **attributes)[0])


@pytest.mark.parametrize("shape", [(4, 0, 3), (0, 2, 3), (4, 2, 0)])
def test_blocks_of_nothing(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, np.int8)
    scale = np.ones((-(-shape[0] // 2), *shape[1:]), np.float32)
    model, feed = node_model("DequantizeLinear", [x, scale], 21, axis=0, block_size=2)
    check(model, feed, x.astype(np.float32))


def test_blocks_of_unknown_shape() -> None:
    scale = np.ones((2, 3, 4), np.float32)
    model, _ = node_model("QuantizeLinear", [X, scale], 21, 2, dynamic_dimensions=True, axis=0, block_size=1)
    with raises_error("unknown-shape", "blocks"):
        loomir.load(model)


def test_scale_that_is_no_result_type() -> None:
    scale = np.array(1, ml_dtypes.float8_e8m0fnu)
    with raises_error("invalid-onnx", "output_dtype"):
        loomir.load(node_model("DequantizeLinear", [q(np.int8, 3), scale], 24)[0])


@pytest.mark.parametrize(
    ("name", "arena", "weights"),
    [
        # What the zero point adds to each column is in a bias.
        ("product", 0, 4 * 5 + 5 * 4),
        # u8 less 7 takes 16 bits; the result is written in place, but for one tile.
        ("convolution", 64, 3 * 2 * 9 * 2),
        # A copy of the data in 8 bits with its padding, and the sums; filters, factors of 64 bits and bias.
        ("quantised convolution", 4 * 8 * 8 + 6 * 36 * 4, 6 * 2 * 9 + 6 * 8 + 6 * 4),
    ],
)
def test_nothing_is_widened_in_memory(name: str, arena: int, weights: int, tmp_path: Path) -> None:
    operator, arrays, opset, attributes = QUANTISED[name]
    model, _ = node_model(operator, arrays, opset, **attributes)
    code = loomir.load(model).emit_c(tmp_path, name="m")
    assert code.weight_bytes == weights
    assert code.arena_bytes <= arena


def test_c_is_clean() -> None:
    """Both compilers without a warning, no undefined behaviour."""
    operator, arrays, opset, attributes = QUANTISED["quantised convolution"]
    onnx_model, feed = node_model(operator, arrays, opset, **attributes)
    model = loomir.load(onnx_model)
    assert_all_agree(run_sanitized(model.lowered("loops"), feed), model.run(feed, engine="graph"))
