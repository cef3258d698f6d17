"""Sums and products up to each element."""

from __future__ import annotations

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.cumulative import CumProdOp, CumSumOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


def _cumulative(node: Node, op_class: type[OvOperation]) -> Results:
    flags = {name: bool(node.int(name, 0)) for name in ("exclusive", "reverse")}
    return node.op(op_class, node.input(0), node.input(1), **flags)


@translates("CumSum", 11, 14)
def cum_sum(node: Node) -> Results:
    return _cumulative(node, CumSumOp)


@translates("CumProd", 26)
def cum_prod(node: Node) -> Results:
    return _cumulative(node, CumProdOp)
