"""Operations that quantise, and that undo it."""

from __future__ import annotations

from loomir.tools.model_optimizer.mo.ops.row import OpRow, same


def _linear(module: str, name: str) -> OpRow:
    """Quantisation as ONNX has it."""
    return OpRow(module, name, name, inputs=3, attributes={"axis": None, "version": None}, backend=["axis"])


ROWS = [
    same(
        *("fakequantize", "FakeQuantize", "opset1", 5),
        attributes={"is_eltwise": True, "auto_broadcast": "numpy"},
        backend=["levels", "auto_broadcast"],
        requires=("levels",),
    ),
    _linear("quantize_linear", "QuantizeLinear"),
    _linear("dequantize_linear", "DequantizeLinear"),
    OpRow("binarization", "Binarization", "Binarization", attributes={"dst_type": None}),
]
