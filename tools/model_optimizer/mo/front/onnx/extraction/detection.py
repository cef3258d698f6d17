"""Object detection: operators of ONNX and of projects that extend ONNX."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import float32_array, int64_array
from loomir.tools.model_optimizer.mo.front.onnx.extracting import extracts
from loomir.tools.model_optimizer.mo.front.onnx.extractors.utils import get_onnx_opset_version, onnx_attr
from loomir.tools.model_optimizer.mo.graph.graph import Node


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
