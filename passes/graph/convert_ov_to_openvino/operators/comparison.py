"""Test whether a maximum is -∞.

OpenVINO's plugins return the lowest finite number as the maximum of elements that are all -∞.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import OpResult, SSAValue

from loomir.dialects.element_types import is_float
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp, ReduceMaxOp
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses


@expresses(EqualOp)
def equal(op: EqualOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Test whether all numbers are -∞, instead of their maximum.

    Attention tests this for masked rows.
    """
    for greatest, other in ((op.a, op.b), (op.b, op.a)):
        maximum = greatest.op if isinstance(greatest, OpResult) else None
        number = build.fact(other).value
        if not isinstance(maximum, ReduceMaxOp) or number is None or number.size != 1:
            continue
        if not is_float(build.fact(other).element) or float(number.reshape(())) != -np.inf:
            continue
        if number.ndim > (build.fact(greatest).rank or 0):
            continue  # It gives the result dimensions.
        each = build.make(EqualOp, maximum.data, other)
        attributes = {"keep_dims": maximum.keep_dims}
        return [build.make(ReduceLogicalAndOp, each, maximum.axes, attributes=attributes)]
    return None
