"""Layer types: pooling."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import (
    Row,
    element_type,
    read_bool,
    read_int,
    read_ints,
    read_lower,
)

_WINDOW = {"strides": read_ints, "pads_begin": read_ints, "pads_end": read_ints, "auto_pad": read_lower}

ROWS: dict[str, Row] = {
    "AvgPool": Row(
        "pooling", "AvgPoolOp",
        {**_WINDOW, "kernel": read_ints, "dilations": read_ints, "exclude-pad": read_bool, "rounding_type": read_lower},
        versions=(1, 14, 16),
    ),
    "MaxPool": Row(
        "pooling", "MaxPoolOp",
        {**_WINDOW, "kernel": read_ints, "dilations": read_ints, "rounding_type": read_lower, "index_element_type": element_type,
         "axis": read_int},
        versions=(1, 8, 14),
    ),
}  # fmt: skip
