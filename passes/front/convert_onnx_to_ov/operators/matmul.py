"""Matrix products."""

from __future__ import annotations

from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("MatMul", 1, 9, 13)
def matmul(node: Node) -> Results:
    """Translate MatMul, with numpy's semantics.

    Leading dimensions are broadcast; vectors are rows on the left and columns on the right.
    """
    return node.op(MatMulOp, node.input(0), node.input(1))


@translates("Gemm", 1, 6, 7, 9, 11, 13)
def gemm(node: Node) -> Results:
    """alpha·A'·B' + beta·C, where C is broadcast."""
    alpha, beta, c = node.float("alpha", 1.0), node.float("beta", 1.0), node.optional(2)
    result = node.op(
        MatMulOp,
        node.input(0),
        node.input(1),
        transpose_a=bool(node.int("transA", 0)),
        transpose_b=bool(node.int("transB", 0)),
    )
    if alpha != 1.0:
        result = node.op(MultiplyOp, result, node.number(alpha, result))
    if c is None or beta == 0.0:
        return result
    if beta != 1.0:
        c = node.op(MultiplyOp, c, node.number(beta, c))
    return node.op(AddOp, result, c)
