"""Layer types: einsum."""

from __future__ import annotations

from loomir.dialects.ov.layers.attributes import Row
from loomir.dialects.ov.operators.einsum import EinsumOp

ROWS: dict[str, Row] = {
    # Its letters' case counts.
    "Einsum": Row(EinsumOp, {"equation": str}),
}  # fmt: skip
