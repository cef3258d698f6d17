"""Layer types: gathering."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row

ROWS: dict[str, Row] = {
    "Gather": Row("gathering", "GatherOp", {"batch_dims": int}),
}  # fmt: skip
