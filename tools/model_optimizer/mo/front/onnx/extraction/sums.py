"""Reductions, matrix products, sums along an axis, and normalisations by them."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import int64_array, mo_array
from loomir.tools.model_optimizer.mo.front.onnx.extracting import extracts, plain
from loomir.tools.model_optimizer.mo.front.onnx.extractors.utils import get_onnx_opset_version, onnx_attr
from loomir.tools.model_optimizer.mo.graph.graph import Node
from loomir.tools.model_optimizer.mo.late import member

PLAIN = [plain("MatMul", MatMul="MatMul")]


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
