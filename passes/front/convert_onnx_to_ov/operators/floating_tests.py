"""IsNaN and IsInf."""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.dialects.element_types import f32, is_float
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.floating_tests import IsInfOp, IsNaNOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


def _float(node: Node) -> SSAValue:
    """Return the input, with 8-bit floats converted to f32.

    No operation computes in 8-bit floats.
    """
    x = node.input(0)
    return x if is_float(node.element(x)) else node.op(ConvertOp, x, destination_type=f32)


@translates("IsNaN", 9, 13, 20)
def is_nan(node: Node) -> Results:
    return node.op(IsNaNOp, _float(node))


@translates("IsInf", 10, 20)
def is_inf(node: Node) -> Results:
    negative, positive = node.int("detect_negative", 1), node.int("detect_positive", 1)
    return node.op(IsInfOp, _float(node), detect_negative=bool(negative), detect_positive=bool(positive))
