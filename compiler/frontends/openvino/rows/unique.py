"""Layer types: unique."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, element_type, read_bool

ROWS: dict[str, Row] = {
    "Unique": Row(
        "unique", "UniqueOp",
        {"sorted": read_bool, "index_element_type": element_type, "count_element_type": element_type},
    ),
}  # fmt: skip
