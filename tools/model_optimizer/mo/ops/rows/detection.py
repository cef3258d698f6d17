"""Detection of objects: boxes, proposals, regions, and which of them are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo.ops.row import (
    Backend,
    OpRow,
    boolean,
    element_type,
    integer,
    listed,
    truth,
)

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

ROWS = [
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
