"""Elementwise operators, reductions, matrix products and normalisations.

Among the reductions are sums along an axis; the normalisations are those by reductions and sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo import member
from loomir.tools.model_optimizer.mo.extractors import (
    get_onnx_datatype_as_numpy,
    get_onnx_opset_version,
    onnx_attr,
)
from loomir.tools.model_optimizer.mo.graph.graph import Node
from loomir.tools.model_optimizer.mo.onnx_extraction import Extraction, extracts, plain
from loomir.tools.model_optimizer.mo.shapes import int64_array, mo_array


def _of_old_axis(name: str) -> Extraction:
    """Before version 7 `axis` said where the smaller operand belongs."""
    return lambda node: ("elementwise", name, {"axis": onnx_attr(node, "axis", "i")})


PLAIN_ELEMENTWISE = [
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


PLAIN_PRODUCTS = [plain("MatMul", MatMul="MatMul")]


@extracts(*(f"Reduce{name}" for name in ("L1", "L2", "Max", "Mean", "Min", "Prod", "Sum")))
def reduction(node: Node) -> Any:
    axes = onnx_attr(node, "axes", "ints", None, int64_array)
    return "ReduceOps", node.op, {"axis": axes, "keep_dims": onnx_attr(node, "keepdims", "i", True)}


@extracts("CumSum")
def cumulative(node: Node) -> Any:
    return "cumsum", "CumSum", {name: onnx_attr(node, name, "i", 0) for name in ("exclusive", "reverse")}


@extracts("Gemm")
def gemm(node: Node) -> Any:
    return (
        "MatMul",
        "GemmONNX",
        {
            "alpha": onnx_attr(node, "alpha", "f", 1),
            "beta": onnx_attr(node, "beta", "f", 1),
            "transpose_a": onnx_attr(node, "transA", "i", 0),
            "transpose_b": onnx_attr(node, "transB", "i", 0),
            "broadcast_c": onnx_attr(node, "broadcast", "i", 1),
            "axis": int64_array(onnx_attr(node, "axis", "i", 0)),
        },
    )


@extracts("Einsum")
def einsum(node: Node) -> Any:
    equation = onnx_attr(node, "equation", "s").decode()
    explicit = member("ops.einsum", "Einsum").normalize_equation(node.soft_get("name", node.id), equation)
    return "einsum", "Einsum", {"equation": explicit}


@extracts("Softmax", "LogSoftmax")
def softmax(node: Node) -> Any:
    axis = {"axis": onnx_attr(node, "axis", "i", 1)}
    return (
        ("softmax", "SoftmaxONNX", axis) if node.op == "Softmax" else ("log_softmax", "LogSoftmaxONNX", axis)
    )


@extracts("BatchNormalization")
def batch_normalization(node: Node) -> Any:
    read = {"data_format": "NCHW", "eps": onnx_attr(node, "epsilon", "f", 1e-5)}
    return "BatchNormInference", "BatchNormInference", read


@extracts("InstanceNormalization")
def instance_normalization(node: Node) -> Any:
    return (
        "instance_normalization",
        "InstanceNormalization",
        {"epsilon": onnx_attr(node, "epsilon", "f", 1e-5)},
    )


@extracts("GroupNorm", "ExperimentalDetectronGroupNorm")
def group_normalization(node: Node) -> Any:
    """As two projects extend ONNX."""
    read = {
        "eps": mo_array(onnx_attr(node, "eps", "f", 1e-6), dtype=float),
        "num_groups": int64_array(onnx_attr(node, "num_groups", "i", 1)),
    }
    return "group_norm", "GroupNorm", read


@extracts("LRN")
def local_response(node: Node) -> Any:
    return (
        "lrn",
        "AttributedLRN",
        {
            "alpha": onnx_attr(node, "alpha", "f", 1e-4),
            "beta": onnx_attr(node, "beta", "f", 0.75),
            "bias": onnx_attr(node, "bias", "f", 1.0),
            "local_size": onnx_attr(node, "size", "i"),
        },
    )


@extracts("MeanVarianceNormalization")
def mean_variance(node: Node) -> Any:
    axes = onnx_attr(node, "axes", "ints", int64_array([0, 2, 3]), int64_array)
    fixed = {"eps": 1e-9, "normalize_variance": 1, "eps_mode": "outside_sqrt"}
    return "mvn", "MVNOnnx", {**fixed, "axes": axes}


@extracts("LpNormalization")
def lp_normalization(node: Node) -> Any:
    """Of the two norms that ONNX has only the second is known."""
    p = onnx_attr(node, "p", "i", 2)
    if p == 1:
        return None
    read = {"p": p, "axis": onnx_attr(node, "axis", "i", -1), "eps_mode": "add", "eps": 1e-6}
    return "normalize_l2", "NormalizeL2Op", read


@extracts("Normalize")
def normalize(node: Node) -> Any:
    read = {name: bool(onnx_attr(node, name, "i", 0)) for name in ("across_spatial", "channel_shared")}
    return "normalize", "NormalizeOp", {**read, "eps": onnx_attr(node, "eps", "f", 0), "layout": "NCHW"}


@extracts("ImageScaler", "Affine")
def scaled_image(node: Node) -> Any:
    """No class of operations has these, and the second becomes the first."""
    if node.op == "Affine":
        read = {
            k: onnx_attr(node, name, "f", None, mo_array)
            for k, name in (("scale", "alpha"), ("bias", "beta"))
        }
        return {**read, "op": "ImageScaler"}
    bias = onnx_attr(node, "bias", "floats", None, mo_array)
    if node.graph.graph["layout"] == "NCHW":
        bias = bias.reshape([*bias.shape, 1, 1])
    return {"scale": onnx_attr(node, "scale", "f", mo_array(1.0), mo_array), "bias": bias}


@extracts("FakeQuantize")
def fake_quantize(node: Node) -> Any:
    return "fakequantize", "FakeQuantize", {"levels": onnx_attr(node, "levels", "i")}


@extracts("QuantizeLinear", "DequantizeLinear")
def linear(node: Node) -> Any:
    """By axis from version 13 on."""
    read = {"axis": onnx_attr(node, "axis", "i")} if get_onnx_opset_version(node) >= 13 else {}
    return ("quantize_linear" if node.op == "QuantizeLinear" else "dequantize_linear"), node.op, read


PLAIN = [*PLAIN_ELEMENTWISE, *PLAIN_PRODUCTS]
