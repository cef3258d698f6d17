"""Lowerings of Split and VariadicSplit: views (`tensor.extract_slice`)."""

from __future__ import annotations

from collections.abc import Sequence

from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.operators.splitting import SplitOp, VariadicSplitOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.places import (
    at_most_one,
    constant_axes,
    require_equal,
    view,
)
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.shaped import Shaped


@lowers(SplitOp)
def split(op: SplitOp, low: Lowering) -> Sequence[Shaped]:
    """Views of equal parts."""
    x = low.operand(op.data)
    (axis,) = constant_axes(low.operand(op.axis), x.rank, "axis")
    parts = to_int(op.num_splits)
    extent = x.dims[axis]
    require_equal(low, low.rem(extent, parts), 0, "the parts of a split are not equal")
    size = low.floordiv(extent, parts)
    return _parts(op, low, x, axis, [size] * parts)


@lowers(VariadicSplitOp)
def variadic_split(op: VariadicSplitOp, low: Lowering) -> Sequence[Shaped]:
    """Views of parts of given sizes."""
    x = low.operand(op.data)
    (axis,) = constant_axes(low.operand(op.axis), x.rank, "axis")
    wanted = low.ints(low.operand(op.split_lengths))
    # Beyond the axis is beyond it: their sum does not wrap.
    wanted = [low.limited(s, x.bounds[axis]) for s in wanted]
    unsure = [i for i, s in enumerate(wanted) if not isinstance(s, int)]
    rest = [i for i, s in enumerate(wanted) if isinstance(s, int) and s == -1] or unsure
    at_most_one(low, [low.compare("eq", wanted[i], -1) for i in rest], "several parts of a split are -1")
    total: Extent = 0
    for index, size in enumerate(wanted):
        total = low.add(total, low.select(low.compare("eq", size, -1), 0, size) if index in rest else size)
    left = low.sub(x.dims[axis], total)
    sizes = [low.select(low.compare("eq", s, -1), left, s) if i in rest else s for i, s in enumerate(wanted)]
    total = 0
    for size in sizes:
        low.assert_(low.compare("sge", size, 0), "shape: a part of a split has a negative size")
        total = low.add(total, size)
    require_equal(low, total, x.dims[axis], "the parts of a split do not make up the axis")
    return _parts(op, low, x, axis, sizes)


def _parts(
    op: SplitOp | VariadicSplitOp, low: Lowering, x: Shaped, axis: int, sizes: Sequence[Extent]
) -> list[Shaped]:
    parts: list[Shaped] = []
    first: Extent = 0
    for size, result in zip(sizes, op.outputs):
        offsets: list[Extent] = [0] * x.rank
        offsets[axis] = first
        extents = [*x.dims[:axis], size, *x.dims[axis + 1 :]]
        if any(isinstance(n, int) and n == 0 for n in extents):
            parts.append(low.destination(result, extents))
            continue
        parts.append(view(low, low.slice(x, offsets, extents, bounds=low.bounds_of(result))))
        first = low.add(first, size)
    return parts
