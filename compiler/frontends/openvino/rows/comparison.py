"""Layer types: comparison."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_lower

_BROADCAST = {"auto_broadcast": read_lower}

ROWS: dict[str, Row] = {
    **{
        name: Row("comparison", f"{name}Op", _BROADCAST)
        for name in (
            "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd", "LogicalOr", "LogicalXor",
            "Select",
        )
    },
    "LogicalNot": Row("comparison", "LogicalNotOp"),
    "Xor": Row("comparison", "LogicalXorOp", _BROADCAST),
}  # fmt: skip
