"""Convolutions and pooling.

Attributes that ONNX has for spatial dimensions only are extended to all dimensions, batch and channels included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import int64_array
from loomir.tools.model_optimizer.mo.front.onnx.extracting import extracts
from loomir.tools.model_optimizer.mo.front.onnx.extractors.utils import get_onnx_autopad, onnx_attr
from loomir.tools.model_optimizer.mo.graph.graph import Node


def _ints(node: Node, name: str) -> Any:
    return onnx_attr(node, name, "ints", None, int64_array)


def _with_batch_and_channels(values: Any, filler: int = 1) -> Any:
    return None if values is None else int64_array([filler, filler, *values])


def _pairs(node: Node, kernel: Any = None) -> tuple[Any, Any]:
    """Return padding as pairs, for the spatial and for all dimensions.

    Both are None if there is no padding.

    Padding of half the length, as in incorrect models, applies to both ends. Errors: `mo-onnx-attribute`.
    """
    pads = _ints(node, "pads")
    if pads is None:
        return None, None
    if kernel is not None and pads.size == kernel.size:
        pads = np.concatenate([pads, pads])
    if pads.size % 2:
        raise Error("mo-onnx-attribute", f"'pads' has {pads.size} elements", layer=str(node.id))
    spatial = pads.reshape([2, -1]).T
    return spatial, int64_array([[0, 0], [0, 0], *spatial])


def _window(node: Node) -> dict[str, Any]:
    return {
        "auto_pad": onnx_attr(node, "auto_pad", "s", None, get_onnx_autopad),
        "dilation": _with_batch_and_channels(_ints(node, "dilations")),
        "stride": _with_batch_and_channels(_ints(node, "strides")),
        "output_spatial_shape": None,
        "spatial_dims": None,
        "channel_dims": int64_array([1]),
        "batch_dims": int64_array([0]),
        "layout": "NCHW",
    }


@extracts("Conv", "DeformableConv2D")
def convolution(node: Node) -> Any:
    spatial, pad = _pairs(node)
    attributes = {
        **_window(node),
        "op": node.op,
        "bias_addable": True,
        "bias_term": None,
        "pad": pad,
        "pad_spatial_shape": spatial,
        "output_shape": None,
        "group": int64_array(onnx_attr(node, "group", "i", 1)) if _has(node, "group") else 1,
        "output": None,
        "kernel_spatial": _ints(node, "kernel_shape"),
        "input_feature_channel": 1,
        "output_feature_channel": 0,
        "kernel_spatial_idx": None,
    }
    if node.op == "Conv":
        return "convolution", "Convolution", attributes
    attributes |= {"bias_addable": False, "bias_term": False, "weights_index": 2}
    attributes["deformable_group"] = onnx_attr(node, "deformable_groups", "i", 1)
    return "deformable_convolution", "DeformableConvolution", attributes


def _has(node: Node, name: str) -> bool:
    return any(attribute.name == name for attribute in node.pb.attribute)


def get_pad(node: Any, input_shape: Any, kernel_shape: Any) -> Any:
    """Return the padding of a transposed convolution for its requested shape.

    The pairs are for all dimensions. With them the output has the spatial shape that the node specifies.
    """
    shape = node.in_node(0).shape
    spatial = node.spatial_dims
    total = int64_array(
        node.stride[spatial] * (shape[spatial] - 1)
        + node.output_padding[spatial]
        + np.asarray(kernel_shape)[node.kernel_spatial_idx]
        - node.output_spatial_shape
    )
    half, rest = int64_array(total / 2), total - total // 2
    pad = np.zeros((len(shape), 2), dtype=np.int64)
    low_first = node.has_valid("auto_pad") and node.auto_pad != "same_upper"
    pad[spatial] = np.stack([half, rest] if low_first else [rest, half], axis=1)
    return pad


@extracts("ConvTranspose")
def transposed_convolution(node: Node) -> Any:
    """Not known without `kernel_shape`."""
    if not _has(node, "kernel_shape"):
        return None
    output_shape = _ints(node, "output_shape")
    return (
        "convolution",
        "Convolution",
        {
            **_window(node),
            "type": "Deconvolution",
            "op": "Deconv2D",
            "bias_addable": True,
            "bias_term": None,
            "pad": _pairs(node)[1],
            "output_spatial_shape": output_shape,
            "original_output_spatial_shape": output_shape,
            "output_shape": None,
            "output_padding": _with_batch_and_channels(_ints(node, "output_padding"), 0),
            "group": onnx_attr(node, "group", "i", 1),
            "output": None,
            "input_feature_channel": 0,
            "output_feature_channel": 1,
            "get_pad": get_pad,
            "get_output_feature_dim": lambda n: n.kernel_shape[n.output_feature_channel] * n.group,
        },
    )


@extracts("MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool")
def pooling(node: Node) -> Any:
    kernel = _ints(node, "kernel_shape")
    spatial, pad = _pairs(node, kernel)
    window = _window(node)
    everything = node.op.startswith("Global")
    up = onnx_attr(node, "ceil_mode", "i", 0) or window["auto_pad"]
    return (
        "pooling",
        "Pooling",
        {
            **window,
            "op": node.op,
            "window": _with_batch_and_channels(kernel),
            "pad": pad,
            "pad_spatial_shape": spatial,
            "pool_method": "max" if node.op.endswith("MaxPool") else "avg",
            "exclude_pad": not onnx_attr(node, "count_include_pad", "i", 0),
            "global_pool": everything,
            "rounding_type": "ceil" if up else "floor",
            "pooling_convention": "full" if everything else "valid",
        },
    )
