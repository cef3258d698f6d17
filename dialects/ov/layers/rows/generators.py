"""Layer types: generators."""

from __future__ import annotations

from loomir.dialects.ov.layers.attributes import Row, read_int
from loomir.dialects.ov.operators.generators import OneHotOp


def _mode(text: str) -> str:
    """`ignore-negative` in the specification, `ignore_negative` in the files."""
    return text.strip().lower().replace("-", "_")


ROWS: dict[str, Row] = {
    "OneHot": Row(OneHotOp, {"axis": read_int, "negative_indices_mode": _mode}, versions=(1, 16)),
}  # fmt: skip
