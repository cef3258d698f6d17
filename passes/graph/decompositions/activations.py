"""The activation functions of recurrent cells, from elementwise operations (definitions: ONNX's RNN
operators)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.dialects.ov.comparison import GreaterEqualOp, GreaterOp, SelectOp
from loomir.dialects.ov.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.elementwise_unary import (
    AbsOp,
    ClampOp,
    ExpOp,
    LogOp,
    NegativeOp,
    ReLUOp,
    SigmoidOp,
    TanhOp,
)
from loomir.dialects.ov.graph_builder import GraphBuilder

Function = tuple[str, float | None, float | None]
"""Lower-case name, alpha, beta."""


def activate(build: GraphBuilder, function: Function, x: SSAValue) -> SSAValue:
    """One activation function of x."""
    name, alpha, beta = function
    a, b = 0.0 if alpha is None else alpha, 0.0 if beta is None else beta

    def times(value: SSAValue, factor: float) -> SSAValue:
        return value if factor == 1.0 else build.make(MultiplyOp, value, build.like(factor, value))

    def plus(value: SSAValue, term: float) -> SSAValue:
        return value if term == 0.0 else build.make(AddOp, value, build.like(term, value))

    match name:
        case "sigmoid":
            return build.make(SigmoidOp, x)
        case "tanh":
            return build.make(TanhOp, x)
        case "relu":
            return build.make(ReLUOp, x)
        case "affine":
            return plus(times(x, a), b)
        case "leakyrelu":
            return build.make(SelectOp, build.make(GreaterEqualOp, x, build.like(0.0, x)), x, times(x, a))
        case "thresholdedrelu":
            return build.make(SelectOp, build.make(GreaterOp, x, build.like(a, x)), x, build.like(0.0, x))
        case "scaledtanh":
            return times(build.make(TanhOp, times(x, b)), a)
        case "hardsigmoid":
            return build.make(ClampOp, plus(times(x, a), b), attributes={"min": 0.0, "max": 1.0})
        case "elu":
            # exp of what is above 0 is not wanted, and may overflow.
            low = build.make(MinimumOp, x, build.like(0.0, x))
            bent = times(build.make(SubtractOp, build.make(ExpOp, low), build.like(1.0, x)), a)
            return build.make(SelectOp, build.make(GreaterEqualOp, x, build.like(0.0, x)), x, bent)
        case "softsign":
            return build.make(DivideOp, x, plus(build.make(AbsOp, x), 1.0))
        case "softplus":
            # log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
            small = build.make(ExpOp, build.make(NegativeOp, build.make(AbsOp, x)))
            return build.make(
                AddOp, build.make(MaximumOp, x, build.like(0.0, x)), build.make(LogOp, plus(small, 1.0))
            )
    raise AssertionError(f"activation function {name}")
