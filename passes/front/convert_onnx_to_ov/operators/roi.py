"""Regions of interest."""

from __future__ import annotations

from loomir.dialects.ov.operators.roi import ROIAlignOp, ROIPoolingOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("RoiAlign", 10, 16, 22)
def roi_align(node: Node) -> Results:
    """Translate RoiAlign.

    From version 16 on, coordinates are shifted by half a pixel unless the node specifies otherwise.
    """
    half = node.version >= 16 and (
        node.string("coordinate_transformation_mode", "half_pixel").lower() == "half_pixel"
    )
    return node.op(
        ROIAlignOp,
        node.input(0),
        node.input(1),
        node.input(2),
        pooled_h=node.int("output_height", 1),
        pooled_w=node.int("output_width", 1),
        sampling_ratio=node.int("sampling_ratio", 0),
        spatial_scale=node.float("spatial_scale", 1.0),
        mode=node.string("mode", "avg").lower(),
        aligned_mode="half_pixel_for_nn" if half else "asymmetric",
        maximum_of="corners",
    )


@translates("MaxRoiPool", 1, 22)
def max_roi_pool(node: Node) -> Results:
    """The maximum of each bin."""
    pooled = node.ints("pooled_shape")
    if len(pooled) != 2:
        raise Error("invalid-onnx", f"pooled_shape has {len(pooled)} numbers instead of 2")
    return node.op(
        ROIPoolingOp,
        node.input(0),
        node.input(1),
        pooled_h=pooled[0],
        pooled_w=pooled[1],
        spatial_scale=node.float("spatial_scale", 1.0),
    )
