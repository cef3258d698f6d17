"""Logical reductions along no axes, and along axes that are not constants.

OpenVINO's plugins have the latter only for numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1, i32
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LogicalNotOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp, ReduceLogicalOrOp, ReduceMinOp
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses


@expresses(ReduceLogicalAndOp, ReduceLogicalOrOp)
def logical(
    op: ReduceLogicalAndOp | ReduceLogicalOrOp, build: GraphBuilder, checks: Checks
) -> Sequence[SSAValue] | None:
    """Express a logical reduction by the minimum of ones and zeros.

    The minimum of no elements is true. A logical or is true if not all elements are false.
    """
    axes = build.fact(op.axes).value
    if axes is not None:
        return [op.data] if axes.size == 0 else None
    any_of = isinstance(op, ReduceLogicalOrOp)
    data = build.make(LogicalNotOp, op.data) if any_of else op.data
    numbers = build.make(ConvertOp, data, attributes={"destination_type": i32})
    least = build.make(ReduceMinOp, numbers, op.axes, attributes={"keep_dims": op.keep_dims})
    result = build.make(ConvertOp, least, attributes={"destination_type": i1})
    return [build.make(LogicalNotOp, result) if any_of else result]
