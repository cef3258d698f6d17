"""Einstein's summation convention."""

from __future__ import annotations

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.ov.einsum import EinsumOp


@translates("Einsum", 12, 28)
def einsum(node: Node) -> Results:
    return node.op(EinsumOp, node.inputs(), equation=node.string("equation"))
