"""Layer types: elementwise binary."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_bool, read_lower

_BROADCAST = {"auto_broadcast": read_lower}

ROWS: dict[str, Row] = {
    **{
        name: Row("elementwise_binary", f"{name}Op", _BROADCAST)
        for name in ("Add", "Subtract", "Multiply", "Power", "Maximum", "Minimum", "Mod", "FloorMod", "SquaredDifference")
    },
    "Divide": Row("elementwise_binary", "DivideOp", {**_BROADCAST, "m_pythondiv": read_bool}),
}  # fmt: skip
