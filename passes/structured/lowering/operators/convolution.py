"""Lowerings of convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.errors import Error
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import wide
from loomir.passes.structured.lowering.shaped import Shaped
from loomir.passes.structured.lowering.sums import dims_map, multiply_add, reduced
from loomir.passes.structured.lowering.windows import padded, window_count, window_exprs


@lowers(ConvolutionOp)
def convolution(op: ConvolutionOp, low: Lowering) -> Shaped:
    """Pad the data, then emit a generic.

    Its loops are n, o, windows …, c, kernel ….
    """
    x, f = low.operand(op.data), low.operand(op.filters)
    rank = x.rank - 2
    windows = op.windows(_kernel(f, 2))
    low.assert_(low.compare("eq", x.dims[1], f.dims[1]), "shape: the channels of a convolution differ")
    counts = [window_count(low, w, d) for w, d in zip(windows, x.dims[2:])]
    data, _ = padded(low, x, windows, counts, 2, 0)
    loops = 3 + 2 * rank
    n, o, c = 0, 1, 2 + rank
    outer, inner = range(2, 2 + rank), range(3 + rank, loops)
    read = AffineMap(
        loops, 0, (AffineExpr.dimension(n), AffineExpr.dimension(c), *window_exprs(windows, outer, inner))
    )
    shape, shape_maps = _extents_of_splat(low, f, 1, loops, [c, *inner])
    return reduced(
        low,
        op.output,
        [data, f, *shape],
        [read, dims_map(loops, [o, c, *inner]), *shape_maps],
        ["parallel"] * (2 + rank) + ["reduction"] * (1 + rank),
        [x.dims[0], f.dims[0], *counts],
        [n, o, *outer],
        initial=0,
        accumulator=wide(x.element),
        body=_products(low, x.element),
    )


def _extents_of_splat(
    low: Lowering, filters: Shaped, first: int, loops: int, places: Sequence[int]
) -> tuple[list[SSAValue], list[AffineMap]]:
    """Return an operand that only conveys loop extents, and its map.

    It conveys the extents of the loops over channels and kernel. It is needed if the filters are a splat: they are then
    passed as a scalar, which does not convey these extents.
    """
    if filters.splat is None:
        return [], []
    extents = [d for d in filters.dims[first:] if isinstance(d, int)]
    return [low.empty(low.index(0).type, extents)], [dims_map(loops, places)]


def _products(low: Lowering, element: Attribute) -> Callable[..., SSAValue]:
    """`multiply_add` of the first two elements and the last."""
    step = multiply_add(low, element)
    return lambda *elements: step(elements[0], elements[1], elements[-1])


@lowers(GroupConvolutionOp)
def group_convolution(op: GroupConvolutionOp, low: Lowering) -> Shaped:
    """Emit a generic over n, g, o, windows …, c, kernel ….

    The lowering is that of a convolution, on data and result whose channels are split into g and c.
    """
    x, f = low.operand(op.data), low.operand(op.filters)
    rank = x.rank - 2
    windows = op.windows(_kernel(f, 3))
    groups, produced, channels = f.dims[:3]
    low.assert_(
        low.compare("eq", x.dims[1], low.mul(groups, channels)), "shape: the channels of a convolution differ"
    )
    counts = [window_count(low, w, d) for w, d in zip(windows, x.dims[2:])]
    split = low.reshape(
        x,
        [x.dims[0], groups, channels, *x.dims[2:]],
        [x.bounds[0], f.bounds[0], f.bounds[2], *x.bounds[2:]],
    )
    data, _ = padded(low, split, windows, counts, 3, 0)
    dims: list[Extent] = [x.dims[0], groups, produced, *counts]
    bounds = low.bounds_of(op.output)
    out = low.new(dims, wide(x.element), [bounds[0], f.bounds[0], f.bounds[1], *bounds[2:]])
    loops = 4 + 2 * rank
    outer, c, inner = range(3, 3 + rank), 3 + rank, range(4 + rank, loops)
    read = AffineMap(
        loops,
        0,
        (
            AffineExpr.dimension(0),
            AffineExpr.dimension(1),
            AffineExpr.dimension(c),
            *window_exprs(windows, outer, inner),
        ),
    )
    shape, shape_maps = _extents_of_splat(low, f, 2, loops, [c, *inner])
    (made,) = low.generic(
        [data, f, *shape],
        [low.fill(low.constant(0, wide(x.element)), out)],
        [read, dims_map(loops, [1, 2, c, *inner]), *shape_maps, dims_map(loops, range(3 + rank))],
        ["parallel"] * (3 + rank) + ["reduction"] * (1 + rank),
        _products(low, x.element),
    )
    joined = low.reshape(made, [x.dims[0], low.mul(groups, produced), *counts], bounds)
    return _narrowed(low, op, joined)


def _narrowed(low: Lowering, op: GroupConvolutionOp, total: Shaped) -> Shaped:
    from loomir.passes.structured.lowering.broadcast_shapes import elementwise
    from loomir.passes.structured.lowering.scalars import ScalarMath

    element = op.output.type.element_type
    if total.element == element:
        return total
    return elementwise(low, op.output, [total], lambda v: ScalarMath(low).convert(v, total.element, element))


def _kernel(filters: Shaped, first: int) -> list[int]:
    """The spatial extents of the filters, which must be numbers."""
    extents = filters.dims[first:]
    if not all_static(extents):
        raise Error("unknown-kernel", "the spatial extents of the filters of a convolution are not known")
    return list(extents)
