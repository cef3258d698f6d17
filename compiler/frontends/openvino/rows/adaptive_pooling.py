"""Layer types: adaptive pooling."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, element_type

ROWS: dict[str, Row] = {
    "AdaptiveAvgPool": Row("adaptive_pooling", "AdaptiveAvgPoolOp"),
    "AdaptiveMaxPool": Row("adaptive_pooling", "AdaptiveMaxPoolOp", {"index_element_type": element_type}),
}
