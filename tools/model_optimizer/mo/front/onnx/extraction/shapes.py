"""Operators on shapes, and such as move, cut and join elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import float32_array, int64_array
from loomir.tools.model_optimizer.mo.front.onnx.extracting import extracts, plain
from loomir.tools.model_optimizer.mo.front.onnx.extractors.utils import (
    get_onnx_opset_version,
    onnx_attr,
    onnx_get_num_outputs,
)
from loomir.tools.model_optimizer.mo.graph.graph import Node

PLAIN = [plain("scatternd", ScatterND="ScatterNDUpdate")]


def _text(node: Node, name: str, default: str) -> str:
    return onnx_attr(node, name, "s", default.encode()).decode()


def _axes(node: Node, name: str = "axes") -> Any:
    return int64_array(onnx_attr(node, name, "ints", []))


@extracts("Reshape")
def reshape(node: Node) -> Any:
    """Before version 5 the shape is an attribute."""
    shape = onnx_attr(node, "shape", "ints", None, int64_array)
    return "reshape", "Reshape", {} if shape is None else {"dim": shape}


@extracts("Shape")
def shape_of(node: Node) -> Any:
    return "shape", "Shape", {"output_type": np.int64}


@extracts("Size")
def size(node: Node) -> Any:
    return "size", "Size", {"output_type": np.int64}


@extracts("Flatten")
def flatten(node: Node) -> Any:
    return "flatten", "FlattenONNX", {"axis": onnx_attr(node, "axis", "i", 1)}


@extracts("Transpose")
def transpose(node: Node) -> Any:
    """Without an order it is the reverse one."""
    order = onnx_attr(node, "perm", "ints", None, int64_array)
    return "transpose", "Transpose", {"order": order, "reverse_order": order is None}


@extracts("Expand")
def expand(node: Node) -> Any:
    return "broadcast", "Broadcast", {"mode": "bidirectional"}


@extracts("Squeeze")
def squeeze(node: Node) -> Any:
    axes = _axes(node)
    return "squeeze", "Squeeze", {"squeeze_dims": axes if axes.size else None}


@extracts("Unsqueeze")
def unsqueeze(node: Node) -> Any:
    return "expand_dims", "ExpandDims", {"expand_axis": _axes(node)}


@extracts("Concat")
def concat(node: Node) -> Any:
    return "concat", "Concat", {"axis": onnx_attr(node, "axis", "i", 0)}


@extracts("Split")
def split(node: Node) -> Any:
    axis = onnx_attr(node, "axis", "i", 0, np.int64)
    sizes = onnx_attr(node, "split", "ints", None, int64_array)
    if sizes is None:
        return "split", "AttributedSplit", {"axis": axis, "num_splits": onnx_get_num_outputs(node)}
    return "split", "AttributedVariadicSplit", {"axis": axis, "size_splits": sizes}


@extracts("Slice")
def slicing(node: Node) -> Any:
    """Inputs from version 10 on. Errors: `mo-onnx-attribute`."""
    if get_onnx_opset_version(node) >= 10:
        return "slice", "Slice", {}
    starts, ends, axes = (_axes(node, name) for name in ("starts", "ends", "axes"))
    if not starts.size or not ends.size:
        raise Error("mo-onnx-attribute", "'starts' and 'ends' are missing", layer=str(node.id))
    axes = axes if axes.size else np.arange(len(starts))
    return "slice", "AttributedSlice", {"axes": axes, "starts": starts, "ends": ends}


@extracts("Crop")
def crop(node: Node) -> Any:
    """Read a Crop, whose `border` is left, top, right, bottom.

    A `border` with another number of elements is not recognised.
    """
    border = onnx_attr(node, "border", "ints", None, int64_array)
    if border is None or len(border) != 4:
        return None
    scale = onnx_attr(node, "scale", "ints", None, int64_array)
    begin = border[[1, 0]]
    cut = (
        {"crop_begin": begin, "crop_end": border[[3, 2]]}
        if scale is None
        else {"dim": scale, "offset": begin}
    )
    return "crop", "Crop", {"axis": int64_array([2, 3]), **cut}


@extracts("Pad")
def pad(node: Node) -> Any:
    """Inputs from version 11 on. Errors: `mo-onnx-attribute`."""
    mode = _text(node, "mode", "constant")
    pads = onnx_attr(node, "pads", "ints", None, int64_array)
    if pads is None and get_onnx_opset_version(node) >= 11:
        return "pad", "ONNXPad", {"mode": mode}
    if pads is None:
        raise Error("mo-onnx-attribute", "'pads' is missing", layer=str(node.id))
    value = onnx_attr(node, "value", "f", 0.0)
    return "pad", "AttributedPad", {"mode": mode, "pads": pads.reshape([2, -1]).T, "fill_value": value}


@extracts("DepthToSpace", "SpaceToDepth")
def blocks(node: Node) -> Any:
    """Errors: `mo-onnx-attribute` for a mode that ONNX does not have."""
    size = onnx_attr(node, "blocksize", "i")
    if node.op == "SpaceToDepth":
        return "space_to_depth", "SpaceToDepth", {"block_size": size}
    modes, mode = {"DCR": "blocks_first", "CRD": "depth_first"}, _text(node, "mode", "DCR")
    if mode not in modes or size is None:
        raise Error("mo-onnx-attribute", f"blocks of size {size} in mode '{mode}'", layer=str(node.id))
    return "depth_to_space", "DepthToSpaceOp", {"block_size": size, "mode": modes[mode]}


@extracts("Resize")
def resize(node: Node) -> Any:
    mode = _text(node, "mode", "nearest")
    if get_onnx_opset_version(node) < 11:
        return "ONNXResize10", "ONNXResize10", {"mode": mode}
    return (
        "ONNXResize11",
        "ONNXResize11Op",
        {
            "mode": mode,
            "coordinate_transformation_mode": _text(node, "coordinate_transformation_mode", "half_pixel"),
            "nearest_mode": _text(node, "nearest_mode", "round_prefer_floor"),
            "cube_coeff": onnx_attr(node, "cubic_coeff_a", "f", -0.75),
        },
    )


@extracts("Upsample")
def upsample(node: Node) -> Any:
    """Read an Upsample.

    Scales are an input from version 9 on; before, those of batch and channels have to be 1. Errors: `mo-onnx-attribute`.
    """
    mode = _text(node, "mode", "nearest")
    if get_onnx_opset_version(node) >= 9:
        return "ONNXResize10", "ONNXResize10", {"mode": mode}
    scales = onnx_attr(node, "scales", "floats", None, float32_array)
    height, width = onnx_attr(node, "height_scale", "f"), onnx_attr(node, "width_scale", "f")
    if scales is not None:
        if scales.shape != (4,) or np.abs(scales[:2] - 1).max() > 1e-5:
            raise Error("mo-onnx-attribute", f"'scales' is {scales.tolist()}", layer=str(node.id))
        height, width = scales[2], scales[3]
    if mode not in ("nearest", "linear") or (None in (height, width) and len(node.in_nodes()) != 2):
        what = f"mode '{mode}', height {height}, width {width}"
        raise Error("mo-onnx-attribute", what, layer=str(node.id))
    return "upsample", "UpsampleOp", {"mode": mode, "height_scale": height, "width_scale": width}
