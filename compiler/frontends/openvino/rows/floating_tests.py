"""Layer types: floating tests."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_bool

ROWS: dict[str, Row] = {
    "IsNaN": Row("floating_tests", "IsNaNOp"),
    "IsInf": Row("floating_tests", "IsInfOp", {"detect_negative": read_bool, "detect_positive": read_bool}),
    "IsFinite": Row("floating_tests", "IsFiniteOp"),
}
