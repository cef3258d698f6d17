"""IsNaN, IsInf and IsFinite by comparisons.

Comparisons are false if an operand is NaN (except `!=`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp, LessOp, NotEqualOp
from loomir.dialects.ov.operators.elementwise_unary import AbsOp
from loomir.dialects.ov.operators.floating_tests import IsFiniteOp, IsInfOp, IsNaNOp
from loomir.passes.graph.decompositions import decomposes


@decomposes(IsNaNOp)
def is_nan(op: IsNaNOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`x != x`."""
    return [build.make(NotEqualOp, op.data, op.data)]


@decomposes(IsInfOp)
def is_inf(op: IsInfOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Emit `|x| = inf`, `x = inf` or `x = -inf`.

    If neither sign is to be detected, emit `|x| < 0`, which is always false.
    """
    negative, positive = to_bool(op.detect_negative), to_bool(op.detect_positive)
    if negative == positive:
        comparison, limit = (EqualOp, math.inf) if positive else (LessOp, 0.0)
        return [build.make(comparison, build.make(AbsOp, op.data), build.like(limit, op.data))]
    return [build.make(EqualOp, op.data, build.like(math.inf if positive else -math.inf, op.data))]


@decomposes(IsFiniteOp)
def is_finite(op: IsFiniteOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`|x| < inf`."""
    return [build.make(LessOp, build.make(AbsOp, op.data), build.like(math.inf, op.data))]
