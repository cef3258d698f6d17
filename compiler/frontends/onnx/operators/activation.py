"""Activation functions that are made of a few elementwise operations, in every version.

Newer versions of most have a definition in ONNX's own schema; older ones have not, and mean the same.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.ov.comparison import GreaterOp, LessOp, SelectOp
from loomir.dialects.ov.elementwise_binary import (
    AddOp,
    DivideOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.elementwise_unary import AbsOp, ClampOp, ExpOp, LogOp, NegativeOp, ReLUOp


def _negative_part(node: Node, x: SSAValue, alpha: float) -> SSAValue:
    """alpha · (exp(min(x, 0)) - 1): of nothing positive, so that it cannot overflow."""
    low = node.op(MinimumOp, x, node.number(0, x))
    return node.op(
        MultiplyOp, node.op(SubtractOp, node.op(ExpOp, low), node.number(1, x)), node.number(alpha, x)
    )


def _choose(node: Node, x: SSAValue, positive: SSAValue, negative: SSAValue) -> SSAValue:
    return node.op(SelectOp, node.op(LessOp, x, node.number(0, x)), negative, positive)


@translates("Elu", 1, 6, 22)
def elu(node: Node) -> Results:
    """x < 0 ? alpha·(exp(x) - 1) : x."""
    x = node.input(0)
    return _choose(node, x, x, _negative_part(node, x, node.float("alpha", 1.0)))


@translates("Selu", 1, 6, 22)
def selu(node: Node) -> Results:
    """gamma · elu(x); version 1 had shorter default constants."""
    exact = node.version >= 6
    alpha = node.float("alpha", 1.67326319217681884765625 if exact else 1.6732)
    gamma = node.float("gamma", 1.05070102214813232421875 if exact else 1.0507)
    x = node.input(0)
    return node.op(MultiplyOp, _choose(node, x, x, _negative_part(node, x, alpha)), node.number(gamma, x))


@translates("HardSigmoid", 1, 6, 22)
def hard_sigmoid(node: Node) -> Results:
    """clamp(alpha·x + beta, 0, 1)."""
    x = node.input(0)
    line = node.op(MultiplyOp, x, node.number(node.float("alpha", 0.2), x))
    return node.op(ClampOp, node.op(AddOp, line, node.number(node.float("beta", 0.5), x)), min=0.0, max=1.0)


@translates("Softplus", 1, 22)
def softplus(node: Node) -> Results:
    """log(1 + exp(x)), as max(x, 0) + log(1 + exp(-|x|)), which cannot overflow."""
    x = node.input(0)
    small = node.op(ExpOp, node.op(NegativeOp, node.op(AbsOp, x)))
    return node.op(AddOp, node.op(ReLUOp, x), node.op(LogOp, node.op(AddOp, small, node.number(1, x))))


@translates("Softsign", 1, 22)
def softsign(node: Node) -> Results:
    """x / (1 + |x|)."""
    x = node.input(0)
    return node.op(DivideOp, x, node.op(AddOp, node.op(AbsOp, x), node.number(1, x)), m_pythondiv=False)


@translates("ThresholdedRelu", 10, 22)
def thresholded_relu(node: Node) -> Results:
    """x > alpha ? x : 0."""
    x = node.input(0)
    above = node.op(GreaterOp, x, node.number(node.float("alpha", 1.0), x))
    return node.op(SelectOp, above, x, node.number(0, x))


@translates("PRelu", 7, 9, 16)
def prelu(node: Node) -> Results:
    """x < 0 ? slope·x : x, the slope being broadcast to x."""
    x, slope = node.input(0), node.input(1)
    return _choose(node, x, x, node.op(MultiplyOp, x, slope))
