"""Layer types: generators."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, element_type, read_int


def _mode(text: str) -> str:
    """`ignore-negative` in the specification, `ignore_negative` in the files."""
    return text.strip().lower().replace("-", "_")


ROWS: dict[str, Row] = {
    "OneHot": Row("generators", "OneHotOp", {"axis": read_int, "negative_indices_mode": _mode}, versions=(1, 16)),
    "Eye": Row("generators", "EyeOp", {"output_type": element_type}),
}  # fmt: skip
