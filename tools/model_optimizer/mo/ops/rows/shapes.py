"""Operations on shapes, and such as move, cut and join elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo.ops.row import OpRow, boolean, element_type, listed

_MASKS = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")


_RESIZED = [
    *("mode", "nearest_mode", "cube_coeff", "coordinate_transformation_mode", "shape_calculation_mode"),
    *boolean("antialias"),
    *listed("pads_begin", "pads_end"),
]


def _as_many_outputs_as_splits(attributes: dict[str, Any]) -> None:
    attributes.setdefault("out_ports_count", attributes["num_splits"])


def _as_many_outputs_as_sizes(attributes: dict[str, Any]) -> None:
    attributes.setdefault("out_ports_count", len(attributes["size_splits"]))


ROWS = [
    OpRow(
        *("reshape", "Reshape", "Reshape", "Reshape", "opset1", 2),
        attributes={"special_zero": True, "reinterp_shape": True},
        backend=boolean("special_zero"),
    ),
    OpRow(
        *("shape", "Shape", "ShapeOf", "ShapeOf", "opset3"),
        attributes={"output_type": np.int64},
        backend={"opset3": element_type("output_type")},
    ),
    OpRow("rank", "Rank", "Rank", attributes={"output_type": np.int64}),
    OpRow("size", "Size", "Size", inputs=None, outputs=None, requires=("output_type",)),
    OpRow(
        *("gather", "Gather", "Gather", "Gather", "opset8", 3),
        attributes={
            "batch_dims": 0,
            "reinterp_shape": True,
            "force_precision_in_ports": {1: "int32", 2: "int64"},
        },
        backend={"opset7": ["batch_dims"], "opset8": ["batch_dims"]},
        refuses=("axis",),
    ),
    OpRow(
        *("gather", "AttributedGather", "AttributedGather", "Gather", None, 2),
        attributes={"axis": 0, "reinterp_shape": True, "force_precision_in_ports": {1: "int32"}},
        backend=["axis"],
    ),
    OpRow(
        *("concat", "Concat", "Concat", "Concat", "opset1", None), attributes={"axis": 1}, backend=["axis"]
    ),
    OpRow(
        *("unsqueeze", "Unsqueeze", "Unsqueeze", "Unsqueeze", "opset1", 2),
        attributes={"unsqueeze_dims": None, "reinterp_shape": True},
    ),
    OpRow(
        *("squeeze", "Squeeze", "Squeeze", "Squeeze", "opset1", 2),
        attributes={"squeeze_dims": None, "reinterp_shape": True, "keep_at_least_1d": 0},
    ),
    OpRow(
        *("expand_dims", "ExpandDims", "ExpandDims"), attributes={"reinterp_shape": True, "expand_axis": None}
    ),
    OpRow("flatten", "Flatten", "Flatten", attributes={"axis": None, "end_axis": np.int64(-1)}),
    OpRow("flatten", "FlattenONNX", "FlattenONNX", attributes={"axis": None}),
    OpRow(
        *("transpose", "Transpose", "Transpose", "Transpose", "opset1", 2),
        attributes={"force_precision_in_ports": {1: "int64"}},
    ),
    OpRow("range", "Range", "Range", "Range", "opset4", 3, backend={"opset4": element_type("output_type")}),
    OpRow(
        *("broadcast", "Broadcast", "Broadcast", "Broadcast", "opset3", 3),
        attributes={"mode": "numpy", "force_precision_in_ports": {1: "int64", 2: "int64"}},
        backend=["mode"],
    ),
    OpRow("tile", "Tile", "Tile", "Tile", "opset1", 2),
    OpRow(
        *("strided_slice", "StridedSlice", "StridedSlice", "StridedSlice", "opset1", 4),
        backend=listed(*_MASKS),
        requires=_MASKS,
        members={"get_mask_names": staticmethod(lambda: list(_MASKS))},
    ),
    OpRow("slice", "Slice", "Slice", inputs=5),
    OpRow("slice", "OvSlice", "OvSlice", inputs=5),
    OpRow("slice", "TFSlice", "TFSlice", inputs=3),
    OpRow("slice", "AttributedSlice", "AttributedSlice"),
    OpRow(
        *("split", "Split", "Split", "Split", "opset1", 2, None),
        backend=["num_splits"],
        requires=("num_splits",),
        refuses=("axis",),
        completed=_as_many_outputs_as_splits,
    ),
    OpRow(
        *("split", "AttributedSplit", "AttributedSplit", "Split", "opset1", 1, None),
        attributes={"axis": 1},
        backend=["num_splits", "axis"],
        requires=("num_splits",),
        completed=_as_many_outputs_as_splits,
    ),
    OpRow(
        *("split", "VariadicSplit", "VariadicSplit", "VariadicSplit", None, 3, None),
        backend=["axis"],
        requires=("out_ports_count",),
        refuses=("axis", "size_splits"),
    ),
    OpRow(
        *("split", "AttributedVariadicSplit", "AttributedVariadicSplit", "VariadicSplit", "opset1", 1, None),
        requires=("axis", "size_splits"),
        completed=_as_many_outputs_as_sizes,
    ),
    OpRow(
        *("pad", "Pad", "Pad", "Pad", "opset1", 4),
        attributes={"mode": "constant", "force_precision_in_ports": {1: "int64", 2: "int64"}},
        backend=[("pad_mode", "mode")],
    ),
    OpRow(
        "pad",
        "AttributedPad",
        "AttributedPad",
        attributes={"mode": "constant", "fill_value": 0.0, "pads": None},
    ),
    OpRow("pad", "TFPad", "TFPad", inputs=3, attributes={"mode": "constant"}),
    OpRow("pad", "ONNXPad", "ONNXPad", inputs=3, attributes={"mode": "constant"}),
    OpRow(
        *("interpolate", "Interpolate", "Interpolate", "Interpolate", "opset1", 2),
        attributes={
            "axes": None,
            "mode": None,
            "align_corners": 0,
            "antialias": 0,
            "pads_begin": 0,
            "pads_end": 0,
            "force_precision_in_ports": {1: "int64"},
        },
        backend={
            "opset1": [
                *listed("axes"),
                "mode",
                *boolean("align_corners", "antialias"),
                "pads_begin",
                "pads_end",
            ],
            "opset4": _RESIZED,
            "opset11": _RESIZED,
        },
    ),
]
