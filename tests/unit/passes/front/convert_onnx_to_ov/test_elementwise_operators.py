"""Elementwise operators, activations and normalisation of ONNX in every version, against ONNX Runtime or numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import loomir
from loomir.compiler.formats.onnx.importer import load_onnx
from tests.support import assert_agree, raises_error
from tests.unit.passes.front.convert_onnx_to_ov.test_operators import build, check

F32 = np.float32
RNG = np.random.default_rng(9)


def rand(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(F32)


X = rand(2, 3, 4, 5)
CHANNELS = [rand(3), rand(3), rand(3), np.abs(rand(3)) + F32(0.1)]


# -- functions


@pytest.mark.parametrize(
    "operator", ["Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Atanh"]
)
def test_trigonometry(operator: str):
    x = RNG.uniform(-1, 1, (2, 3)).astype(F32)
    for opset in (9, 22):
        check(operator, opset, [x])


def test_functions_of_special_values():
    special = np.array([-np.inf, -2.5, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.5, np.inf, np.nan], F32)
    check("Acosh", 9, [np.abs(rand(4)) + 1])
    check("Round", 11, [special])
    check("Erf", 13, [special])
    for opset in (10, 20):
        check("IsInf", opset, [special])
        check("IsInf", opset, [special], detect_negative=0)
        check("IsInf", opset, [special], detect_positive=0)
    for opset in (9, 13, 20):
        check("IsNaN", opset, [special])


def test_tests_of_narrow_floats():
    """ONNX Runtime has few of these."""
    for dtype in (np.float16, np.float64, ml_dtypes.bfloat16):
        x = np.array([np.nan, np.inf, -np.inf, 1, 0], dtype)
        check("IsNaN", 20, [x], expected=np.isnan)
        check("IsInf", 20, [x], expected=np.isinf)


# -- bits


def test_bits():
    a, b = np.array([[1, -7, 127], [-128, 0, 85]], np.int8), np.array([3, -1, 15], np.int8)
    for operator, function in (
        ("BitwiseAnd", np.bitwise_and), ("BitwiseOr", np.bitwise_or), ("BitwiseXor", np.bitwise_xor),
    ):  # fmt: skip
        check(operator, 18, [a, b], expected=function)
    check("BitwiseNot", 18, [a], expected=np.invert)
    u, count = np.array([1, 255, 128, 77], np.uint8), np.array([0, 1, 7, 3], np.uint8)
    check("BitShift", 11, [u, count], direction="LEFT")
    check("BitShift", 11, [u, count], direction="RIGHT")
    with raises_error("invalid-onnx", "direction"):
        load_onnx(build("BitShift", 11, [u, count], direction="UP"))


def test_signed_shifts():
    a, count = np.array([-3, -128, 5, 64, -1, 7], np.int8), np.array([1, 2, 1, 1, 9, -1], np.int8)
    for direction, wanted in (("RIGHT", [-2, -32, 2, 32, -1, 0]), ("LEFT", [-6, 0, 10, -128, 0, 0])):
        check(
            "BitShift",
            28,
            [a, count],
            expected=lambda *_, w=wanted: np.array(w, np.int8),
            direction=direction,
        )


# -- activations


def test_activations():
    x = rand(2, 3) * 3
    for operator in ("Mish", "Elu", "Celu", "Selu", "Softplus", "Softsign", "HardSigmoid", "ThresholdedRelu"):
        check(operator, 22 if operator in ("Mish", "HardSigmoid") else 21, [x])
    check("HardSwish", 14, [x])
    for mode in ("none", "tanh"):
        check("Gelu", 20, [x], approximate=mode)
    check("Celu", 12, [x], alpha=2.5)
    check("Elu", 6, [x], alpha=0.3)
    check("Swish", 24, [x], expected=lambda v: v / (1 + np.exp(-1.5 * v)), alpha=1.5)
    check("Swish", 24, [x], expected=lambda v: v / (1 + np.exp(-v)))
    with raises_error("invalid-onnx", "approximate"):
        load_onnx(build("Gelu", 20, [x], approximate="erf"))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u1"])
def test_shrink(dtype: str):
    """Integers are moved by a fraction and rounded towards zero; unsigned ones have nothing below -lambd."""
    x = np.arange(-6, 7).astype(dtype)
    check("Shrink", 9, [x], lambd=1.0, bias=0.5)
    if dtype != "u1":
        check("Shrink", 9, [x], lambd=1.5, bias=-2.0)


def test_celu_of_bfloat16():
    """Rounded once, as ONNX's own test wants it."""
    x = np.array([-3, -0.5, 0, 0.5, 3], ml_dtypes.bfloat16)
    wide = x.astype(F32)
    wanted = np.where(wide < 0, 2 * np.expm1(wide / 2), wide).astype(ml_dtypes.bfloat16)
    actual = loomir.load(build("Celu", 28, [x], alpha=2.0)).run({"x0": x}, engine="graph")["y0"]
    np.testing.assert_array_equal(actual, wanted)


def test_slopes():
    """Since version 7 broadcast from behind; a slope of rank 1 is one per channel before only."""
    x = rand(2, 3, 4, 3)
    for slope in (rand(3), rand(1), rand(3, 1, 1), rand(4, 3)):
        check("PRelu", 9, [x, slope])
        check("PRelu", 16, [x, slope])
    check("PRelu", 16, [np.array([-4, 5, -6], np.int32), np.array([2], np.int32)])
    slope = rand(3)
    for opset in (1, 6):
        check("PRelu", opset, [x, slope], expected=lambda x, s: np.where(x < 0, x * s[:, None, None], x))


# -- along an axis


def test_hardmax():
    x = np.array([[3, 0, 1, 2], [2, 5, 1, 0], [0, 1, 3, 2], [0, 1, 3, 3]], F32)
    tensor = np.round(rand(2, 3, 4))
    for opset in (7, 11, 13):
        check("Hardmax", opset, [x], axis=1)
        check("Hardmax", opset, [x])
    for axis in (0, 1, 2):
        check("Hardmax", 11, [tensor], axis=axis)
        check("Hardmax", 13, [tensor], axis=axis)
    check("Hardmax", 13, [tensor], axis=-2)


def test_lp_normalisation():
    for p in (1, 2):
        for axis in (0, -1):
            check("LpNormalization", 1, [rand(3, 4)], p=p, axis=axis)
    zeros = np.array([[0, 0], [3, -4]], F32)
    check("LpNormalization", 22, [zeros], expected=lambda x: np.array([[0, 0], [0.6, -0.8]], F32))
    with raises_error("invalid-onnx", "p is 3"):
        load_onnx(build("LpNormalization", 1, [zeros], p=3))


# -- by statistics


def test_local_response():
    for size in (1, 3, 5):
        check("LRN", 13, [X], size=size, alpha=0.3, beta=0.5, bias=1.5)
    check("LRN", 1, [X], size=3)
    x = rand(2, 4)
    near = np.stack([(x[:, max(0, c - 1) : c + 3] ** 2).sum(1) for c in range(4)], 1)
    # Of an even size, there is one more behind; ONNX Runtime knows odd sizes and images only.
    check(
        "LRN", 13, [x], expected=lambda _: x / (1 + 0.4 / 4 * near) ** F32(0.6), size=4, beta=0.6, alpha=0.4
    )


def statistics(x: np.ndarray, axes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    return x.mean(axes, dtype=np.float64), x.var(axes, dtype=np.float64)


def normalised(x: np.ndarray, *given: Any, epsilon: float = 1e-5):
    columns = [v.reshape(-1, *[1] * (x.ndim - 2)) for v in given]
    return ((x - columns[2]) / np.sqrt(columns[3] + epsilon) * columns[0] + columns[1]).astype(x.dtype)


def trained(x, scale, bias, mean, variance, momentum=0.9):
    batch = statistics(x, (0, *range(2, x.ndim)))
    running = [
        (old * momentum + new * (1 - momentum)).astype(F32) for old, new in zip((mean, variance), batch)
    ]
    return normalised(x, scale, bias, *batch), *running, *(b.astype(F32) for b in batch)


def test_batch_normalisation_in_training():
    for opset in (14, 15):
        check("BatchNormalization", opset, [X, *CHANNELS], 3, lambda *v: trained(*v)[:3], training_mode=1)
    check(
        "BatchNormalization",
        15,
        [X, *CHANNELS],
        3,
        lambda *v: trained(*v, momentum=0.7)[:3],
        training_mode=1,
        momentum=0.7,
    )
    for opset in (7, 9):
        check("BatchNormalization", opset, [X, *CHANNELS], 5, trained)
    for opset in (1, 6):
        hint = {"consumed_inputs": [0, 0, 0, 1, 1]} if opset == 1 else {}
        check("BatchNormalization", opset, [X, *CHANNELS], 1, lambda *v: trained(*v)[0], **hint)
        check("BatchNormalization", opset, [X, *CHANNELS], 1, normalised, is_test=1, **hint)


def test_batch_normalisation_of_each_position():
    """spatial = 0: statistics and parameters for each element of an instance."""
    x, shape = rand(4, 3, 2), (3, 2)
    given = [rand(*shape), rand(*shape), rand(*shape), np.abs(rand(*shape)) + F32(0.1)]

    def inferred(x, s, b, m, v):
        return (x - m) / np.sqrt(v + F32(1e-5)) * s + b

    check("BatchNormalization", 7, [x, *given], 1, inferred, spatial=0)

    def trained(x, s, b, m, v):
        return inferred(x, s, b, x.mean(0), x.var(0))

    check("BatchNormalization", 6, [x, *given], 1, trained, spatial=0)


def test_batch_normalisation_of_mixed_types():
    """x is f16 and its statistics are f32: computed in f32, rounded once."""
    x = (X * 100).astype(np.float16)
    wide = normalised(x.astype(F32), *CHANNELS).astype(np.float16)
    actual = loomir.load(build("BatchNormalization", 15, [x, *CHANNELS])).run(
        {f"x{k}": v for k, v in enumerate([x, *CHANNELS])}, engine="graph"
    )
    np.testing.assert_allclose(actual["y0"].astype(F32), wide.astype(F32), rtol=1e-3)
    check("BatchNormalization", 15, [rand(4), rand(1), rand(1), rand(1), np.abs(rand(1)) + F32(0.1)])


def test_instances_groups_and_layers():
    check("InstanceNormalization", 22, [X, *CHANNELS[:2]])
    x = (X * 400).astype(np.float16)
    narrow = [c.astype(np.float16) for c in CHANNELS[:2]]
    actual = loomir.load(build("InstanceNormalization", 6, [x, *narrow])).run(
        {"x0": x, "x1": narrow[0], "x2": narrow[1]}, engine="graph"
    )["y0"]
    wide = x.astype(np.float64)
    mean, variance = wide.mean((2, 3), keepdims=True), wide.var((2, 3), keepdims=True)
    wanted = normalised((wide - mean) / np.sqrt(variance), *narrow, np.zeros(3), np.ones(3), epsilon=0.0)
    np.testing.assert_allclose(actual.astype(np.float64), wanted, rtol=2e-3, atol=2e-3)

    six = rand(2, 6, 3)
    check("GroupNormalization", 21, [six, rand(6), rand(6)], num_groups=3)
    check("GroupNormalization", 21, [rand(2, 6), rand(6), rand(6)], num_groups=2)
    for axis in (-1, 1, 2):
        shape = X.shape[axis:]
        check("LayerNormalization", 17, [X, rand(*shape), rand(*shape)], axis=axis)
        check("LayerNormalization", 17, [X, rand(*shape)], 3, axis=axis)
    check("MeanVarianceNormalization", 13, [X])
    check("MeanVarianceNormalization", 9, [X], axes=[0, 1])
    check("RMSNormalization", 23, [X, rand(5)])


def test_large_means_do_not_cancel():
    """ONNX's definitions subtract squares of means from means of squares, which is nothing but rounding here."""
    x = (rand(4, 64) + F32(3000)).astype(F32)

    def wanted(x, *scale):
        wide = x.astype(np.float64)
        return ((wide - wide.mean(1, keepdims=True)) / wide.std(1, keepdims=True)).astype(F32)

    check("LayerNormalization", 17, [x, np.ones(64, F32)], 1, wanted, epsilon=0.0)
    check("MeanVarianceNormalization", 13, [x], 1, wanted, axes=[1])


def test_in_c():
    """One program of many nodes as C."""
    names = ["Gelu", "Mish", "Celu", "HardSwish", "IsNaN", "Hardmax", "LpNormalization", "Round", "Erf"]
    nodes = [helper.make_node(n, ["x"], [f"y{k}"], f"n{k}") for k, n in enumerate(names)]
    nodes.append(helper.make_node("LayerNormalization", ["x", "s"], ["y", "mean", "inverse"]))
    outputs = [*(f"y{k}" for k in range(len(names))), "y", "mean", "inverse"]
    x, s = (rand(3, 6) * 2).astype(F32), rand(6)
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, v.shape) for n, v in (("x", x), ("s", s))],
        [
            helper.make_tensor_value_info(
                n,
                TensorProto.BOOL if n == "y4" else TensorProto.FLOAT,
                [3, 1] if n in ("mean", "inverse") else [3, 6],
            )
            for n in outputs
        ],
    )
    model = loomir.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10))
    onnx.checker.check_graph(graph, onnx.checker.DEFAULT_CONTEXT)
    feed = {"x": x, "s": s}
    wanted = model.run(feed, engine="graph")
    for name, value in model.run(feed, engine="native").items():
        assert_agree(value, wanted[name], name)


def test_dropout_that_drops_nothing():
    """In training, too, where the ratio is known to be 0."""
    x, ratio, training = rand(2, 3), np.array(0, F32), np.array(True)
    wanted = lambda *_: (x, np.ones_like(x, bool))  # noqa: E731
    check("Dropout", 13, [x, ratio, training], 2, wanted, constants=[1, 2])
    check("Dropout", 6, [x], 1, lambda v: v, ratio=0.0)
