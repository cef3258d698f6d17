"""Layer types: reduction."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_bool

ROWS: dict[str, Row] = {
    **{
        name: Row("reduction", f"{name}Op", {"keep_dims": read_bool})
        for name in (
            "ReduceSum", "ReduceMean", "ReduceMin", "ReduceMax", "ReduceProd", "ReduceLogicalAnd", "ReduceLogicalOr",
            "ReduceL1", "ReduceL2",
        )
    },
}  # fmt: skip
