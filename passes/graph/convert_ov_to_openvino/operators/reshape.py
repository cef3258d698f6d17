"""Squeeze with an error for non-unit dimensions; Reshape that changes nothing.

OpenVINO's Squeeze keeps a dimension that is not 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp, LogicalAndOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses
from loomir.passes.graph.decompositions.extents import Sizes


@expresses(ReshapeOp)
def reshape(op: ReshapeOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Remove a Reshape of a scalar to a scalar.

    The reader puts it before a condition whose rank it does not know yet.
    """
    return [op.data] if build.fact(op.data).rank == 0 and op.output.type == op.data.type else None


@expresses(SqueezeOp)
def squeeze(op: SqueezeOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Replace a strict Squeeze by one that keeps non-unit dimensions.

    If such dimensions are possible, the data are checked to have none.
    """
    if op.strict is None:
        return None
    data = op.data
    if to_bool(op.strict, False) and checks.keep and op.axes is not None:
        data = _of_ones(op, op.axes, build, checks)
    attributes = {name: value for name, value in op.properties.items() if name != "strict"}
    return [build.make(SqueezeOp, data, op.axes, attributes=attributes)]


def _of_ones(op: SqueezeOp, axes: SSAValue, build: GraphBuilder, checks: Checks) -> SSAValue:
    fact, named = checks.fact(op.data), checks.fact(axes).value
    if fact.shape is None:
        raise Error(
            "not-in-openvino",
            "that squeezed dimensions are 1 cannot be asked where the rank is not known",
            hint="fix the shapes of the inputs, or leave the checks out",
        )
    if named is None:
        return checks.require(build, op.data, _all_of_one(op.data, axes, build))
    sizes = Sizes(build).of(op.data)
    condition: SSAValue | None = None
    for axis in normalise_axes(named.reshape(-1), len(fact.shape)):
        size = sizes[axis]
        if isinstance(size, int):
            continue  # The operation's own rule refuses any but 1.
        one = build.make(EqualOp, size, build.integers([1]))
        condition = one if condition is None else build.make(LogicalAndOp, condition, one)
    if condition is None:
        return op.data
    scalar = build.make(ReduceLogicalAndOp, condition, build.integers([0]), attributes={"keep_dims": False})
    return checks.require(build, op.data, scalar)


def _all_of_one(data: SSAValue, axes: SSAValue, build: GraphBuilder) -> SSAValue:
    """Emit a test that the extents of computed axes are 1."""
    places = build.make(ReshapeOp, axes, build.integers([-1]))
    extents = build.make(GatherOp, build.make(ShapeOfOp, data), places, build.scalar(0, i64))
    of_one = build.make(EqualOp, extents, build.integers([1]))
    return build.make(ReduceLogicalAndOp, of_one, build.integers([0]), attributes={"keep_dims": False})


@expresses(UnsqueezeOp)
def unsqueeze(op: UnsqueezeOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """The data themselves."""
    axes = checks.fact(op.axes).value
    return [op.data] if axes is not None and axes.size == 0 else None
