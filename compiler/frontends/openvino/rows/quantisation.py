"""Layer types: quantisation."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, element_type, read_int, read_lower

ROWS: dict[str, Row] = {
    "FakeQuantize": Row("quantisation", "FakeQuantizeOp", {"levels": read_int, "auto_broadcast": read_lower}),
    "FakeConvert": Row("quantisation", "FakeConvertOp", {"destination_type": element_type}),
}  # fmt: skip
