"""TopK, ArgMax, ArgMin."""

from __future__ import annotations

from loomir.dialects.element_types import i64
from loomir.dialects.ov.operators.sorting import ArgMaxOp, TopKOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("TopK", 1, 10, 11, 24)
def top_k(node: Node) -> Results:
    """Translate TopK.

    k is an attribute in version 1. Up to version 10, the operator returns the greatest elements, in order.
    """
    k = node.vector([node.int("k")]) if node.version == 1 else node.input(1)
    found = node.emit(
        TopKOp,
        node.input(0),
        k,
        attributes={
            "axis": node.int("axis", -1),
            "mode": "max" if node.int("largest", 1) else "min",
            "sort": "value" if node.int("sorted", 1) else "none",
            "stable": True,
            "index_element_type": i64,
        },
    )
    return found.results


def _arg(node: Node, mode: str) -> Results:
    return node.op(
        ArgMaxOp,
        node.input(0),
        axis=node.int("axis", 0),
        mode=mode,
        keep_dims=bool(node.int("keepdims", 1)),
        select_last_index=bool(node.int("select_last_index", 0)),
    )


@translates("ArgMax", 1, 11, 12, 13)
def arg_max(node: Node) -> Results:
    """Where the greatest element is."""
    return _arg(node, "max")


@translates("ArgMin", 1, 11, 12, 13)
def arg_min(node: Node) -> Results:
    """Where the least element is."""
    return _arg(node, "min")
