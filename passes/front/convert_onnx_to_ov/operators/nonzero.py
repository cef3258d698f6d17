"""NonZero."""

from __future__ import annotations

from loomir.dialects.ov.operators.nonzero import NonZeroOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("NonZero", 9, 13)
def non_zero(node: Node) -> Results:
    """Translate NonZero.

    A scalar has no dimensions: its result has no rows. For ONNX Runtime it is a vector of one element.
    """
    data = node.input(0)
    found = node.op(NonZeroOp, data)
    if node.shape(data) != () or node.reads_as_onnxruntime(
        "a scalar has no dimensions, so its result has no rows, as the specification says; ONNX Runtime gives one"
    ):
        return found
    zero, one = node.vector([0]), node.vector([1])
    return node.op(SliceOp, found, zero, zero, one, zero)
