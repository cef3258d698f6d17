"""Activation functions, in every version.

Those that are missing here have a definition in ONNX's own schema.
"""

from __future__ import annotations

from loomir.dialects.element_types import bf16, f16, f32, f64, is_float
from loomir.dialects.ov.operators.activation import (
    EluOp,
    GeluOp,
    HardSigmoidOp,
    PReluOp,
    SeluOp,
    SwishOp,
)
from loomir.dialects.ov.operators.comparison import GreaterOp, LessOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Elu", 1, 6, 22)
def elu(node: Node) -> Results:
    """x < 0 ? alpha·(exp(x) - 1) : x."""
    return node.op(EluOp, node.input(0), alpha=node.float("alpha", 1.0))


@translates("Selu", 1, 6, 22)
def selu(node: Node) -> Results:
    """gamma · elu(x); version 1 had shorter default constants."""
    exact = node.version >= 6
    alpha = node.float("alpha", 1.67326319217681884765625 if exact else 1.6732)
    gamma = node.float("gamma", 1.05070102214813232421875 if exact else 1.0507)
    x = node.input(0)
    return node.op(SeluOp, x, node.number(alpha, x), node.number(gamma, x))


@translates("Gelu", 20)
def gelu(node: Node) -> Results:
    """x · Φ(x), exact or approximated by a hyperbolic tangent."""
    mode = node.string("approximate", "none")
    if mode not in ("none", "tanh"):
        raise Error("invalid-onnx", f"approximate is '{mode}', expected none or tanh")
    return node.op(GeluOp, node.input(0), approximation_mode="tanh" if mode == "tanh" else "erf")


@translates("Swish", 24)
def swish(node: Node) -> Results:
    """x · sigmoid(alpha · x)."""
    x, alpha = node.input(0), node.float("alpha", 1.0)
    return node.op(SwishOp, x) if alpha == 1.0 else node.op(SwishOp, x, node.number(alpha, x))


@translates("HardSigmoid", 1, 6, 22)
def hard_sigmoid(node: Node) -> Results:
    """clamp(alpha·x + beta, 0, 1)."""
    x = node.input(0)
    alpha, beta = node.float("alpha", 0.2), node.float("beta", 0.5)
    return node.op(HardSigmoidOp, x, node.number(alpha, x), node.number(beta, x))


@translates("ThresholdedRelu", 10, 22)
def thresholded_relu(node: Node) -> Results:
    """x > alpha ? x : 0."""
    x = node.input(0)
    above = node.op(GreaterOp, x, node.number(node.float("alpha", 1.0), x))
    return node.op(SelectOp, above, x, node.number(0, x))


@translates("PRelu", 1, 6)
def prelu_per_channel(node: Node) -> Results:
    """Translate PRelu with one slope or one slope per channel.

    It computes x < 0 ? slope·x : x.
    """
    return node.op(PReluOp, node.input(0), node.input(1))


@translates("PRelu", 7, 9, 16)
def prelu(node: Node) -> Results:
    """Translate PRelu with a slope that is broadcast to x.

    It computes x < 0 ? slope·x : x; broadcasting is as in numpy.
    """
    x, slope = node.input(0), node.input(1)
    if node.shape(slope) is not None and node.rank(slope) == 1:
        # A slope of rank 1 would be taken for one per channel.
        slope = node.op(UnsqueezeOp, slope, node.vector([0])) if node.rank(x) > 2 else slope
    return node.op(PReluOp, x, slope)


@translates("Celu", 12, 28)
def celu(node: Node) -> Results:
    """Translate Celu.

    It computes x < 0 ? alpha·(exp(x / alpha) - 1) : x. Narrow floats are rounded once.
    """
    x, alpha = node.input(0), node.float("alpha", 1.0)
    element = node.element(x)
    wide = node.op(ConvertOp, x, destination_type=f32) if element in (f16, bf16) else x
    inner = node.op(DivideOp, wide, node.number(alpha, wide), m_pythondiv=False)
    value = node.op(MultiplyOp, node.op(EluOp, inner, alpha=1.0), node.number(alpha, wide))
    return value if wide is x else node.op(ConvertOp, value, destination_type=element)


@translates("Shrink", 9)
def shrink(node: Node) -> Results:
    """Translate Shrink.

    It computes x < -lambd ? x + bias : x > lambd ? x - bias : 0.

    Integers are compared and moved as doubles and rounded towards zero. The definition in ONNX's schema would convert lambd and
    bias to integers and negates unsigned numbers; ONNX's reference implementation and ONNX Runtime do not.
    """
    given = node.input(0)
    element = node.element(given)
    x = given if is_float(element) else node.op(ConvertOp, given, destination_type=f64)
    limit, bias = node.float("lambd", 0.5), node.number(node.float("bias", 0.0), x)
    above = node.op(GreaterOp, x, node.number(limit, x))
    below = node.op(LessOp, x, node.number(-limit, x))
    inner = node.op(SelectOp, above, node.op(SubtractOp, x, bias), node.number(0, x))
    value = node.op(SelectOp, below, node.op(AddOp, x, bias), inner)
    return value if x is given else node.op(ConvertOp, value, destination_type=element)
