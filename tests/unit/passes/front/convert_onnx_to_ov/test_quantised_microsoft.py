"""Quantised operators of com.microsoft against ONNX Runtime; with floats and with integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import loomir
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import raises_error

RNG = np.random.default_rng(5)
Case = tuple[str, list[np.ndarray | None], tuple[int, ...], dict[str, Any]]
"""An operator, its inputs, which of them are inputs of the model, attributes."""


def q(dtype: type, *shape: int) -> np.ndarray:
    """Integers of the whole range of a type."""
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max, shape, dtype, endpoint=True)


def f(*values: float) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.float32)


def u(value: int) -> np.ndarray:
    return np.array(value, np.uint8)


def i(*values: int) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.int8)


def model_of(
    operator: str, arrays: Sequence[np.ndarray | None], inputs: Sequence[int], **attributes: Any
) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A model of one node."""
    names = ["" if array is None else f"x{k}" for k, array in enumerate(arrays)]
    given = [(k, name, array) for k, (name, array) in enumerate(zip(names, arrays)) if array is not None]
    feed = {name: array for k, name, array in given if k in inputs}
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in feed.items()
    ]
    constants = [numpy_helper.from_array(a, n) for _, n, a in given if n not in feed]
    node = helper.make_node(operator, names, ["y"], domain="com.microsoft", **attributes)
    graph = helper.make_graph([node], "g", infos, [onnx.ValueInfoProto(name="y")], constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9), feed


FIVE = f(0.02, 0.01, 0.03, 0.04, 0.05)
CASES: dict[str, Case] = {
    "sum": (
        "QLinearAdd",
        [q(np.uint8, 2, 3, 8), f(0.03), u(3), q(np.uint8, 3, 8), f(0.02), u(130), f(0.05), u(9)],
        (0, 3),
        {},
    ),
    "product": (
        "QLinearMul",
        [q(np.int8, 2, 3, 8), f(0.03), i(3), q(np.int8, 3, 8), f(0.02), i(-30), f(0.05), i(9)],
        (0, 3),
        {},
    ),
    "sigmoid": ("QLinearSigmoid", [q(np.uint8, 300), f(0.05), u(120), f(1 / 256), u(0)], (0,), {}),
    "leaky": ("QLinearLeakyRelu", [q(np.int8, 300), f(0.05), i(-12), f(0.04), i(3)], (0,), {"alpha": 0.2}),
    "softmax": (
        "QLinearSoftmax",
        [q(np.uint8, 3, 10), f(0.05), u(120), f(1 / 256), u(0)],
        (0,),
        {"axis": -1, "opset": 13},
    ),
    "softmax of all axes behind one": (
        "QLinearSoftmax",
        [q(np.uint8, 3, 10, 2), f(0.05), u(120), f(1 / 256), u(0)],
        (0,),
        {"axis": 1, "opset": 11},
    ),
    "average of all": (
        "QLinearGlobalAveragePool",
        [q(np.uint8, 2, 3, 5, 7), f(0.05), u(120), f(0.03), u(10)],
        (0,),
        {},
    ),
    "average of all, channels last": (
        "QLinearGlobalAveragePool",
        [q(np.uint8, 2, 5, 7, 3), f(0.05), u(120), f(0.03), u(10)],
        (0,),
        {"channels_last": 1},
    ),
    "averages": (
        "QLinearAveragePool",
        [q(np.uint8, 2, 3, 6, 7), f(0.05), u(120), f(0.0437), u(110)],
        (0,),
        {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "strides": [2, 1], "count_include_pad": 1},
    ),
    "averages, channels last": (
        "QLinearAveragePool",
        [q(np.int8, 2, 6, 7, 3), f(0.05), i(12), f(0.0437), i(11)],
        (0,),
        {"kernel_shape": [3, 2], "channels_last": 1},
    ),
    "joined": (
        "QLinearConcat",
        [f(0.05), u(10), q(np.uint8, 2, 3), f(0.03), u(4), q(np.uint8, 2, 5), f(0.06), u(40)],
        (2, 5),
        {"axis": 1},
    ),
    "chosen": (
        "QLinearWhere",
        [q(np.uint8, 6) > 100, q(np.uint8, 6), f(0.03), u(4), q(np.uint8, 6), f(0.06), u(40), f(0.05), u(12)],
        (0, 1, 4),
        {},
    ),
    "product with a bias": (
        "QGemm",
        [
            q(np.uint8, 4, 6),
            f(0.03),
            u(100),
            q(np.int8, 5, 6),
            FIVE,
            i(1, 2, 3, 4, 5),
            q(np.int16, 5).astype(np.int32),
            f(0.2),
            u(110),
        ],
        (0,),
        {"transB": 1},
    ),
    "product as floats": (
        "QGemm",
        [q(np.uint8, 4, 6), f(0.03), u(100), q(np.int8, 6, 5), f(0.02), i(0), None, None, None],
        (0,),
        {"alpha": 0.5},
    ),
    "product of integers": (
        "MatMulIntegerToFloat",
        [q(np.uint8, 2, 4, 6), q(np.int8, 6, 5), f(0.03), FIVE, u(100), i(1, 2, 3, 4, 5), f(1, 2, 3, 4, 5)],
        (0,),
        {},
    ),
    "product of what is quantised when it runs": (
        "DynamicQuantizeMatMul",
        [
            RNG.standard_normal((3, 4, 6)).astype(np.float32),
            q(np.int8, 6, 5),
            FIVE,
            i(1, 2, 3, 4, 5),
            f(1, 2, 3, 4, 5),
        ],
        (0,),
        {},
    ),
    "zeros that are quantised when it runs": (
        "DynamicQuantizeMatMul",
        [np.zeros((4, 6), np.float32), q(np.uint8, 6, 5), f(0.02), u(100)],
        (0,),
        {},
    ),
    "quantised to 16 bits": (
        "QuantizeLinear",
        [RNG.standard_normal((3, 4)).astype(np.float32) * 60, f(0.01), np.array(3, np.int16)],
        (0,),
        {},
    ),
    "dequantised from 16 bits": (
        "DequantizeLinear",
        [q(np.uint16, 3, 4), f(0.01, 0.02, 0.03, 0.04), np.array([3, 4, 5, 60000], np.uint16)],
        (0,),
        {"axis": 1},
    ),
}


@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize("with_integers", [False, True])
def test_as_onnxruntime(name: str, with_integers: bool) -> None:
    operator, arrays, inputs, attributes = CASES[name]
    model, feed = model_of(operator, arrays, inputs, **attributes)
    (expected,) = onnxruntime_session(model).run(None, feed)
    expected = np.asarray(expected)
    for engine in ("graph", "native"):
        (actual,) = loomir.load(model, integers=with_integers).run(feed, engine=engine).values()
        assert actual.dtype == expected.dtype
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(actual, expected, rtol=2e-6, atol=1e-6, err_msg=engine)
        else:
            np.testing.assert_array_equal(actual, expected, err_msg=engine)


def test_a_zero_point_that_is_left_out_is_zero() -> None:
    data = q(np.int8, 20)
    model, feed = model_of("QLinearSigmoid", [data, f(0.05), None, f(1 / 256)], (0,))
    (actual,) = loomir.load(model).run(feed, engine="graph").values()
    exact = np.rint(256 / (1 + np.exp(-0.05 * data.astype(np.float64)))).clip(-128, 127)
    np.testing.assert_array_equal(actual, exact.astype(np.int8))


def test_means_over_axes() -> None:
    """ONNX Runtime defines the operator and has no kernel for it."""
    data = q(np.int8, 2, 3, 9)
    arrays = [data, f(0.03), i(4), f(0.01), i(5)]
    model, feed = model_of("QLinearReduceMean", arrays, (0,), axes=[2], keepdims=0)
    (actual,) = loomir.load(model).run(feed, engine="graph").values()
    means = (data.astype(np.float64) - 4).mean(2) * 0.03
    assert np.abs(actual - (np.rint(means / 0.01) + 5).clip(-128, 127)).max() <= 1


def test_a_tensor_without_its_scale() -> None:
    model, _ = model_of("QLinearConcat", [f(0.05), u(10), q(np.uint8, 2, 3), f(0.03)], (2,), axis=1)
    with raises_error("invalid-onnx", "three for each tensor"):
        loomir.load(model)
