"""Layer types: activation."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_lower

ROWS: dict[str, Row] = {
    **{
        name: Row("activation", f"{cls}Op")
        for name, cls in {
            "HSigmoid": "HSigmoid", "HSwish": "HSwish", "Mish": "Mish", "SoftPlus": "SoftPlus",
            "SoftSign": "SoftSign", "HardSigmoid": "HardSigmoid", "Selu": "Selu", "Swish": "Swish",
            "PRelu": "PRelu",
        }.items()
    },
    "Elu": Row("activation", "EluOp", {"alpha": float}),
    "Gelu": Row("activation", "GeluOp", {"approximation_mode": read_lower}, versions=(0, 7)),
}  # fmt: skip
