"""Maps of consumers in terms of their producers' loops, and back."""

from __future__ import annotations

from xdsl.dialects import arith, tensor
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

from loomir.dialects.element_types import tensor_type_of
from loomir.passes.structured.lib.memrefs import groups_of


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


def skipped(map: AffineMap) -> set[int]:
    """Return the loops that are no coordinate.

    If there are none, different iterations read different elements.
    """
    return set(range(map.num_dims)) - {e.position for e in map.results if isinstance(e, AffineDimExpr)}


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


def unit_view(op: Operation) -> AffineMap | None:
    """Return the coordinates in the source of a view, or None.

    The view only adds dimensions of extent 1.

    >>> unit_view(expand_shape [[0, 1]] : tensor<?xf32> into tensor<?x1xf32>)
    (d0, d1) -> (d0)
    """
    if not isinstance(op, tensor.ExpandShapeOp):
        return None
    shape = tensor_type_of(op.result).get_shape()
    kept: list[AffineExpr] = []
    for group in groups_of(op.reassociation):
        wide = [dim for dim in group if shape[dim] != 1]
        if len(wide) > 1:
            return None
        kept.append(AffineDimExpr(wide[0] if wide else group[0]))
    return AffineMap(len(shape), 0, tuple(kept))


def viewed(op: Operation) -> Operation | None:
    """Return the operation behind such a view, or the operation itself.

    Return None if it is an argument.
    """
    if unit_view(op) is None:
        return op
    source = op.operands[0].owner
    return source if isinstance(source, Operation) else None
