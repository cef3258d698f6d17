"""Decompositions of operations on f16 and bf16.

They compute in f32 and round once at the end, as a single operation does.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from loomir.dialects.element_types import bf16, f16, f32
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp


def is_narrow(build: GraphBuilder, value: SSAValue) -> bool:
    """Return True if the elements are f16 or bf16."""
    return build.fact(value).element in (f16, bf16)


def wide(build: GraphBuilder, value: SSAValue) -> SSAValue:
    """f16 and bf16 as f32, everything else as it is."""
    if not is_narrow(build, value):
        return value
    array = build.fact(value).value
    if array is not None:
        return build.constant(array.astype("float32"))
    return build.make(ConvertOp, value, attributes={"destination_type": f32})


def like(build: GraphBuilder, value: SSAValue, of: SSAValue) -> SSAValue:
    """Convert a result to the element type of its operand."""
    element = build.fact(of).element
    if build.fact(value).element == element:
        return value
    return build.make(ConvertOp, value, attributes={"destination_type": element})
