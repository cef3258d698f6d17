"""Convolutions, pooling, normalisations and object detection.

Convolutions and pooling move a window over spatial dimensions. Normalisations of tensors go with scaling by a parameter for
each channel. Detection of objects: boxes, proposals, regions, and which of them are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.extractors import get_backend_pad
from loomir.tools.model_optimizer.mo.op_table import (
    Backend,
    OpRow,
    boolean,
    element_type,
    integer,
    listed,
    spatial,
    truth,
)

POOLINGS: dict[str, dict[str, Any]] = {
    "max": {"version": "opset8", "out_ports_count": 2},
    "avg": {"version": "opset1", "out_ports_count": 1},
}
"""Version in the operation set and output count of pooling, by method."""


def _padding(end: int) -> Callable[[Any], str | None]:
    """Return a function for the padding on one side of spatial dimensions.

    The side is before (0) or after (1) the dimensions. The function returns None if the node has no padding.
    """

    def text(node: Any) -> str | None:
        if not node.has_valid("pad"):
            return None
        return ",".join(map(str, get_backend_pad(node.pad, node.spatial_dims, end)))

    return text


def _explicit_padding(end: int) -> Callable[[Any], str | None]:
    """The same, but zeros where the padding follows from `auto_pad`."""

    def text(node: Any) -> str | None:
        if node.has_valid("pad") and node.soft_get("auto_pad", None) not in (None, "explicit"):
            return ",".join("0" for _ in node.pad[node.spatial_dims])
        return _padding(end)(node)

    return text


def _auto_pad(node: Any) -> str:
    return node.auto_pad if node.has_valid("auto_pad") else "explicit"


def _output_padding(node: Any) -> str | None:
    backwards = node.type in ("GroupConvolutionBackpropData", "ConvolutionBackpropData")
    if not backwards or not node.has_valid("output_padding"):
        return None
    return ",".join(map(str, node.output_padding[node.spatial_dims]))


_CONVOLUTION: Backend = [
    ("auto_pad", _auto_pad),
    *spatial(strides="stride", dilations="dilation"),
    ("pads_begin", _explicit_padding(0)),
    ("pads_end", _explicit_padding(1)),
    ("output_padding", _output_padding),
    "pad_value",
    "mode",
]
_DEFORMABLE: Backend = [*_CONVOLUTION, "deformable_group", "group"]


def _pooled(attributes: Mapping[str, Any]) -> Backend:
    common: Backend = [
        *spatial(strides="stride", kernel="window"),
        ("pads_begin", _padding(0)),
        ("pads_end", _padding(1)),
        ("exclude-pad", boolean("exclude_pad")[0][1]),
        "rounding_type",
        ("auto_pad", _auto_pad),
    ]
    if attributes.get("pool_method") == "avg":
        return common
    return [*common, *spatial(dilations="dilation"), "axis", *element_type("index_element_type")]


def _by_method(attributes: dict[str, Any]) -> None:
    row = POOLINGS[attributes["pool_method"]]
    outputs = 1 if attributes.get("version") == "opset1" else row["out_ports_count"]
    attributes.setdefault("version", row["version"])
    attributes.setdefault("out_ports_count", outputs)


def _transparent(weights: int) -> dict[str, Any]:
    """Return attributes of an operation that is transparent to multiplication.

    A factor of the data, or of the weights at input `weights`, is a factor of the result.
    """
    return {
        "multiplication_transparent": True,
        "multiplication_transparent_ports": [(0, 0), (weights, 0)],
    }


WINDOWS = [
    OpRow(
        *("convolution", "Convolution", "Convolution", "Convolution", "opset1", 3),
        attributes=_transparent(1),
        backend=_CONVOLUTION,
    ),
    OpRow(
        *("deconvolution", "Deconvolution", "Deconvolution", "Deconvolution", "opset1", 3),
        backend=[
            *spatial(dilations="dilation", strides="stride"),
            ("pads_begin", _padding(0)),
            ("pads_end", _padding(1)),
            "auto_pad",
        ],
    ),
    OpRow(
        *("deformable_convolution", "DeformableConvolution", "DeformableConvolution"),
        *("DeformableConvolution", "opset8", 3),
        attributes={
            **_transparent(2),
            "group": 1,
            "deformable_group": 1,
            "bilinear_interpolation_pad": False,
        },
        backend={"opset1": _DEFORMABLE, "opset8": [*_DEFORMABLE, "bilinear_interpolation_pad"]},
    ),
    OpRow("pooling", "PoolingV2", "PoolingV2", inputs=3, attributes={"version": None}),
    OpRow(
        *("pooling", "Pooling", "Pooling", "Pooling", None, 1, None),
        backend=_pooled,
        requires=("pool_method",),
        completed=_by_method,
    ),
    OpRow("adaptive_avg_pooling", "AdaptiveAvgPooling", "AdaptiveAvgPooling"),
    OpRow(
        *("ExtractImagePatches", "ExtractImagePatches", "ExtractImagePatches"),
        *("ExtractImagePatches", "opset3"),
        backend=[*spatial(sizes="sizes", strides="strides", rates="rates"), "auto_pad"],
        requires=("spatial_dims",),
    ),
]

NAMES = {"pooling": {"poolings_map": POOLINGS}}


def _bools(*names: str) -> Any:
    """Completes attributes that are truth values, or their numbers or digits."""

    def completed(attributes: dict[str, Any]) -> None:
        for name in names:
            value = attributes[name]
            attributes[name] = bool(int(value) if isinstance(value, str) else value)

    return completed


def _valid(name: str) -> Any:
    return (name, lambda node: bool(node[name]) if node.has_valid(name) else None)


def _known_region(attributes: dict[str, Any]) -> None:
    """Errors: `mo-op-attribute`."""
    if attributes["region"] not in ("across", "same"):
        what = f"'region' is '{attributes['region']}', not 'across' or 'same'"
        raise Error("mo-op-attribute", what, op="AttributedLRN")


NORMALIZATIONS = [
    OpRow("BN", "BN", "BN", inputs=5),
    OpRow("BatchNormInference", "BatchNormInference", "batchNormInference", inputs=5),
    OpRow("group_norm", "GroupNorm", "GroupNorm", inputs=3),
    OpRow(
        *("group_norm", "GroupNormalization", "GroupNormalization", "GroupNormalization", "opset12", 3),
        attributes={"num_groups": None, "epsilon": None},
        backend=["num_groups", "epsilon"],
    ),
    OpRow(
        *("instance_normalization", "InstanceNormalization", "InstanceNormalization"),
        inputs=None,
        outputs=None,
        attributes={"epsilon": None},
        backend=["epsilon"],
    ),
    OpRow(
        *("layer_norm", "LayerNorm", "LayerNorm", None, None, 1, 3),
        attributes={"axis": -1, "epsilon": 0.001, "output_mean_var": False},
    ),
    OpRow(
        *("lrn", "LRN", "LRN", "LRN", "opset1", 2),
        backend=["alpha", "beta", "bias", "size"],
        requires=("alpha", "beta", "bias", "size"),
        refuses=("region",),
    ),
    OpRow(
        *("lrn", "AttributedLRN", "AttributedLRN", "Norm", "opset1"),
        attributes={"bias": 1, "region": "across"},
        backend=["alpha", "beta", ("local-size", lambda node: node.local_size), "region"],
        requires=("alpha", "beta", "local_size"),
        completed=_known_region,
    ),
    OpRow(
        *("mvn", "MVN", "MVN", "MVN", "opset6", 2),
        attributes={"eps": None, "normalize_variance": None, "eps_mode": None},
        backend={
            "opset2": ["eps", *boolean("across_channels", "normalize_variance")],
            "opset6": ["eps", "eps_mode", *boolean("normalize_variance")],
        },
    ),
    OpRow(
        *("mvn", "MVNOnnx", "MVNOnnx"),
        attributes={
            "version": None,
            "eps": None,
            "eps_mode": None,
            "normalize_variance": None,
            "axes": None,
        },
    ),
    OpRow(
        *("mvn", "MVNCaffe", "MVNCaffe"),
        attributes={"version": None, "eps": 1e-9, "normalize_variance": None, "across_channels": None},
    ),
    OpRow(
        *("normalize", "NormalizeOp", "Normalize", "Normalize", None, 2),
        attributes={"eps": None},
        backend=["eps", "eps_mode", _valid("across_spatial"), _valid("channel_shared")],
        requires=("across_spatial", "channel_shared"),
        completed=_bools("across_spatial", "channel_shared"),
    ),
    OpRow(
        *("normalize_l2", "NormalizeL2Op", "NormalizeL2", "NormalizeL2", "opset1", 2),
        attributes={"eps": None, "p": None, "eps_mode": None},
        backend=["eps", "eps_mode"],
    ),
    OpRow("grn", "GRNOp", "GRN", "GRN", "opset1", backend=["bias"]),
    OpRow("pnorm", "PNormOp", "pnorm"),
    OpRow("scale_shift", "ScaleShiftOp", "ScaleShift", "ScaleShift", inputs=3),
    OpRow("axpy", "AxpyOp", "Axpy", inputs=None, outputs=None),
]


_BOXES = ("clip_after_nms", "clip_before_nms")


def _experimental(module: str, name: str, *rest: Any, **own: Any) -> OpRow:
    full = f"ExperimentalDetectron{name}"
    return OpRow(module, full, full, full, *rest, **own)


def _outputs_of_proposal(attributes: dict[str, Any]) -> None:
    attributes.setdefault("out_ports_count", 1 if attributes["version"] == "opset1" else 2)


def _outputs_of_suppression(attributes: dict[str, Any]) -> None:
    attributes["out_ports_count"] = 1 if attributes["version"] in ("opset1", "opset3", "opset4") else 3


_DETECTION: Backend = [
    "background_label_id",
    *boolean(*_BOXES),
    *("code_type", "confidence_threshold"),
    *boolean("decrease_label_id"),
    *("input_height", "input_width", "keep_top_k", "nms_threshold"),
    *boolean("normalized", "share_location"),
    "top_k",
    *boolean("variance_encoded_in_target"),
    "objectness_score",
]
_SUPPRESSION: Backend = [*boolean("sort_result_descending"), "box_encoding"]
_SUPPRESSION_TYPED: Backend = [*_SUPPRESSION, *element_type("output_type")]
_PRIOR = ("min_size", "max_size", "aspect_ratio", "variance", "density", "fixed_size", "fixed_ratio")
_POOLED = ["pooled_h", "pooled_w", "spatial_scale"]
_PS_POOLED: Backend = [
    *("spatial_scale", "output_dim", *integer("group_size")),
    *("mode", "spatial_bins_x", "spatial_bins_y"),
]
_ALIGNED: Backend = [
    ("mode", lambda node: str(node.mode)),
    *integer("pooled_h", "pooled_w", "sampling_ratio"),
    ("spatial_scale", lambda node: float(node.spatial_scale)),
]

DETECTION = [
    OpRow(
        *("DetectionOutput", "DetectionOutput", "DetectionOutput", "DetectionOutput", "opset8", 3),
        attributes={
            "input_width": 1,
            "input_height": 1,
            "normalized": True,
            "share_location": True,
            **dict.fromkeys((*_BOXES, "decrease_label_id", "variance_encoded_in_target"), False),
        },
        backend={"opset1": [*_DETECTION, "num_classes"], "opset8": _DETECTION},
    ),
    _experimental(
        *("detection_output_onnx", "DetectionOutput", "opset6", 4, 3),
        backend=[
            *truth("class_agnostic_box_regression"),
            *("max_detections_per_image", "nms_threshold", "num_classes"),
            *("post_nms_count", "score_threshold", "max_delta_log_wh"),
            *listed("deltas_weights"),
        ],
    ),
    _experimental(
        *("priorgridgenerator_onnx", "PriorGridGenerator", "opset6", None, None),
        backend=["flatten", "h", "w", "stride_x", "stride_y"],
    ),
    _experimental(
        *("proposal_onnx", "GenerateProposalsSingleImage", "experimental", None, None),
        backend=["min_size", "nms_threshold", "post_nms_count", "pre_nms_count"],
    ),
    _experimental(
        *("roifeatureextractor_onnx", "ROIFeatureExtractor", "opset6", None, 2),
        backend=[*listed("pyramid_scales"), "output_size", "sampling_ratio", *truth("aligned")],
    ),
    _experimental("topkrois_onnx", "TopKROIs", "experimental", None, None, backend=["max_rois"]),
    OpRow(
        *("non_max_suppression", "NonMaxSuppression", "NonMaxSuppression", "NonMaxSuppression", "opset9", 5),
        outputs=None,
        attributes={
            "output_type": np.int64,
            "box_encoding": "corner",
            "sort_result_descending": 1,
            "force_precision_in_ports": {2: "int64"},
        },
        backend={
            "opset1": _SUPPRESSION,
            **dict.fromkeys(("opset3", "opset4", "opset5", "opset9"), _SUPPRESSION_TYPED),
        },
        completed=_outputs_of_suppression,
    ),
    OpRow(
        *("nms_rotated", "NMSRotated", "NMSRotated", "NMSRotated", "opset13", 5, 3),
        attributes={"sort_result_descending": True, "output_type": "int64", "clockwise": True},
        backend=[*boolean("sort_result_descending"), "output_type", *boolean("clockwise")],
    ),
    OpRow(
        *("priorbox", "PriorBoxOp", "PriorBox", "PriorBox", "opset1", 2),
        attributes={
            **dict.fromkeys(("flip", "clip", "scale_all_sizes"), True),
            **{name: np.array([], dtype=np.float32) for name in _PRIOR if name != "variance"},
        },
        backend=[
            *integer("flip", "clip"),
            *("step", "offset"),
            *boolean("scale_all_sizes"),
            *listed(*_PRIOR),
        ],
    ),
    OpRow(
        *("priorbox_clustered", "PriorBoxClusteredOp", "PriorBoxClustered", "PriorBoxClustered", "opset1", 2),
        attributes={"clip": True},
        backend=[
            *integer("clip"),
            *("img_h", "img_w", "step", "step_h", "step_w", "offset"),
            *listed("variance", "width", "height"),
        ],
    ),
    OpRow(
        *("proposal", "ProposalOp", "Proposal", "Proposal", "opset4", 3, None),
        attributes={
            "post_nms_topn": 300,
            "normalize": False,
            "clip_before_nms": True,
            "clip_after_nms": False,
        },
        backend=[
            *("feat_stride", "base_size", "min_size", *listed("ratio", "scale")),
            *("pre_nms_topn", "post_nms_topn", "nms_thresh", "framework"),
            *("box_coordinate_scale", "box_size_scale", *boolean("normalize", *_BOXES)),
        ],
        completed=_outputs_of_proposal,
    ),
    OpRow(
        *("proposal_python_example", "ProposalPythonExampleOp", "Proposal", "Proposal", None, None, None),
        attributes={"post_nms_topn": 300},
    ),
    OpRow(
        *("psroipooling", "PSROIPoolingOp", "PSROIPooling", "PSROIPooling", "opset2", 2),
        attributes={"mode": "average", "trans_std": 0, "no_trans": True},
        backend=_PS_POOLED,
    ),
    OpRow(
        *("psroipooling", "DeformablePSROIPoolingOp", "DeformablePSROIPooling", "DeformablePSROIPooling"),
        *("opset1", 3),
        attributes={"mode": "bilinear_deformable", "trans_std": 0, "no_trans": True},
        backend=[*_PS_POOLED, "trans_std", "part_size"],
        base="PSROIPoolingOp",
    ),
    OpRow(
        *("roialign", "ROIAlign", "ROIAlign", "ROIAlign", "opset9", 3),
        attributes={"aligned_mode": "asymmetric"},
        backend={
            "opset3": _ALIGNED,
            "opset9": [*_ALIGNED, ("aligned_mode", lambda node: str(node.aligned_mode))],
        },
        requires=("mode", "pooled_h", "pooled_w", "sampling_ratio", "spatial_scale"),
    ),
    OpRow(
        *("roipooling", "ROIPooling", "ROIPooling", "ROIPooling", "opset2", 2),
        attributes={"pooled_h": None, "pooled_w": None, "spatial_scale": 0.0625, "method": "max"},
        backend=[*_POOLED, "method"],
    ),
    OpRow(
        *("regionyolo", "RegionYoloOp", "RegionYolo", "RegionYolo", "opset1"),
        backend=[
            *("coords", "classes", "num", "axis", "end_axis", *boolean("do_softmax")),
            *listed("anchors", "mask"),
        ],
    ),
    OpRow(*("reorgyolo", "ReorgYoloOp", "ReorgYolo", "ReorgYolo", "opset2", None, None), backend=["stride"]),
    OpRow(
        *("box_nms", "BoxNms", "_contrib_box_nms", None, None, None, None),
        attributes={
            "coord_start": 2,
            "force_suppress": False,
            "id_index": 0,
            "overlap_thresh": 0.45,
            "score_index": 1,
            "topk": 400,
            "valid_thresh": 0.01,
        },
        backend=[
            *("coord_start", "force_suppress", "id_index", "overlap_thresh"),
            *("score_index", "topk", "valid_thresh"),
        ],
    ),
]

ROWS = [*WINDOWS, *NORMALIZATIONS, *DETECTION]
