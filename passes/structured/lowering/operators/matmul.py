"""Lowering of MatMul."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.broadcast_shapes import access, broadcast_extents, broadcast_to
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import wide
from loomir.passes.structured.lowering.shaped import Shaped
from loomir.passes.structured.lowering.sums import multiply_add, reduced


@lowers(MatMulOp)
def mat_mul(op: MatMulOp, low: Lowering) -> Shaped:
    """Emit one generic over batch …, M, N, K.

    A dimension that a 1-D operand lacks has no loop.
    """
    a, b = low.operand(op.a), low.operand(op.b)
    # What a batch dimension is at run time has to be known for a map: widen an operand where it is not.
    batch = broadcast_extents(low, [a.dims[:-2], b.dims[:-2]])
    bounds = low.bounds_of(op.output)[: len(batch)]
    a, b = (_definite(low, x, batch, bounds) for x in (a, b))
    swap_a = to_bool(op.transpose_a) and a.rank > 1
    swap_b = to_bool(op.transpose_b) and b.rank > 1
    inner_a = a.dims[-2] if swap_a else a.dims[-1]
    inner_b = b.dims[-1] if swap_b or b.rank == 1 else b.dims[-2]
    low.assert_(low.compare("eq", inner_a, inner_b), "shape: the inner extents of a matrix product differ")

    rows: list[Extent] = [] if a.rank == 1 else [a.dims[-1] if swap_a else a.dims[-2]]
    columns: list[Extent] = [] if b.rank == 1 else [b.dims[-2] if swap_b else b.dims[-1]]
    dims = [*batch, *rows, *columns]
    loops = len(dims) + 1
    row, column, inner = len(batch), len(batch) + len(rows), loops - 1
    a_places = [inner] if a.rank == 1 else [inner, row] if swap_a else [row, inner]
    b_places = [inner] if b.rank == 1 else [column, inner] if swap_b else [inner, column]
    return reduced(
        low,
        op.output,
        [a, b],
        [_map(low, x, batch, places, loops) for x, places in ((a, a_places), (b, b_places))],
        ["parallel"] * len(dims) + ["reduction"],
        dims,
        range(len(dims)),
        initial=0,
        accumulator=wide(a.element),
        body=multiply_add(low, a.element),
    )


def _batch(low: Lowering, x: Shaped) -> Shaped:
    """Return a stand-in with only the batch dimensions, to determine their access."""
    return Shaped(low, None, x.element, x.dims[:-2], x.bounds[:-2])


def _definite(low: Lowering, x: Shaped, batch: Sequence[Extent], bounds: Sequence[int]) -> Shaped:
    if x.rank <= 2 or access(low, _batch(low, x), batch).map is not None:
        return x
    return broadcast_to(low, x, [*batch, *x.dims[-2:]], [*bounds, *x.bounds[-2:]])


def _map(low: Lowering, x: Shaped, batch: Sequence[Extent], places: Sequence[int], loops: int) -> AffineMap:
    leading: tuple[AffineExpr, ...] = ()
    if x.rank > 2:
        found = access(low, _batch(low, x), batch, count=loops).map
        assert found is not None
        leading = found.results
    return AffineMap(loops, 0, (*leading, *(AffineExpr.dimension(p) for p in places)))
