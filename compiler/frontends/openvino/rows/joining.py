"""Layer types: joining."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row

ROWS: dict[str, Row] = {
    "Concat": Row("joining", "ConcatOp", {"axis": int}, variadic=True),
    "Tile": Row("joining", "TileOp"),
}  # fmt: skip
