"""Shifts by negative numbers, or by at least the type's width.

OpenVINO leaves them undefined.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import OpResult, SSAValue

from loomir.dialects.element_types import dtype_of, is_unsigned
from loomir.dialects.ov.attributes import to_float
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.bitwise import BitwiseLeftShiftOp, BitwiseRightShiftOp
from loomir.dialects.ov.operators.comparison import EqualOp, SelectOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses


@expresses(BitwiseLeftShiftOp, BitwiseRightShiftOp)
def shift(
    op: BitwiseLeftShiftOp | BitwiseRightShiftOp, build: GraphBuilder, checks: Checks
) -> Sequence[SSAValue] | None:
    """Shift by a clamped number and select the result.

    If the original number is out of range, the result is zero, or all sign bits for a signed right shift.
    """
    element = build.fact(op.a).element
    most = 8 * dtype_of(element).itemsize - 1
    bounds = checks.fact(op.b).bounds
    if (bounds is not None and (bounds[0] >= 0).all() and (bounds[1] <= most).all()) or _is_limited(
        op.b, most
    ):
        return None
    limited = build.make(ClampOp, op.b, attributes={"min": 0.0, "max": float(most)})
    inside = build.make(EqualOp, limited, op.b)
    attributes = {"auto_broadcast": op.auto_broadcast}
    shifted = build.make(type(op), op.a, limited, attributes=attributes)
    if isinstance(op, BitwiseRightShiftOp) and not is_unsigned(element):
        outside = build.make(type(op), op.a, build.scalar(most, element))
    else:
        outside = build.constant(np.zeros((), dtype_of(element)))
    return [build.make(SelectOp, inside, shifted, outside)]


def _is_limited(value: SSAValue, most: int) -> bool:
    clamp = value.op if isinstance(value, OpResult) else None
    return isinstance(clamp, ClampOp) and to_float(clamp.min) >= 0 and to_float(clamp.max) <= most
