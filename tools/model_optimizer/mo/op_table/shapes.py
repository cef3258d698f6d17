"""Operations on shapes, indices and sparse tensors, and movement of elements.

Operations that change extents are blocks to channels and back, crops, repeats, resizing, and the creation of a tensor of
a given shape; others move, cut and join elements, read or write them by index, or reorder them. Sparse tensors go with
sums of embeddings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo.op_table import OpRow, boolean, element_type, listed, same


def _to_other_dimensions(module: str, name: str, op: str) -> OpRow:
    attributes = {"mode": "blocks_first"}
    return OpRow(module, name, op, op, "opset1", attributes=attributes, backend=["mode", "block_size"])


def _typed(module: str, name: str, *rest: Any, **own: Any) -> OpRow:
    attributes = {"output_type": np.float32, **own.pop("attributes", {})}
    return OpRow(module, name, name, *rest, attributes=attributes, **own)


_SEEDS = {"global_seed": 0, "op_seed": 0}

BLOCKS = [
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


SHAPES = [
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


_SCATTER = {"is_scatter": True, "reduction": None, "use_init_val": None}


def _scatter(name: str, backend: Any = ()) -> OpRow:
    return OpRow("scatter", name, name, name, "opset3", 4, attributes=_SCATTER, backend=backend)


INDEXING = [
    OpRow(
        *("gatherelements", "GatherElements", "GatherElements", "GatherElements", "opset6", 2),
        attributes={"axis": 0},
        backend=["axis"],
    ),
    OpRow(
        *("gathernd", "GatherND", "GatherND", "GatherND", "opset8", 2),
        attributes={"batch_dims": 0},
        backend=["batch_dims"],
    ),
    OpRow("GatherTree", "GatherTree", "GatherTree", "GatherTree", "opset1", 4),
    _scatter("ScatterElementsUpdate", {"opset12": ["reduction", "use_init_val"]}),
    _scatter("ScatterUpdate"),
    OpRow("scatternd", "ScatterNDUpdate", "ScatterNDUpdate", "ScatterNDUpdate", "opset4", 3),
    OpRow("scatternd", "TFScatterND", "TFScatterND", inputs=3),
    OpRow("roll", "Roll", "Roll", "Roll", "opset7", 3),
    OpRow("roll", "AttributedRoll", "AttributedRoll", inputs=3, attributes={"shift": None, "axes": None}),
    OpRow("Reverse", "Reverse", "Reverse", inputs=2, attributes={"axis": None}),
    OpRow(
        *("reverse_sequence", "ReverseSequence", "ReverseSequence", "ReverseSequence", "opset1", 2),
        attributes={"seq_axis": None, "batch_axis": 0},
        backend=["seq_axis", "batch_axis"],
    ),
    OpRow(
        *("one_hot", "OneHot", "OneHot", "OneHot", "opset1", 4),
        attributes={"axis": -1, "data_type": None, "force_precision_in_ports": {1: "int64"}},
        backend=["axis"],
    ),
    OpRow(
        *("non_zero", "NonZero", "NonZero", "NonZero", "opset3"),
        backend=element_type("output_type"),
        requires=("output_type",),
    ),
    OpRow(
        *("argmax", "ArgMaxOp", "ArgMax", None, None, 2),
        attributes={"output_type": "int64"},
        backend=["out_max_val", "top_k", "axis"],
    ),
    OpRow(
        *("argmin", "ArgMinOp", "ArgMin", None, None, 2),
        attributes={"output_type": "int64"},
        backend=["top_k", "axis"],
    ),
    OpRow(
        *("unique", "Unique", "Unique", None, "experimental", 1, 3),
        backend=["sorted", "return_inverse", "return_counts"],
    ),
]


def _embedding(name: str, inputs: int) -> OpRow:
    return same("embedding_bag", name, "opset3", inputs, base="EmbeddingBagBase")


SPARSE = [
    OpRow("embedding_bag", "EmbeddingBagBase", attributes={"version": None, "in_ports_count": None}),
    _embedding("EmbeddingBagOffsetsSum", 5),
    _embedding("EmbeddingBagPackedSum", 3),
    _embedding("EmbeddingSegmentsSum", 6),
    OpRow("embedding_bag", "EmbeddingSegmentsMean", "EmbeddingSegmentsMean", inputs=6),
    OpRow(
        *("sparse_fill_empty_rows", "SparseFillEmptyRows", "SparseFillEmptyRows", None, "experimental"),
        *(4, 3),
    ),
    OpRow("sparse_reshape", "SparseReshape", "SparseReshape", None, None, 3, 2),
    OpRow("sparse_segment_mean", "SparseSegmentMean", "SparseSegmentMean", None, "experimental", 3),
    OpRow("sparse_segment_sqrtn", "SparseSegmentSqrtN", "SparseSegmentSqrtN", None, "experimental", 3),
    OpRow("sparse_segment_sum", "SparseSegmentSum", "SparseSegmentSum", None, "experimental", 3),
]

ROWS = [*BLOCKS, *SHAPES, *INDEXING, *SPARSE]
