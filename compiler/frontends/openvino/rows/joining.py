"""Layer types: joining."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_int

ROWS: dict[str, Row] = {
    "Concat": Row("joining", "ConcatOp", {"axis": read_int}, variadic=True),
    "Tile": Row("joining", "TileOp"),
}  # fmt: skip
