"""Gather with an error for out-of-range indices; GatherElements of partial data.

OpenVINO's Gather returns 0 for an index out of range.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import GreaterEqualOp, LessOp, LogicalAndOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.gathering import GatherElementsOp, GatherOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalAndOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.parameters import surely_on_axis
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks, always_stops
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses
from loomir.passes.graph.decompositions.extents import Sizes


@expresses(GatherOp)
def gather(op: GatherOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Replace a Gather by one that returns 0 for out-of-range indices.

    Indices that are not known to be in range are checked.
    """
    if op.out_of_range is None:
        return None
    indices = op.indices
    if op.checks_indices and checks.keep:
        indices = _inside(op, build, checks)
    attributes = {name: value for name, value in op.properties.items() if name != "out_of_range"}
    return [build.make(GatherOp, op.data, indices, op.axis, attributes=attributes)]


def _inside(op: GatherOp, build: GraphBuilder, checks: Checks) -> SSAValue:
    data, indices, axis = (checks.fact(operand) for operand in op.operands)
    if data.shape is None or indices.rank is None or axis.value is None:
        raise Error(
            "not-in-openvino",
            "an index out of range is an error, which cannot be asked where rank or axis is not known",
            hint="fix the shapes of the inputs, or leave the checks out",
        )
    if surely_on_axis(data, axis, indices):
        return op.indices
    if indices.value is not None and data.static is not None:
        never = checks.never(build, op)
        if never is None:
            raise always_stops("an index is out of range")
        return checks.require(build, op.indices, never)
    place = normalise_axis(int(axis.value.reshape(())), len(data.shape))
    sizes = Sizes(build)
    extent = sizes.value(sizes.of(op.data)[place])
    wide = op.indices
    if indices.element != i64:
        wide = build.make(ConvertOp, wide, attributes={"destination_type": i64})
    low = build.make(GreaterEqualOp, wide, build.make(NegativeOp, extent))
    inside = build.make(LogicalAndOp, low, build.make(LessOp, wide, extent))
    # (Compared with one element, a scalar has one dimension.)
    axes = build.integers(range(max(indices.rank, 1)))
    condition = build.make(ReduceLogicalAndOp, inside, axes, attributes={"keep_dims": False})
    return checks.require(build, op.indices, condition)


@expresses(GatherElementsOp)
def gather_elements(op: GatherElementsOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None:
    """Gather from only as much data as there are indices.

    This applies to the axes other than the gathering axis, where OpenVINO requires equal extents.
    """
    data, indices = checks.fact(op.data).shape, checks.fact(op.indices).shape
    if data is None or indices is None:
        return None
    axis = normalise_axis(to_int(op.axis), len(data))
    cut = {
        k: extent.static
        for k, (whole, extent) in enumerate(zip(data, indices))
        if k != axis and None not in (whole.static, extent.static) and whole.static != extent.static
    }
    if not cut:
        return None
    lengths = [length for length in cut.values() if length is not None]
    part = build.make(
        SliceOp, op.data, build.integers([0] * len(cut)), build.integers(lengths), build.integers([1] * len(cut)),
        build.integers(list(cut)),
    )  # fmt: skip
    return [build.make(GatherElementsOp, part, op.indices, attributes=op.properties)]
