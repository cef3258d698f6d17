"""Columns of a sliding window."""

from __future__ import annotations

from loomir.dialects.ov.base import AttrValue
from loomir.dialects.ov.operators.columns import Col2ImOp
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Col2Im", 18)
def col2im(node: Node) -> Results:
    """`pads` has the beginnings of all dimensions, then the ends."""
    attributes: dict[str, AttrValue] = {
        name: node.ints(name) for name in ("strides", "dilations") if node.has(name)
    }
    if node.has("pads"):
        pads = node.ints("pads")
        attributes["pads_begin"], attributes["pads_end"] = pads[: len(pads) // 2], pads[len(pads) // 2 :]
    return node.op(Col2ImOp, node.input(0), node.input(1), node.input(2), **attributes)
