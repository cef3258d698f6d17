"""Maps of a consumer in terms of its producers' loops, and the other way round."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint, Rewriter


def inverse(map: AffineMap) -> AffineMap | None:
    """Return an output's loops in terms of its coordinates, or None.

    Each loop must be one coordinate, and the other coordinates must be constant.
    """
    found: dict[int, int] = {}
    for i, expr in enumerate(map.results):
        if isinstance(expr, AffineDimExpr) and expr.position not in found:
            found[expr.position] = i
        elif not isinstance(expr, AffineConstantExpr):
            return None
    if len(found) != map.num_dims:
        return None
    return AffineMap(len(map.results), 0, tuple(AffineDimExpr(found[dim]) for dim in range(map.num_dims)))


def reads_once(map: AffineMap) -> bool:
    """Return True if different iterations read different elements.

    This is the case if every loop is a coordinate.
    """
    dims = {expr.position for expr in map.results if isinstance(expr, AffineDimExpr)}
    return len(dims) == map.num_dims


def replace_index(index: IndexOp, expr: AffineExpr) -> None:
    """Replace a producer's loop index by the value of an affine expression.

    The expression is in terms of the consumer's loops.
    """

    def emit(op: Operation) -> SSAValue:
        op.location = index.location
        Rewriter.insert_op(op, InsertPoint.before(index))
        return op.results[0]

    def value(e: AffineExpr) -> SSAValue:
        match e:
            case AffineDimExpr():
                return emit(IndexOp(e.position))
            case AffineConstantExpr():
                return emit(arith.ConstantOp(IntegerAttr(e.value, IndexType())))
            case AffineBinaryOpExpr():
                left, right = value(e.lhs), value(e.rhs)
                return emit(_OPERATIONS[e.kind](left, right))
            case _:
                raise AssertionError(f"{e}: an indexing map has no symbols")

    Rewriter.replace_op(index, [], [value(expr)])


_OPERATIONS = {
    AffineBinaryOpKind.Add: arith.AddiOp,
    AffineBinaryOpKind.Mul: arith.MuliOp,
    AffineBinaryOpKind.FloorDiv: arith.FloorDivSIOp,
    AffineBinaryOpKind.CeilDiv: arith.CeilDivSIOp,
    # Coordinates are not negative.
    AffineBinaryOpKind.Mod: arith.RemUIOp,
}
