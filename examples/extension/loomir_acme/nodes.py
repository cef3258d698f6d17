"""Conversion and inference of ONNX nodes.

One operator is read differently, and one stays unknown except for its shape.
"""

from collections.abc import Sequence

from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.activation import GeluOp
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results
from loomir_acme.package import extension


@extension.extractor("Gelu")
def gelu(node: Node) -> Results:
    """Acme's models were trained with the approximation by tanh, whatever they say."""
    return node.op(GeluOp, node.input(0), approximation_mode="tanh")


@extension.inference("Histogram", "com.acme")
def histogram(op: CustomOp, facts: Sequence[Fact]) -> Sequence[Fact]:
    """A row of bins for each row of the data. What runs it is Acme's device: here only its shape is known."""
    (data,) = facts
    bins = int(op.data["bins"])
    return [Fact(data.element, None if data.shape is None else (*data.shape[:-1], Dim(bins, bins)))]
