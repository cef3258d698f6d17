"""Layer types: reshape."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, element_type, read_bool

ROWS: dict[str, Row] = {
    "Reshape": Row("reshape", "ReshapeOp", {"special_zero": read_bool}),
    "Squeeze": Row("reshape", "SqueezeOp", {"allow_axis_skip": read_bool}, versions=(0, 15)),
    "Unsqueeze": Row("reshape", "UnsqueezeOp"),
    "Transpose": Row("reshape", "TransposeOp"),
    "ShapeOf": Row("reshape", "ShapeOfOp", {"output_type": element_type}, versions=(0, 3)),
}  # fmt: skip
