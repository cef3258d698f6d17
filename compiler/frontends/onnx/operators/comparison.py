"""Comparisons, logic and selection."""

from __future__ import annotations

from loomir.compiler.frontends.onnx.broadcast import two_inputs
from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.comparison import (
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    LogicalXorOp,
    SelectOp,
)


def _binary(operator: str, op_class: type[OvOperation], *versions: int) -> None:
    @translates(operator, *versions)
    def translate(node: Node) -> Results:
        return node.op(op_class, *two_inputs(node))


_binary("Equal", EqualOp, 1, 7, 11, 13, 19)
_binary("Less", LessOp, 1, 7, 9, 13)
_binary("Greater", GreaterOp, 1, 7, 9, 13)
_binary("LessOrEqual", LessEqualOp, 12, 16)
_binary("GreaterOrEqual", GreaterEqualOp, 12, 16)
_binary("And", LogicalAndOp, 1, 7)
_binary("Or", LogicalOrOp, 1, 7)
_binary("Xor", LogicalXorOp, 1, 7)


@translates("Not", 1)
def logical_not(node: Node) -> Results:
    """Negation of booleans."""
    return node.op(LogicalNotOp, node.input(0))


@translates("Where", 9, 16)
def where(node: Node) -> Results:
    """All three inputs are broadcast against each other."""
    return node.op(SelectOp, node.input(0), node.input(1), node.input(2))
