"""Layer types: trigonometry."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row

ROWS: dict[str, Row] = {
    name: Row("trigonometry", f"{name}Op")
    for name in ("Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh")
}
