"""SliceScatter from ScatterUpdate."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.scattering import ScatterUpdateOp, SliceScatterOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.parameters import integers, length
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error
from loomir.passes.graph.decompositions import decomposes
from loomir.passes.graph.decompositions.extents import Sizes


@decomposes(SliceScatterOp)
def slice_scatter(op: SliceScatterOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose `data[s0, s1] = u` axis by axis.

    It becomes `d0 = data[s0]; d0[:, s1] = u; data[s0] = d0`, with the positions of each axis the same slice of
    0 … extent - 1. Error: `unknown-axes` if the axes or the rank are not known.
    """
    count = next((n for v in (op.start, op.stop, op.step) if (n := length(build.fact(v))) is not None), None)
    rank = build.fact(op.data).rank
    named = list(range(count or 0)) if op.axes is None else integers(build.fact(op.axes), "axes", 1)
    if count is None or rank is None or named is None:
        raise Error(
            "unknown-axes",
            "the rank of data, or which axes are sliced, is not known",
            hint="fix the shapes of the inputs",
        )
    if not count:
        return [op.updates]
    zero, sizes = build.scalar(0, i64), Sizes(build)

    def one(value: SSAValue, k: int) -> SSAValue:
        return build.make(GatherOp, value, build.integers([k]), zero)

    parts: list[tuple[SSAValue, SSAValue, int]] = []
    value = op.data
    for k, axis in enumerate(normalise_axes(named, rank)):
        whole = sizes.positions(sizes.of(value)[axis])
        cut = [one(v, k) for v in (op.start, op.stop, op.step)]
        places = build.make(SliceOp, whole, *cut, build.integers([0]))
        parts.append((value, places, axis))
        if k + 1 < count:
            value = build.make(SliceOp, value, *cut, build.integers([axis]))
    made = op.updates
    for value, places, axis in reversed(parts):
        made = build.make(ScatterUpdateOp, value, places, made, build.scalar(axis, i64))
    return [made]
