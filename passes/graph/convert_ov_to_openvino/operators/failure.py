"""Operations that stop a program: `ov.require`, `ov.check_bounds`, `ov.fail`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, zeros
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LessEqualOp, LogicalAndOp
from loomir.dialects.ov.operators.failure import CheckBoundsOp, FailOp, RequireOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks, always_stops
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses
from loomir.passes.graph.decompositions.extents import Sizes


@expresses(RequireOp)
def require(op: RequireOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """The value; asked is what is not known to hold."""
    condition = checks.fact(op.condition).value
    if condition is not None and bool(condition):
        return [op.value]
    return [checks.require(build, op.value, op.condition)]


@expresses(CheckBoundsOp)
def check_bounds(op: CheckBoundsOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """The value; asked are the extents that may be too large."""
    fact = checks.fact(op.value)
    if not checks.keep or op.accepts([fact]):
        return [op.value]
    if fact.shape is None:
        raise Error("not-in-openvino", "bounds of a value of unknown rank cannot be asked")
    holds: SSAValue | None = None
    sizes = Sizes(build)
    for size, most in zip(sizes.of(op.value), op.most):
        if isinstance(size, int) or most is None:
            continue
        one = build.make(LessEqualOp, size, build.integers([most]))
        holds = one if holds is None else build.make(LogicalAndOp, holds, one)
    if holds is None:
        return [op.value]
    condition = build.make(ReduceLogicalAndOp, holds, build.integers([0]), attributes={"keep_dims": False})
    return [checks.require(build, op.value, condition)]


@expresses(FailOp)
def fail(op: FailOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Replace a failure by zeros, with a check that does not hold.

    Error: `not-in-openvino` if nothing decides whether the failure runs.
    """
    never = checks.never(build, op)
    if never is None:
        raise always_stops(op.reason.data)
    values: list[SSAValue] = []
    for result in op.results:
        fact = build.fact(result)
        extents = [extent.lo if extent.static is None else extent.static for extent in fact.shape or ()]
        nothing = build.constant(np.asarray(zeros(extents, dtype_of(fact.element))))
        values.append(checks.require(build, nothing, never))
    for new in build.emitted:
        # The reader finds out again that this always fails: what it puts there must have the names that this has.
        new.location = UnknownLoc()
    return values
