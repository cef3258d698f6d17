"""Operations that change extents.

They are blocks to channels and back, crops, repeats, resizing, and the creation of a tensor of a given shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo.ops.row import OpRow, element_type, listed


def _to_other_dimensions(module: str, name: str, op: str) -> OpRow:
    attributes = {"mode": "blocks_first"}
    return OpRow(module, name, op, op, "opset1", attributes=attributes, backend=["mode", "block_size"])


def _typed(module: str, name: str, *rest: Any, **own: Any) -> OpRow:
    attributes = {"output_type": np.float32, **own.pop("attributes", {})}
    return OpRow(module, name, name, *rest, attributes=attributes, **own)


_SEEDS = {"global_seed": 0, "op_seed": 0}

ROWS = [
    _to_other_dimensions("depth_to_space", "DepthToSpaceOp", "DepthToSpace"),
    _to_other_dimensions("space_to_depth", "SpaceToDepth", "SpaceToDepth"),
    OpRow("space_to_batch", "SpaceToBatch", "SpaceToBatch", "SpaceToBatch", "opset2", 3),
    OpRow("space_to_batch", "BatchToSpace", "BatchToSpace", "BatchToSpace", "opset2", 3),
    OpRow(
        *("shufflechannel", "ShuffleChannels", "ShuffleChannels", "ShuffleChannels", "opset3"),
        attributes={"axis": 1, "group": None},
        backend=["group", "axis"],
    ),
    OpRow(
        *("crop", "Crop", "Crop", None, None, 2),
        backend=listed("axis", "offset", "dim", "crop_begin", "crop_end"),
    ),
    OpRow("slice", "CaffeSlice", "CaffeSlice"),
    OpRow("slice_like", "SliceLike", "slice_like", inputs=2, requires=("axes",)),
    OpRow("splice", "Splice", "Splice", attributes={"const_dim": 0}),
    OpRow("swapaxis", "SwapAxis", "SwapAxis"),
    OpRow("permute", "Permute", "Permute", "Permute", attributes={"order": None}, backend=listed("order")),
    OpRow("pack", "PackOp", "Pack", inputs=None, backend=["axis"]),
    OpRow(
        "tile",
        "AttributedTile",
        "AttributedTile",
        "Tile",
        "opset1",
        requires=("axis", "tiles"),
        backend=["axis", "tiles"],
    ),
    OpRow("mxrepeat", "MXRepeat", "MXRepeat", requires=("axis", "repeats")),
    OpRow("upsample", "UpsampleOp", "Upsample", inputs=2, backend=["height_scale", "width_scale", "mode"]),
    OpRow("resize", "ResizeOp", "Resize", inputs=2, backend=["mode"]),
    OpRow("ONNXResize10", "ONNXResize10", "ONNXResize10", inputs=2),
    OpRow(
        *("ONNXResize11", "ONNXResize11Op", "ONNXResize11", None, None, None),
        backend=[
            *("coordinate_transformation_mode", "cube_coeff", "exclude_outside"),
            *("extrapolation_value", "mode", "nearest_mode"),
        ],
    ),
    OpRow("TFResize", "TFResize", "TFResize", inputs=2),
    OpRow(
        *("interp", "InterpOp", "Interp", "Interp", None, 2),
        attributes={"factor": None, "align_corners": 1, "parse_2nd_input": "value"},
        backend=[
            *("height", "width", "zoom_factor", "shrink_factor", "factor"),
            *("pad_beg", "pad_end", "align_corners"),
        ],
    ),
    OpRow("fill", "Fill", "Fill", inputs=2),
    OpRow(
        *("constant_fill", "ConstantFill", "ConstantFill"),
        attributes={"input_as_shape": 1},
        backend=["input_as_shape", "fill_value"],
    ),
    OpRow(
        *("constant_of_shape", "ConstantOfShape", "ConstantOfShape"),
        attributes={"fill_value": 0},
        backend=["fill_value"],
    ),
    _typed("eye", "Eye", "Eye", "opset9", 4, backend=element_type("output_type")),
    _typed("eye", "TFEye", inputs=3),
    _typed(
        *("random_uniform", "RandomUniform", "RandomUniform", "opset8", 3),
        attributes=_SEEDS,
        backend=[*element_type("output_type"), "global_seed", "op_seed"],
    ),
    _typed("random_uniform", "AttributedRandomUniform", attributes=_SEEDS),
]
