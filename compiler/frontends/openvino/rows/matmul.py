"""Layer types: matmul."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_bool

ROWS: dict[str, Row] = {
    "MatMul": Row("matmul", "MatMulOp", {"transpose_a": read_bool, "transpose_b": read_bool}),
}  # fmt: skip
