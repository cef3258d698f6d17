"""Changes of the element type."""

from __future__ import annotations

from onnx import TensorProto

from loomir.dialects.onnx.tensors import element_type
from loomir.dialects.ov.operators.conversion import ConvertLikeOp, ConvertOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Cast", 6, 9, 13, 19, 21, 23, 24, 25, 28)
def cast(node: Node) -> Results:
    """To the element type `to`."""
    target = element_type(node.int("to"))
    return node.op(ConvertOp, node.input(0), destination_type=target, **_options(node))


@translates("Cast", 1)
def cast_by_name(node: Node) -> Results:
    """Version 1 has the element type as a word."""
    name = node.string("to").upper()
    names: list[str] = list(TensorProto.DataType.keys())
    if name not in names:
        raise Error("invalid-onnx", f"there is no element type '{name}'")
    return node.op(ConvertOp, node.input(0), destination_type=element_type(TensorProto.DataType.Value(name)))


@translates("CastLike", 15, 19, 21, 23, 24, 25)
def cast_like(node: Node) -> Results:
    """To the element type of the second input."""
    return node.op(ConvertLikeOp, node.input(0), node.input(1), **_options(node))


def _options(node: Node) -> dict[str, bool | str]:
    """How floats of 8 bits are rounded."""
    return {"saturate": node.int("saturate", 1) != 0, "round_mode": node.string("round_mode", "up").lower()}
