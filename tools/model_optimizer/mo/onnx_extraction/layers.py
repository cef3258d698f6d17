"""Convolutions, pooling, recurrent sequences and object detection.

Attributes that ONNX has for spatial dimensions only are extended to all dimensions, batch and channels included.

The operators for detection are those of ONNX and of projects that extend ONNX.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.extractors import get_onnx_autopad, get_onnx_opset_version, onnx_attr
from loomir.tools.model_optimizer.mo.graph.graph import Node
from loomir.tools.model_optimizer.mo.onnx_extraction import extracts
from loomir.tools.model_optimizer.mo.shapes import float32_array, int64_array


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


GATES: dict[str, list[int]] = {"LSTM": [2, 0, 3, 1], "GRU": [0, 1, 2], "RNN": [0]}
"""Where the operation set's gates are among ONNX's."""

_OWN = {"LSTM": "input_forget", "GRU": "linear_before_reset"}


def _lower(names: Any) -> list[str]:
    return [name.decode().lower() for name in names]


@extracts("LSTM", "GRU", "RNN")
def sequence(node: Node) -> Any:
    """Read a recurrent operator.

    RNN has a default activation. A single activation of a bidirectional RNN applies to each direction.
    """
    direction = onnx_attr(node, "direction", "s", b"forward").decode().lower()
    activations = onnx_attr(node, "activations", "strings", None, _lower)
    if node.op == "RNN":
        activations = activations or ["tanh"]
        if direction == "bidirectional" and len(activations) == 1:
            activations = activations * 2
    read = {
        "batch_dim": 1,
        "sequence_dim": 0,
        "blobs_wrb": True,
        "has_num_directions": True,
        "num_layers": 1,
        "format": "onnx",
        "multilayers": False,
        "gate_order": GATES[node.op],
        "activation_alpha": onnx_attr(node, "activation_alpha", "floats", None, float32_array),
        "activation_beta": onnx_attr(node, "activation_beta", "floats", None, float32_array),
        "activations": activations,
        "clip": onnx_attr(node, "clip", "f"),
        "direction": direction,
        "hidden_size": int64_array(onnx_attr(node, "hidden_size", "i")),
    }
    if node.op in _OWN:
        read[_OWN[node.op]] = onnx_attr(node, _OWN[node.op], "i", 0)
    return node.op, node.op, read


def _read(node: Node, fields: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """By field of the message the attributes and their defaults."""
    return {
        name: onnx_attr(node, name, field, default)
        for field, names in fields.items()
        for name, default in names.items()
    }


def _floats(node: Node, name: str) -> Any:
    return onnx_attr(node, name, "floats", None, float32_array)


def _one_of(node: Node, name: str, prefix: str, known: str, default: str = "") -> str:
    """Return an attribute value with the prefix that the operation class requires.

    Errors: `mo-onnx-attribute`.
    """
    value = onnx_attr(node, name, "s", default.encode()).decode()
    if value and value not in known.split():
        raise Error("mo-onnx-attribute", f"'{name}' is '{value}', not {known}", layer=str(node.id))
    return f"caffe.{prefix}.{value}" if value else ""


@extracts("NonMaxSuppression")
def non_max_suppression(node: Node) -> Any:
    encodings = ("corner", "center")
    read = {"sort_result_descending": 0, "output_type": np.int64}
    encoding = encodings[onnx_attr(node, "center_point_box", "i", 0)]
    return "non_max_suppression", "NonMaxSuppression", {**read, "box_encoding": encoding}


@extracts("RoiAlign")
def roi_align(node: Node) -> Any:
    """Read a RoiAlign.

    From version 16 on it supports alignment to the centres of pixels.
    """
    read = {
        "pooled_h": onnx_attr(node, "output_height", "i", 1),
        "pooled_w": onnx_attr(node, "output_width", "i", 1),
        "sampling_ratio": onnx_attr(node, "sampling_ratio", "i", 0),
        "spatial_scale": onnx_attr(node, "spatial_scale", "f", 1.0),
        "mode": onnx_attr(node, "mode", "s", b"avg").decode(),
    }
    if get_onnx_opset_version(node) >= 16:
        mode = onnx_attr(node, "coordinate_transformation_mode", "s", b"half_pixel").decode()
        read["aligned_mode"] = "asymmetric" if mode == "output_half_pixel" else mode
    return "roialign", "ROIAlign", read


@extracts("DetectionOutput")
def detection_output(node: Node) -> Any:
    """Errors: `mo-onnx-attribute`."""
    read = _read(
        node,
        {
            "i": {
                **dict.fromkeys(("num_classes", "share_location", "background_label_id", "keep_top_k"), 0),
                **dict.fromkeys(("variance_encoded_in_target", "height", "width"), 0),
                **dict.fromkeys(("height_scale", "width_scale"), 0),
                **dict.fromkeys(("input_width", "input_height", "normalized"), 1),
                "top_k": -1,
            },
            "f": {
                **dict.fromkeys(("confidence_threshold", "prob"), 0),
                **dict.fromkeys(("nms_threshold", "eta"), 0.0),
                "visualize_threshold": 0.6,
            },
            "s": {"pad_value": ""},
        },
    )
    resize = "ResizeParameter"
    read |= {
        "code_type": _one_of(node, "code_type", "PriorBoxParameter", "CORNER CENTER_SIZE", "CORNER"),
        "resize_mode": _one_of(node, "resize_mode", resize, "WARP FIT_SMALL_SIZE FIT_LARGE_SIZE_AND_PAD"),
        "pad_mode": _one_of(node, "pad_mode", resize, "CONSTANT MIRRORED REPEAT_NEAREST"),
        "interp_mode": _one_of(node, "interp_mode", resize, "LINEAR AREA NEAREST CUBIC LANCZOS4"),
    }
    return "DetectionOutput", "DetectionOutput", read


_PRIOR: dict[str, dict[str, Any]] = {
    "i": dict.fromkeys(("flip", "clip", "img_size", "img_h", "img_w"), 0),
    "f": dict.fromkeys(("step", "step_h", "step_w", "offset"), 0.0),
}


def _prior(node: Node, *lists: str) -> dict[str, Any]:
    variance = onnx_attr(node, "variance", "floats", [], float32_array)
    read = {"variance": list(variance) if len(variance) else [0.1]}
    return {**_read(node, _PRIOR), **read, **{name: _floats(node, name) for name in lists}}


@extracts("PriorBox")
def prior_box(node: Node) -> Any:
    return "priorbox", "PriorBoxOp", _prior(node, "aspect_ratio", "min_size", "max_size")


@extracts("PriorBoxClustered")
def prior_box_clustered(node: Node) -> Any:
    return "priorbox_clustered", "PriorBoxClusteredOp", _prior(node, "width", "height")


@extracts("CTCGreedyDecoder")
def greedy_decoder(node: Node) -> Any:
    merged = {"merge_repeated": bool(onnx_attr(node, "merge_repeated", "i", 1))}
    return "ctc_greedy_decoder_seq_len", "CTCGreedyDecoderSeqLenOp", merged


@extracts("ATen")
def a_ten(node: Node) -> Any:
    read = {"operator": onnx_attr(node, "operator", "s").decode(), "mode": onnx_attr(node, "mode", "i", 1)}
    return "aten", "ATen", read


_EXPERIMENTAL: dict[str, tuple[str, dict[str, dict[str, Any]]]] = {
    "DetectionOutput": (
        "detection_output_onnx",
        {
            "i": {
                "class_agnostic_box_regression": 0,
                "max_detections_per_image": 100,
                "num_classes": 81,
                "post_nms_count": 2000,
            },
            "f": {"nms_threshold": 0.5, "score_threshold": 0.05, "max_delta_log_wh": math.log(1000.0 / 16.0)},
            "floats": {"deltas_weights": [10.0, 10.0, 5.0, 5.0]},
        },
    ),
    "PriorGridGenerator": (
        "priorgridgenerator_onnx",
        {"i": {"h": 0, "w": 0, "flatten": 1}, "f": {"stride_x": 0, "stride_y": 0}},
    ),
    "GenerateProposalsSingleImage": (
        "proposal_onnx",
        {
            "i": {"post_nms_count": 1000, "pre_nms_count": 1000},
            "f": {"min_size": 0.0, "nms_threshold": 0.7},
        },
    ),
    "ROIFeatureExtractor": (
        "roifeatureextractor_onnx",
        {
            "i": {
                "output_size": 7,
                "sampling_ratio": 2,
                "aligned": 0,
                "num_classes": 81,
                "post_nms_count": 2000,
            },
            "f": {"score_threshold": 0.05},
            "ints": {"pyramid_scales": [4, 8, 16, 32, 64]},
        },
    ),
    "TopKROIs": ("topkrois_onnx", {"i": {"max_rois": 1000}}),
}
_PREFIX = "ExperimentalDetectron"


@extracts(*(_PREFIX + name for name in _EXPERIMENTAL))
def experimental(node: Node) -> Any:
    module, fields = _EXPERIMENTAL[node.op.removeprefix(_PREFIX)]
    read = _read(node, fields)
    for name in fields.get("ints", ()):
        read[name] = int64_array(read[name])
    for name in fields.get("floats", ()):
        read[name] = float32_array(read[name])
    return module, node.op, read
