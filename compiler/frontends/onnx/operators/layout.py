"""Elements in another order."""

from __future__ import annotations

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.registry import Results, translates
from loomir.dialects.ov.layout import ReverseSequenceOp


@translates("ReverseSequence", 10, 28)
def reverse_sequence(node: Node) -> Results:
    axes = {"batch_axis": node.int("batch_axis", 1), "seq_axis": node.int("time_axis", 0)}
    return node.op(ReverseSequenceOp, node.input(0), node.input(1), **axes)
