"""Layer types: einsum."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row

ROWS: dict[str, Row] = {
    "Einsum": Row("einsum", "EinsumOp", {"equation": str}, variadic=True),
}  # fmt: skip
