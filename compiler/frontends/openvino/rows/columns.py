"""Layer types: columns."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_ints

ROWS: dict[str, Row] = {
    "Col2Im": Row(
        "columns", "Col2ImOp", dict.fromkeys(("strides", "dilations", "pads_begin", "pads_end"), read_ints)
    ),
}  # fmt: skip
