"""Resizing, sampling, regions of interest and non-maximum suppression.

Resize has the predecessor Upsample; GridSample and DeformConv sample at positions that are data.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import f32
from loomir.dialects.ov.base import AttrValue
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.decoding import NonMaxSuppressionOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.interpolate import COORDINATES, NEAREST, POLICIES, InterpolateOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.roi import ROIAlignOp, ROIPoolingOp
from loomir.dialects.ov.operators.sampling import DeformableConvolutionOp, GridSampleOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.operators.sliding_windows import WindowAttributes
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

RESIZE_MODES = {"nearest": "nearest", "linear": "linear_onnx", "bilinear": "linear_onnx", "cubic": "cubic"}


def _mode(node: Node) -> str:
    given = node.string("mode", "nearest")
    mode = RESIZE_MODES.get(given)
    if mode is None or (given == "bilinear" and node.version > 1):
        raise Error("invalid-onnx", f"the mode '{given}' does not exist")
    return mode


def _by_scales(node: Node, scales: SSAValue, **attributes: AttrValue) -> SSAValue:
    axes = node.vector(range(node.rank(node.input(0))))
    return node.op(
        InterpolateOp,
        node.input(0),
        scales,
        axes,
        mode=_mode(node),
        shape_calculation_mode="scales",
        exact_scale=True,
        **attributes,
    )


@translates("Upsample", 1, 7, 9, 10)
def upsample(node: Node) -> Results:
    """Translate Upsample.

    There is a scale for each dimension; positions are divided by the scales, and nearest rounds down.
    """
    if node.version == 1:
        factors = [1.0, 1.0, node.float("height_scale"), node.float("width_scale")]
        scales = node.constant(np.array(factors, np.float32))
    elif node.version == 7:
        scales = node.constant(np.array(node.floats("scales"), np.float32))
    else:
        scales = node.input(1)
    return _by_scales(node, scales, coordinate_transformation_mode="asymmetric", nearest_mode="floor")


@translates("Resize", 10)
def resize_by_scales(node: Node) -> Results:
    """Translate Resize by scales, like Upsample.

    If an axis shrinks, nearest rounds up (ONNX's own tests, ONNX Runtime).
    """
    return _by_scales(node, node.input(1), coordinate_transformation_mode="asymmetric", nearest_mode="simple")


def _given(node: Node, index: int) -> SSAValue | None:
    """Return an optional input, or None if it is absent or empty.

    A vector without elements represents an omitted input.
    """
    value = node.optional(index)
    return None if value is not None and node.shape(value) == (0,) else value


@translates("Resize", 11, 13, 18, 19)
def resize(node: Node) -> Results:
    """X, roi, and either scales or sizes."""
    data, roi, scales, sizes = node.input(0), _given(node, 1), _given(node, 2), _given(node, 3)
    if (scales is None) == (sizes is None):
        raise Error("invalid-onnx", "either scales or sizes must be given")
    target = scales if scales is not None else sizes
    assert target is not None
    rank = node.rank(data)
    axes = node.ints("axes", range(rank))
    coordinates = node.string("coordinate_transformation_mode", "half_pixel")
    nearest = node.string("nearest_mode", "round_prefer_floor")
    policy = node.string("keep_aspect_ratio_policy", "stretch")
    if coordinates not in COORDINATES or nearest not in NEAREST or policy not in POLICIES:
        raise Error("invalid-onnx", f"unknown mode among '{coordinates}', '{nearest}', '{policy}'")
    cropped = coordinates == "tf_crop_and_resize"
    if cropped and roi is None:
        raise Error("invalid-onnx", "tf_crop_and_resize needs roi")
    if roi is not None and node.element(roi) != f32:
        roi = node.op(ConvertOp, roi, destination_type=f32)
    mode = _mode(node)
    return node.op(
        InterpolateOp,
        data,
        target,
        node.vector(axes),
        roi if cropped else None,
        mode=mode,
        shape_calculation_mode="scales" if scales is not None else "sizes",
        coordinate_transformation_mode=coordinates,
        nearest_mode=nearest,
        antialias=bool(node.int("antialias", 0)) and mode != "nearest",
        cube_coeff=float(node.float("cubic_coeff_a", -0.75)),
        exclude_outside=bool(node.int("exclude_outside", 0)),
        extrapolation_value=float(node.float("extrapolation_value", 0.0)),
        keep_aspect_ratio_policy="stretch" if scales is not None else policy,
        exact_scale=True,
    )


GRID_SAMPLE_MODES = {
    "bilinear": "bilinear", "linear": "bilinear", "nearest": "nearest", "bicubic": "bicubic", "cubic": "bicubic",
}  # fmt: skip


@translates("GridSample", 16, 20, 22)
def grid_sample(node: Node) -> Results:
    """Translate GridSample.

    Version 20 renamed the modes bilinear and bicubic, and allows any number of spatial axes.
    """
    mode = node.string("mode", "linear")
    if mode not in GRID_SAMPLE_MODES:
        raise Error("invalid-onnx", f"the mode '{mode}' does not exist")
    return node.op(
        GridSampleOp,
        node.input(0),
        node.input(1),
        mode=GRID_SAMPLE_MODES[mode],
        padding_mode=node.string("padding_mode", "zeros"),
        align_corners=bool(node.int("align_corners", 0)),
    )


@translates("DeformConv", 19, 22)
def deform_conv(node: Node) -> Results:
    """X, W, offset, B, mask; two spatial axes."""
    rank = node.rank(node.input(1), "the weights") - 2
    window = WindowAttributes.of(node, rank)
    result = node.op(
        DeformableConvolutionOp,
        node.input(0),
        node.input(2),
        node.input(1),
        node.optional(4),
        group=node.int("group", 1),
        deformable_group=node.int("offset_group", 1),
        bilinear_interpolation_pad=True,
        **window.attributes,
    )
    bias = node.optional(3)
    if bias is None:
        return result
    return node.op(AddOp, result, node.op(ReshapeOp, bias, node.vector([1, -1] + [1] * rank)))


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


@translates("NonMaxSuppression", 10, 11)
def non_max_suppression(node: Node) -> Results:
    """Translate NonMaxSuppression.

    Defaults of omitted inputs: no box at all, a threshold of 0, no threshold for scores.
    """
    defaults = (np.array(0, np.int64), np.array(0, np.float32), np.array(np.nan, np.float32))
    given = [node.optional(k) for k in (2, 3, 4)]
    operands = [node.constant(d) if v is None else v for v, d in zip(given, defaults)]
    found = node.emit(
        NonMaxSuppressionOp,
        node.input(0),
        node.input(1),
        *operands,
        attributes={
            "box_encoding": "center" if node.int("center_point_box", 0) else "corner",
            "sort_result_descending": False,
        },
    )
    return found.selected_indices
