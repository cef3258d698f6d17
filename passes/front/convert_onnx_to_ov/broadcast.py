"""Broadcasting in operator sets 1 to 6.

It is one-sided, and enabled only by an attribute.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node

NUMPY_SINCE = 7
"""The version from which on elementwise operators broadcast as numpy does."""


def two_inputs(node: Node) -> tuple[SSAValue, SSAValue]:
    """Both operands of an elementwise operator, ready for numpy's broadcasting.

    Before version 7 the second one's dimensions are those of the first from `axis` on, by default the last ones.
    Errors: `invalid-onnx`, `unknown-rank`, `axis-range`.
    """
    a, b = node.input(0), node.input(1)
    if node.version >= NUMPY_SINCE or not node.int("broadcast", 0) or not node.has("axis"):
        return a, b
    rank, inner = node.rank(a, "the first input"), node.rank(b, "the second input")
    behind = rank - normalise_axis(node.int("axis"), rank) - inner
    if behind < 0:
        raise Error(
            "axis-range", f"a tensor of rank {inner} does not fit axis {node.int('axis')} of rank {rank}"
        )
    if behind == 0:
        return a, b
    return a, node.op(UnsqueezeOp, b, node.vector(range(inner, inner + behind)))
