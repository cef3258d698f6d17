"""Layer types: elementwise unary."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_lower

ROWS: dict[str, Row] = {
    **{
        name: Row("elementwise_unary", f"{cls}Op")
        for name, cls in {
            "Abs": "Abs", "Negative": "Negative", "Sqrt": "Sqrt", "Exp": "Exp", "Log": "Log", "Tanh": "Tanh",
            "Sigmoid": "Sigmoid", "ReLU": "ReLU", "Relu": "ReLU", "Floor": "Floor", "Ceiling": "Ceiling", "Sign": "Sign",
            "Erf": "Erf",
        }.items()
    },
    "Round": Row("elementwise_unary", "RoundOp", {"mode": read_lower}),
    "Clamp": Row("elementwise_unary", "ClampOp", {"min": float, "max": float}),
}  # fmt: skip
