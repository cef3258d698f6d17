"""Layer types: bitwise."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_lower

_BROADCAST = {"auto_broadcast": read_lower}

ROWS: dict[str, Row] = {
    **{
        f"Bitwise{name}": Row("bitwise", f"Bitwise{name}Op", _BROADCAST)
        for name in ("And", "Or", "Xor", "LeftShift", "RightShift")
    },
    "BitwiseNot": Row("bitwise", "BitwiseNotOp"),
}
