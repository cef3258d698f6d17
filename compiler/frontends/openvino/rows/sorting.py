"""Layer types: sorting."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, element_type, read_bool, read_int, read_lower

ROWS: dict[str, Row] = {
    # Versions 1 and 3 differ from 11 in attributes that they do not have, and in element types.
    "TopK": Row(
        "sorting", "TopKOp",
        {"axis": read_int, "mode": read_lower, "sort": read_lower, "stable": read_bool, "index_element_type": element_type},
        versions=(1, 3, 11),
    ),
}  # fmt: skip
