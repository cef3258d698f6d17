"""Functions, activations, tests and bitwise operations of OpenVINO IR against OpenVINO, in GRAPH and as C."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from openvino import opset16 as op

from tests.openvino_layers import compare_layers

RNG = np.random.default_rng(5)
X = (RNG.standard_normal((2, 3, 5)) * 3).astype(np.float32)
FLOATS = {"x": X, "unit": RNG.uniform(-1, 1, (2, 3, 5)).astype(np.float32), "above": 1 + np.abs(X)}


def number(value: float):
    return op.constant(np.float32(value))


def numbers(*values: float):
    return op.constant(np.array(values, np.float32))


def float_layers(inputs: Mapping[str, Any]) -> dict[str, Any]:
    x, unit = inputs["x"], inputs["unit"]
    plain = (
        "sin",
        "cos",
        "tan",
        "atan",
        "sinh",
        "cosh",
        "asinh",
        "erf",
        "hsigmoid",
        "hswish",
        "mish",
        "softplus",
    )
    made = {
        name: getattr(op, name)(x) for name in (*plain, "softsign", "swish", "is_nan", "is_inf", "is_finite")
    }
    made |= {name: getattr(op, name)(unit) for name in ("asin", "acos", "atanh")}
    return made | {
        "acosh": op.acosh(inputs["above"]),
        "half to even": op.round(x, "half_to_even"),
        "half away": op.round(x, "half_away_from_zero"),
        "hard_sigmoid": op.hard_sigmoid(x, number(0.3), number(0.4)),
        "selu": op.selu(x, numbers(1.5), numbers(1.1)),
        "swish of beta": op.swish(x, number(1.7)),
        "elu": op.elu(x, 0.7),
        "gelu erf": op.gelu(x, "erf"),
        "gelu tanh": op.gelu(x, "tanh"),
        "prelu": op.prelu(x, numbers(0.3)),
        "prelu of channels": op.prelu(x, numbers(0.3, 0.1, -0.2)),
    }


def test_functions_of_floats(tmp_path: Path):
    compare_layers(tmp_path, FLOATS, float_layers)
    compare_layers(tmp_path, FLOATS, float_layers, dynamic=["x"], engines=["graph"])


SPECIAL = np.array(
    [0.0, -0.0, 0.5, 1.5, -2.5, -0.5, 1e-30, 30.0, -30.0, 100.0, -100.0, np.inf, np.nan],
    np.float32,
)


def special_layers(inputs: Mapping[str, Any]) -> dict[str, Any]:
    x = inputs["x"]
    return {
        "half to even": op.round(x, "half_to_even"),
        "half away": op.round(x, "half_away_from_zero"),
        "is_nan": op.is_nan(x),
        "is_finite": op.is_finite(x),
        "is_inf": op.is_inf(x),
        "is_inf negative": op.is_inf(x, {"detect_positive": False}),
        "is_inf positive": op.is_inf(x, {"detect_negative": False}),
        "is_inf neither": op.is_inf(x, {"detect_negative": False, "detect_positive": False}),
        "softplus": op.softplus(x),
        "elu": op.elu(x, 0.7),
        "hswish": op.hswish(x),
    }


def test_special_values(tmp_path: Path):
    # OpenVINO's CPU plugin gives what lies above 6 for NaN.
    x = np.concatenate([SPECIAL, -SPECIAL[-2:]])
    compare_layers(tmp_path, {"x": x}, special_layers, expected={"hswish": hswish(x)})


def hswish(x: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return x * np.minimum(np.maximum(x + 3, 0), 6) / np.float32(6)


INTEGERS = {
    "a": RNG.integers(-(2**31), 2**31, (3, 4)).astype(np.int32),
    "b": RNG.integers(-50, 50, (3, 4)).astype(np.int32),
    "count": RNG.integers(0, 20, 4).astype(np.int32),
    "bytes": RNG.integers(0, 256, (3, 4)).astype(np.uint8),
    "few": RNG.integers(0, 8, 4).astype(np.uint8),
    "flags": RNG.integers(0, 2, (3, 4)).astype(np.bool_),
}


def bitwise_layers(inputs: Mapping[str, Any]) -> dict[str, Any]:
    a, b, count, octets, few, flags = inputs.values()
    made: dict[str, Any] = {}
    for name in ("and", "or", "xor"):
        function = getattr(op, f"bitwise_{name}")
        made |= {
            name: function(a, b),
            f"{name} u8": function(octets, few),
            f"{name} bool": function(flags, flags),
        }
    for name in ("left_shift", "right_shift"):
        function = getattr(op, f"bitwise_{name}")
        made |= {name: function(b, count), f"{name} u8": function(octets, few)}
    for name, value in (("not", a), ("not u8", octets), ("not bool", flags)):
        made[name] = op.bitwise_not(value)
    return made


def test_bitwise_operations(tmp_path: Path):
    compare_layers(tmp_path, INTEGERS, bitwise_layers)
