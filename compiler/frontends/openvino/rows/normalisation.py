"""Layer types: normalisation."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row

ROWS: dict[str, Row] = {
    "SoftMax": Row("normalisation", "SoftmaxOp", {"axis": int}),
    "Softmax": Row("normalisation", "SoftmaxOp", {"axis": int}),
    "LogSoftmax": Row("normalisation", "LogSoftmaxOp", {"axis": int}),
}  # fmt: skip
