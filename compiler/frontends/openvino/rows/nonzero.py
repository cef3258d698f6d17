"""Layer types: nonzero."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, element_type

ROWS: dict[str, Row] = {
    "NonZero": Row("nonzero", "NonZeroOp", {"output_type": element_type}),
}  # fmt: skip
