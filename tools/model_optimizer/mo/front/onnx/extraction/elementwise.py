"""Operators on elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import mo_array
from loomir.tools.model_optimizer.mo.front.onnx.extracting import Extraction, extracts, plain
from loomir.tools.model_optimizer.mo.front.onnx.extractors.utils import (
    get_onnx_datatype_as_numpy,
    get_onnx_opset_version,
    onnx_attr,
)
from loomir.tools.model_optimizer.mo.graph.graph import Node


def _of_old_axis(name: str) -> Extraction:
    """Before version 7 `axis` said where the smaller operand belongs."""
    return lambda node: ("elementwise", name, {"axis": onnx_attr(node, "axis", "i")})


PLAIN = [
    {name: _of_old_axis(name) for name in ("Add", "Sub", "Mul", "Div")},
    plain(
        "elementwise",
        **{name: name for name in ("Pow", "Equal", "Less", "Greater")},
        GreaterOrEqual="GreaterEqual",
        LessOrEqual="LessEqual",
        And="LogicalAnd",
        Or="LogicalOr",
        Xor="LogicalXor",
    ),
    plain("eltwise_n", Sum="EltwiseNAdd", Max="EltwiseNMax", Min="EltwiseNMin"),
    plain(
        "activation_ops",
        **{
            name: name
            for name in (
                *("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Erf", "Exp"),
                *("Floor", "Log", "Sigmoid", "Sign", "Sin", "Sinh", "Tan", "Tanh"),
            )
        },
        Ceil="Ceiling",
        Not="LogicalNot",
        Relu="ReLU",
        Softplus="SoftPlus",
        Softsign="SoftSign",
    ),
    plain("select", Where="Select"),
    plain("identity", Identity="Identity"),
]


@extracts("Round")
def rounding(node: Node) -> Any:
    return "elementwise", "Round", {"mode": "half_to_even"}


@extracts("Neg", "Sqrt", "Scale")
def power(node: Node) -> Any:
    """Read an operator that is a power of a scaled operand."""
    if node.op == "Scale":
        changed = {"scale": onnx_attr(node, "scale", "f", mo_array(1.0), mo_array)}
    else:
        changed = {"scale": -1} if node.op == "Neg" else {"power": 0.5}
    return "power", "AttributedPower", changed


@extracts("Elu", "ThresholdedRelu")
def with_alpha(node: Node) -> Any:
    return "activation_ops", node.op, {"alpha": onnx_attr(node, "alpha", "f", 1.0)}


@extracts("LeakyRelu")
def leaky_relu(node: Node) -> Any:
    """Read a LeakyRelu; a slope of zero makes it a ReLU.

    (ONNX's default is 0.01; the Model Optimizer takes 1.)
    """
    slope = onnx_attr(node, "alpha", "f", 1.0)
    return (
        ("activation_ops", "LeakyReLU", {"negative_slope": slope})
        if slope
        else ("activation_ops", "ReLU", {})
    )


@extracts("Clip")
def clip(node: Node) -> Any:
    """Limits are inputs from version 11 on."""
    if get_onnx_opset_version(node) >= 11:
        return "clamp", "Clamp", {}
    limits = np.finfo(np.float32)
    return (
        "clamp",
        "AttributedClamp",
        {"min": onnx_attr(node, "min", "f", limits.min), "max": onnx_attr(node, "max", "f", limits.max)},
    )


@extracts("Cast")
def cast(node: Node) -> Any:
    return "Cast", "Cast", {"dst_type": get_onnx_datatype_as_numpy(onnx_attr(node, "to", "i"))}


@extracts("Dropout")
def dropout(node: Node) -> Any:
    """Read a Dropout, which is an identity outside of training.

    A Dropout with a used mask, or in training, is not recognised.
    """
    if not onnx_attr(node, "is_test", "i", 1) or len(node.out_nodes()) > 1:
        return None
    return "identity", "Identity", {}
