"""Elementwise operators of one tensor."""

from __future__ import annotations

import math

import numpy as np

from loomir.dialects.element_types import is_float
from loomir.dialects.ov.operators.activation import PReluOp
from loomir.dialects.ov.operators.comparison import LessOp, SelectOp
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, MaximumOp, MinimumOp, MultiplyOp
from loomir.dialects.ov.operators.elementwise_unary import (
    ClampOp,
)
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Reciprocal", 1, 6, 13)
def reciprocal(node: Node) -> Results:
    """1 / x."""
    x = node.input(0)
    return node.op(DivideOp, node.number(1, x), x, m_pythondiv=False)


@translates("LeakyRelu", 1, 6, 16)
def leaky_relu(node: Node) -> Results:
    """x < 0 ? alpha·x : x."""
    x = node.input(0)
    alpha = node.number(node.float("alpha", 0.01), x)
    if node.stays_a_layer:
        return node.op(PReluOp, x, alpha)
    slope = node.op(MultiplyOp, x, alpha)
    return node.op(SelectOp, node.op(LessOp, x, node.number(0, x)), slope, x)


@translates("Clip", 1, 6)
def clip_by_attributes(node: Node) -> Results:
    """Limits as attributes; one that is missing is no limit."""
    low, high = node.float("min", -math.inf), node.float("max", math.inf)
    x = node.input(0)
    if low <= high:
        return node.op(ClampOp, x, min=low, max=high)
    # The limits cross (the type allows floats only): the upper one wins.
    x = node.op(MaximumOp, x, node.number(low, x))
    return node.op(MinimumOp, x, node.number(high, x))


@translates("Clip", 11, 12, 13)
def clip_by_inputs(node: Node) -> Results:
    """min(max(x, low), high): where low > high, everything is high."""
    x, low, high = node.input(0), node.optional(1), node.optional(2)
    a = node.known(low) if low is not None else np.array(-np.inf)
    b = node.known(high) if high is not None else np.array(np.inf)
    if is_float(node.element(x)) and a is not None and b is not None and a.size == b.size == 1 and a <= b:
        return node.op(ClampOp, x, min=float(a.reshape(())), max=float(b.reshape(())))
    if low is not None:
        x = node.op(MaximumOp, x, node.scalar(low, "the lower limit"))
    if high is not None:
        x = node.op(MinimumOp, x, node.scalar(high, "the upper limit"))
    return x
