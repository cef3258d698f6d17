"""Activation functions of one tensor, and their names in `ops.activation_ops`."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.ops.row import OpRow

MODULE = "activation_ops"

_PLAIN = {
    "opset1": (
        *(
            "Sigmoid",
            "Sin",
            "Sinh",
            "Asin",
            "Cos",
            "Cosh",
            "Acos",
            "Tan",
            "Tanh",
            "Atan",
            "Exp",
            "ReLU",
            "Erf",
        ),
        *("Floor", "Ceiling", "Abs", "Sign", "LogicalNot", "Log"),
    ),
    "opset4": ("Asinh", "Acosh", "Atanh", "SoftPlus", "Mish", "HSwish"),
    "opset5": ("HSigmoid",),
    "opset9": ("SoftSign",),
}


def _activation(name: str, version: str | None, type: str | None, **own: Any) -> OpRow:
    return OpRow(MODULE, name, name, type, version, base="Activation", **own)


def _clamp(module: str, name: str, **own: Any) -> OpRow:
    return OpRow(module, name, "AttributedClamp", "Clamp", "opset1", backend=["max", "min"], **own)


ROWS = [
    OpRow(MODULE, "Activation", version="opset1"),
    *(_activation(name, version, name) for version, names in _PLAIN.items() for name in names),
    _activation("Elu", "opset1", "Elu", attributes={"alpha": 1.0}, backend=["alpha"]),
    _activation("ThresholdedRelu", "opset1", None, attributes={"alpha": 1.0}),
    _clamp(MODULE, "ReLU6", attributes={"min": 0, "max": 6}),
    OpRow(MODULE, "LeakyReLU", "LeakyReLU", "LeakyReLU", backend=["negative_slope"]),
    OpRow(MODULE, "Swish", "Swish", "Swish", "opset4", 2),
    _clamp("clamp", "AttributedClamp"),
    OpRow("clamp", "Clamp", "Clamp", inputs=3),
    OpRow(*("softmax", "Softmax", "SoftMax", "SoftMax", "opset8"), attributes={"axis": 1}, backend=["axis"]),
    OpRow("softmax", "SoftmaxONNX", "SoftMaxONNX", attributes={"axis": 1}),
    OpRow(
        *("log_softmax", "LogSoftmax", "LogSoftmax", "LogSoftmax", "opset5"),
        attributes={"axis": 1},
        backend=["axis"],
    ),
    OpRow("log_softmax", "LogSoftmaxONNX", "LogSoftmaxONNX", attributes={"axis": 1}),
    OpRow(*("gelu", "GeLUOP", "Gelu", "Gelu", "opset7"), backend={"opset7": ["approximation_mode"]}),
    OpRow("hard_sigmoid", "HardSigmoid", "HardSigmoid", "HardSigmoid", "opset1", 3),
    OpRow(
        "prelu", "PReLU", "PReLU", "PReLU", "opset1", 2, attributes={"force_precision_in_ports": {1: "float"}}
    ),
    OpRow(
        *("activation", "Activation", "Activation", "Activation"),
        backend=[("type", lambda node: node.operation), "alpha"],
    ),
]

NAMES = {
    MODULE: {
        "activation_ops": ["Sigmoid", "Tanh", "ReLU6", "Exp", "Elu", "LogicalNot", "Floor", "Ceiling"],
    }
}
