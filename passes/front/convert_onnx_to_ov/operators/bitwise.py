"""Operations on bits."""

from __future__ import annotations

from loomir.dialects.onnx.tensors import element_type
from loomir.dialects.ov.operators.bitwise import (
    BitCastOp,
    BitwiseLeftShiftOp,
    BitwiseRightShiftOp,
)
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("BitShift", 11, 28)
def bit_shift(node: Node) -> Results:
    """Translate BitShift.

    The second input has the numbers of bits; signed numbers keep their sign.
    """
    direction = node.string("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise Error("invalid-onnx", f"direction is '{direction}', expected LEFT or RIGHT")
    return node.op(
        BitwiseLeftShiftOp if direction == "LEFT" else BitwiseRightShiftOp, node.input(0), node.input(1)
    )


@translates("BitCast", 26)
def bit_cast(node: Node) -> Results:
    """The same bits as elements of the type `to`."""
    return node.op(BitCastOp, node.input(0), destination_type=element_type(node.int("to")))
