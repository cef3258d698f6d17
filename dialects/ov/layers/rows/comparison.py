"""Layer types: comparison."""

from __future__ import annotations

from loomir.dialects.ov.layers.attributes import Row, read_lower
from loomir.dialects.ov.operators.comparison import LogicalXorOp

ROWS: dict[str, Row] = {
    "Xor": Row(LogicalXorOp, {"auto_broadcast": read_lower}, written=False),
}  # fmt: skip
