"""Eye: a comparison of positions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.comparison import EqualOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.generators import EyeOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, UnsqueezeOp
from loomir.errors import Error
from loomir.passes.graph.decompositions import decomposes
from loomir.passes.graph.decompositions.extents import Sizes


@decomposes(EyeOp)
def eye(op: EyeOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """`row + diagonal == column`. Error: `unknown-length` where the rank of the result is not known."""
    sizes = Sizes(build)
    rows, columns, diagonal = (
        sizes.element(v, 0)
        if build.fact(v).rank
        else sizes.element(build.make(ReshapeOp, v, build.integers([1])), 0)
        for v in (op.num_rows, op.num_columns, op.diagonal_index)
    )
    # Beyond either corner there is nothing, however far.
    diagonal = sizes.clamp(diagonal, sizes.sub(0, rows), columns)
    row = build.make(UnsqueezeOp, sizes.positions(rows), build.integers([1]))
    wanted = build.make(AddOp, row, sizes.value(diagonal))
    column = build.make(UnsqueezeOp, sizes.positions(columns), build.integers([0]))
    matrix = build.make(
        ConvertOp, build.make(EqualOp, wanted, column), attributes={"destination_type": op.output_type}
    )
    if op.batch_shape is None:
        return [matrix]
    n = build.fact(op.batch_shape).static
    if n is None:
        raise Error(
            "unknown-length",
            "how many extents batch_shape has is not known",
            hint="fix the shapes of the inputs",
        )
    outer = [sizes.element(op.batch_shape, k) for k in range(n[0])]
    return [build.make(BroadcastOp, matrix, sizes.vector([*outer, *sizes.of(matrix)]))]
