"""Elements in another order."""

from __future__ import annotations

from loomir.dialects.ov.operators.layout import ReverseSequenceOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("ReverseSequence", 10, 28)
def reverse_sequence(node: Node) -> Results:
    axes = {"batch_axis": node.int("batch_axis", 1), "seq_axis": node.int("time_axis", 0)}
    return node.op(ReverseSequenceOp, node.input(0), node.input(1), **axes)
