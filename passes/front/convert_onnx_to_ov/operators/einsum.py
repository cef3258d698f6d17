"""Einstein's summation convention."""

from __future__ import annotations

from loomir.dialects.ov.operators.einsum import EinsumOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Einsum", 12, 28)
def einsum(node: Node) -> Results:
    return node.op(EinsumOp, node.inputs(), equation=node.string("equation"))
