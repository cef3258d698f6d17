"""Elementwise operations: activation functions, floating-point tests, FakeQuantize, FakeConvert and ConvertLike.

- Activation functions become elementwise operations.
- IsNaN, IsInf and IsFinite become comparisons. Comparisons are false if an operand is NaN (except `!=`).
- FakeQuantize and FakeConvert become elementwise arithmetic, in the specification's order of operations.
- ConvertLike becomes Convert.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_bool, to_float, to_int, to_str
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.activation import (
    EluOp,
    GeluOp,
    HardSigmoidOp,
    HSigmoidOp,
    HSwishOp,
    MishOp,
    PReluOp,
    SeluOp,
    SoftPlusOp,
    SoftSignOp,
    SwishOp,
    per_channel,
)
from loomir.dialects.ov.operators.comparison import (
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    IsFiniteOp,
    IsInfOp,
    IsNaNOp,
    LessEqualOp,
    LessOp,
    NotEqualOp,
    SelectOp,
)
from loomir.dialects.ov.operators.conversion import ConvertLikeOp, ConvertOp, FakeConvertOp, FakeQuantizeOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import (
    AbsOp,
    ClampOp,
    ErfOp,
    ExpOp,
    LogOp,
    NegativeOp,
    ReLUOp,
    RoundOp,
    SigmoidOp,
    TanhOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.errors import Error
from loomir.passes.graph.lib.decompositions import decomposes
from loomir.passes.graph.lib.decompositions.arithmetic import like, wide

Function = tuple[str, float | None, float | None]
"""Activation function of a recurrent cell: lower-case name, alpha, beta."""


def activate(build: GraphBuilder, function: Function, x: SSAValue) -> SSAValue:
    """One activation function of x (definitions: ONNX's RNN operators)."""
    name, alpha, beta = function
    a, b = 0.0 if alpha is None else alpha, 0.0 if beta is None else beta
    match name:
        case "sigmoid":
            return build.make(SigmoidOp, x)
        case "tanh":
            return build.make(TanhOp, x)
        case "relu":
            return build.make(ReLUOp, x)
        case "affine":
            return _plus(build, _times(build, x, a), b)
        case "leakyrelu":
            return build.make(
                SelectOp, build.make(GreaterEqualOp, x, build.like(0.0, x)), x, _times(build, x, a)
            )
        case "thresholdedrelu":
            return build.make(SelectOp, build.make(GreaterOp, x, build.like(a, x)), x, build.like(0.0, x))
        case "scaledtanh":
            return _times(build, build.make(TanhOp, _times(build, x, b)), a)
        case "hardsigmoid":
            return _clamped(build, _plus(build, _times(build, x, a), b), 1.0)
        case "elu":
            return _elu(build, x, build.like(a, x))
        case "softsign":
            return build.make(DivideOp, x, _plus(build, build.make(AbsOp, x), 1.0))
        case "softplus":
            return _soft_plus(build, x)
    raise AssertionError(f"activation function {name}")


def _times(build: GraphBuilder, value: SSAValue, factor: float) -> SSAValue:
    return value if factor == 1.0 else build.make(MultiplyOp, value, build.like(factor, value))


def _plus(build: GraphBuilder, value: SSAValue, term: float) -> SSAValue:
    return value if term == 0.0 else build.make(AddOp, value, build.like(term, value))


def _clamped(build: GraphBuilder, value: SSAValue, limit: float) -> SSAValue:
    """Between 0 and a limit."""
    return build.make(ClampOp, value, attributes={"min": 0.0, "max": limit})


def _negative_part(build: GraphBuilder, x: SSAValue, alpha: SSAValue) -> SSAValue:
    """Emit `alpha · (exp(x) - 1)` for x of at most 0.

    Results for x above 0 are not needed, and might overflow.
    """
    below = build.make(MinimumOp, x, build.like(0.0, x))
    value = build.make(SubtractOp, build.make(ExpOp, below), build.like(1.0, x))
    array = build.fact(alpha).value
    return value if array is not None and array == 1 else build.make(MultiplyOp, value, alpha)


def _elu(build: GraphBuilder, x: SSAValue, alpha: SSAValue) -> SSAValue:
    negative = build.make(LessOp, x, build.like(0.0, x))
    return build.make(SelectOp, negative, _negative_part(build, x, alpha), x)


def _soft_plus(build: GraphBuilder, x: SSAValue) -> SSAValue:
    """`log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|))`, which does not overflow."""
    small = build.make(ExpOp, build.make(NegativeOp, build.make(AbsOp, x)))
    above = build.make(MaximumOp, x, build.like(0.0, x))
    return build.make(AddOp, above, _log_of_one_and(build, small))


def _log_of_one_and(build: GraphBuilder, t: SSAValue) -> SSAValue:
    """Emit `log(1 + t)` for t from 0 to 1.

    It is right to a few units in the last place. With `u = 1 + t` rounded it is `log(u) · t / (u - 1)`: the quotient of the last two
    undoes the rounding (Kahan; Goldberg, What Every Computer Scientist Should Know About Floating-Point Arithmetic, 1991, theorem 4). For
    `u = 1` it is t.
    """
    u = _plus(build, t, 1.0)
    lost = build.make(EqualOp, u, build.like(1.0, t))
    divisor = build.make(SelectOp, lost, u, build.make(SubtractOp, u, build.like(1.0, t)))
    logarithm = build.make(MultiplyOp, build.make(LogOp, u), build.make(DivideOp, t, divisor))
    return build.make(SelectOp, lost, t, logarithm)


def _scalar(build: GraphBuilder, parameter: SSAValue) -> SSAValue:
    """Return a one-element tensor as a scalar of the computation type."""
    parameter = wide(build, parameter)
    array = build.fact(parameter).value
    if array is not None:
        return build.constant(np.reshape(array, ()))
    if build.fact(parameter).rank == 0:
        return parameter
    return build.make(ReshapeOp, parameter, build.integers([]))


Formula = Callable[[Any, GraphBuilder, SSAValue], SSAValue]
"""Decomposition of a function, given the operation, a builder and its data."""


def _computes(op_class: type[OvOperation]) -> Callable[[Formula], Formula]:
    """Register a formula as a decomposition.

    f16 and bf16 are computed in f32.
    """

    def register(formula: Formula) -> Formula:
        @decomposes(op_class)
        def decomposition(op: Any, build: GraphBuilder) -> Sequence[SSAValue]:
            return [like(build, formula(op, build, wide(build, op.data)), op.data)]

        return formula

    return register


@_computes(EluOp)
def elu(op: EluOp, build: GraphBuilder, x: SSAValue) -> SSAValue:
    return _elu(build, x, build.like(to_float(op.alpha), x))


@_computes(SeluOp)
def selu(op: SeluOp, build: GraphBuilder, x: SSAValue) -> SSAValue:
    return build.make(MultiplyOp, _elu(build, x, _scalar(build, op.alpha)), _scalar(build, op.lambda_))


@_computes(GeluOp)
def gelu(op: GeluOp, build: GraphBuilder, x: SSAValue) -> SSAValue:
    """`x/2 · (1 + …)`."""
    if to_str(op.approximation_mode) == "erf":
        inner = build.make(ErfOp, _times(build, x, math.sqrt(0.5)))
    else:
        # x·(a + b·x²) has one multiplication less than a·(x + c·x³).
        scale = math.sqrt(2 / math.pi)
        factor = _plus(build, _times(build, build.make(MultiplyOp, x, x), scale * 0.044715), scale)
        inner = build.make(TanhOp, build.make(MultiplyOp, x, factor))
    return build.make(MultiplyOp, _times(build, x, 0.5), _plus(build, inner, 1.0))


@_computes(HSigmoidOp)
def h_sigmoid(op: HSigmoidOp, build: GraphBuilder, x: SSAValue) -> SSAValue:
    return _times(build, _clamped(build, _plus(build, x, 3.0), 6.0), 1 / 6)


@_computes(HSwishOp)
def h_swish(op: HSwishOp, build: GraphBuilder, x: SSAValue) -> SSAValue:
    gate = _times(build, _clamped(build, _plus(build, x, 3.0), 6.0), 1 / 6)
    return build.make(MultiplyOp, x, gate)


@_computes(MishOp)
def mish(op: MishOp, build: GraphBuilder, x: SSAValue) -> SSAValue:
    """Compute `x · tanh(log(1 + exp(x)))` with one exponential.

    With `e = exp(-|x|)`, `tanh(log(1 + exp(x)))` is `(1 + 2e) / (1 + 2e + 2e²)` for positive x, and
    `(e² + 2e) / (e² + 2e + 2)` for negative x: nothing overflows.
    """
    e = build.make(ExpOp, build.make(NegativeOp, build.make(AbsOp, x)))
    square, twice = build.make(MultiplyOp, e, e), _times(build, e, 2.0)
    negative = build.make(LessOp, x, build.like(0.0, x))
    above = build.make(SelectOp, negative, build.make(AddOp, square, twice), _plus(build, twice, 1.0))
    rest = build.make(SelectOp, negative, build.like(2.0, x), _times(build, square, 2.0))
    gate = build.make(DivideOp, above, build.make(AddOp, above, rest))
    return build.make(MultiplyOp, x, gate)


@_computes(SoftPlusOp)
def soft_plus(op: SoftPlusOp, build: GraphBuilder, x: SSAValue) -> SSAValue:
    return _soft_plus(build, x)


@_computes(SoftSignOp)
def soft_sign(op: SoftSignOp, build: GraphBuilder, x: SSAValue) -> SSAValue:
    return activate(build, ("softsign", None, None), x)


@_computes(HardSigmoidOp)
def hard_sigmoid(op: HardSigmoidOp, build: GraphBuilder, x: SSAValue) -> SSAValue:
    scaled = build.make(MultiplyOp, x, _scalar(build, op.alpha))
    return _clamped(build, build.make(AddOp, scaled, _scalar(build, op.beta)), 1.0)


@_computes(SwishOp)
def swish(op: SwishOp, build: GraphBuilder, x: SSAValue) -> SSAValue:
    scaled = x if op.beta is None else build.make(MultiplyOp, x, _scalar(build, op.beta))
    return build.make(MultiplyOp, x, build.make(SigmoidOp, scaled))


@decomposes(PReluOp)
def prelu(op: PReluOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose PRelu to a multiplication and a select.

    Error: `unknown-rank` if the rank of the slope, or of data beside a slope of rank 1, is not known.
    """
    x, slope = op.data, op.slope
    data, given = build.fact(x), build.fact(slope)
    if given.rank is None or (given.rank == 1 and data.rank is None):
        raise Error(
            "unknown-rank", "the rank of data or slope is not known", hint="fix the shapes of the inputs"
        )
    if per_channel(data, given):
        assert data.rank is not None
        slope = build.make(ReshapeOp, slope, build.integers([-1] + [1] * (data.rank - 2)))
    negative = build.make(LessOp, x, build.like(0.0, x))
    return [build.make(SelectOp, negative, build.make(MultiplyOp, x, slope), x)]


@decomposes(IsNaNOp)
def is_nan(op: IsNaNOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`x != x`."""
    return [build.make(NotEqualOp, op.data, op.data)]


@decomposes(IsInfOp)
def is_inf(op: IsInfOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Emit `|x| = inf`, `x = inf` or `x = -inf`.

    If neither sign is to be detected, emit `|x| < 0`, which is always false.
    """
    negative, positive = to_bool(op.detect_negative), to_bool(op.detect_positive)
    if negative == positive:
        comparison, limit = (EqualOp, math.inf) if positive else (LessOp, 0.0)
        return [build.make(comparison, build.make(AbsOp, op.data), build.like(limit, op.data))]
    return [build.make(EqualOp, op.data, build.like(math.inf if positive else -math.inf, op.data))]


@decomposes(IsFiniteOp)
def is_finite(op: IsFiniteOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`|x| < inf`."""
    return [build.make(LessOp, build.make(AbsOp, op.data), build.like(math.inf, op.data))]


@decomposes(FakeQuantizeOp)
def fake_quantize(op: FakeQuantizeOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Ranges are mostly constants: what is computed of them alone is folded."""
    x, input_low, input_high, output_low, output_high = op.operands
    steps = build.like(to_int(op.levels) - 1, x)
    place = build.make(
        DivideOp,
        build.make(SubtractOp, x, input_low),
        build.make(SubtractOp, input_high, input_low),
    )
    step = build.make(RoundOp, build.make(MultiplyOp, place, steps))
    extent = build.make(SubtractOp, output_high, output_low)
    inside = build.make(AddOp, build.make(MultiplyOp, build.make(DivideOp, step, steps), extent), output_low)
    above = build.make(GreaterOp, x, build.make(MaximumOp, input_low, input_high))
    below = build.make(LessEqualOp, x, build.make(MinimumOp, input_low, input_high))
    limited = build.make(SelectOp, above, output_high, inside)
    return [build.make(SelectOp, below, output_low, limited)]


@decomposes(FakeConvertOp)
def fake_convert(op: FakeConvertOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Every step in the type of the data."""
    moved = build.make(MultiplyOp, op.data, op.scale)
    if op.shift is not None:
        moved = build.make(SubtractOp, moved, op.shift)
    small = build.make(ConvertOp, moved, attributes={"destination_type": op.destination_type})
    back = build.make(ConvertOp, small, attributes={"destination_type": build.fact(op.data).element})
    if op.shift is not None:
        back = build.make(AddOp, back, op.shift)
    return [build.make(DivideOp, back, op.scale)]


@decomposes(ConvertLikeOp)
def convert_like(op: ConvertLikeOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Only the element type of `like` counts."""
    attributes = {
        "destination_type": build.fact(op.like).element,
        "saturate": op.saturate,
        "round_mode": op.round_mode,
    }
    return [build.make(ConvertOp, op.data, attributes=attributes)]
