"""Layer types: slicing."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_int, read_ints

ROWS: dict[str, Row] = {
    "Slice": Row("slicing", "SliceOp"),
    "StridedSlice": Row(
        "slicing", "StridedSliceOp",
        dict.fromkeys(("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask"), read_ints),
    ),
    "Split": Row("splitting", "SplitOp", {"num_splits": read_int}),
    "VariadicSplit": Row("splitting", "VariadicSplitOp"),
}  # fmt: skip
