"""Broadcasting below GRAPH: extents of results, and generics whose operands are broadcast.

Whether a dimension of extent `?` is 1 at run time is not known when the code is made. An operand is
*ambiguous* in a dimension that is `?` and not the very same extent as the result's; it is then read with an
index that is multiplied by 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, tensor
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.element_types import signless
from loomir.dialects.index_builder import all_static
from loomir.dialects.scalars.constants import constant_number
from loomir.dialects.tensors import tensor_type_of
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.shaped import Shaped


def broadcast_extents(low: Lowering, shapes: Sequence[Sequence[Extent]]) -> list[Extent]:
    """Return the extents of the numpy broadcast of these shapes.

    Constraints that can only be checked at run time are asserted.
    """
    rank = max((len(s) for s in shapes), default=0)
    return [
        _broadcast(low, [s[axis - (rank - len(s))] for s in shapes if axis >= rank - len(s)])
        for axis in range(rank)
    ]


def _broadcast(low: Lowering, extents: Sequence[Extent]) -> Extent:
    numbers = [e for e in extents if isinstance(e, int)]
    values = list(dict.fromkeys(e for e in extents if not isinstance(e, int)))
    result: Extent = next((n for n in numbers if n != 1), 1)
    if isinstance(result, int) and result == 1:
        if not values:
            return 1
        result = values[0]
        for other in values[1:]:
            result = low.select(low.compare("eq", result, 1), other, result)
        if len(values) == 1:
            return result
    for value in values:
        one, same = low.compare("eq", value, 1), low.compare("eq", value, result)
        if one is True or same is True:
            continue
        assert isinstance(one, SSAValue)
        assert isinstance(same, SSAValue)
        low.assert_(low.insert(arith.OrIOp(one, same)).result, "shape: operands do not broadcast")
    return result


@dataclass(frozen=True)
class Access:
    """Access of a generic to one broadcast operand.

    The operand is read through a map or, if it is ambiguous, with computed indices.
    """

    operand: Shaped
    map: AffineMap | None
    factors: tuple[SSAValue | int, ...] = ()
    """Index factors per dimension of the operand, for computed indices.

    A factor is 1 (the dimension's own index), 0 (always index 0) or an index value of 0 or 1.
    """


def access(
    low: Lowering, x: Shaped, extents: Sequence[Extent], first: int = 0, count: int | None = None
) -> Access:
    """Return the access to `x` from a generic over these extents.

    The extents are the result's; `x` is read for each of its elements. `first` is the loop of the result's first dimension;
    `count` is the number of loops if the generic has other loops as well.
    """
    rank = len(extents)
    loops = rank if count is None else count
    factors: list[SSAValue | int] = []
    for axis, extent in enumerate(x.dims, rank - x.rank):
        target = extents[axis]
        if isinstance(extent, int):
            factors.append(0 if extent == 1 and target != 1 else 1)
        elif extent is target:
            factors.append(1)
        else:
            many = low.compare("ne", extent, 1)
            assert isinstance(many, SSAValue)
            factors.append(low.select(many, 1, 0))
    if all_static(factors):
        offset = first + rank - x.rank
        exprs = [
            AffineExpr.dimension(offset + k) if f == 1 else AffineExpr.constant(0)
            for k, f in enumerate(factors)
        ]
        return Access(x, AffineMap(loops, 0, tuple(exprs)))
    return Access(x, None, tuple(factors))


def elementwise(
    low: Lowering, result: SSAValue, operands: Sequence[Shaped], body: Callable[..., SSAValue]
) -> Shaped:
    """Emit `body` for every element of the broadcast operands.

    `result` is the GRAPH value that is computed. Constants are passed to the body as the constants themselves, so that the
    body can see their numbers.
    """
    extents = broadcast_extents(low, [x.dims for x in operands])
    element = tensor_type_of(result).element_type
    constants = [_constant(x) for x in operands]
    if not extents:
        return low.of_scalar(body(*(x.value for x in operands)), element)
    dest = low.destination(result, extents)
    accesses = [None if c is not None else access(low, x, dest.dims) for x, c in zip(operands, constants)]
    return generic_over(low, accesses, constants, dest, body)


def generic_over(
    low: Lowering,
    accesses: Sequence[Access | None],
    constants: Sequence[SSAValue | None],
    dest: Shaped,
    body: Callable[..., SSAValue],
) -> Shaped:
    """Emit a parallel generic over the destination.

    Each operand is read as its access specifies, or is a constant.
    """
    rank = dest.rank
    direct = [a for a in accesses if a is not None and a.map is not None]
    maps = [a.map for a in direct if a.map is not None]

    def emit(*elements: SSAValue) -> SSAValue:
        given = iter(elements)
        values: list[SSAValue] = []
        for a, c in zip(accesses, constants):
            if c is not None:
                values.append(c)
            elif a is not None and a.map is not None:
                values.append(next(given))
            else:
                assert a is not None
                values.append(_extracted(low, a, rank))
        return body(*values)

    return low.each([a.operand for a in direct], dest, emit, maps)


def _extracted(low: Lowering, a: Access, rank: int) -> SSAValue:
    """The operand's element at the current indices."""
    x = a.operand
    indices: list[SSAValue] = []
    for axis, factor in enumerate(a.factors, rank - x.rank):
        if isinstance(factor, int) and factor == 0:
            indices.append(low.index(0))
            continue
        index = low.insert(IndexOp(axis)).result
        indices.append(index if isinstance(factor, int) else low.insert(arith.MuliOp(index, factor)).result)
    return low.insert(tensor.ExtractOp(x.value, indices, signless(x.element))).result


def _constant(x: Shaped) -> SSAValue | None:
    """The `arith.constant` that every element of an operand is."""
    scalar = x.splat
    return scalar if scalar is not None and constant_number(scalar) is not None else None


def broadcast_to(low: Lowering, x: Shaped, extents: Sequence[Extent], bounds: Sequence[int]) -> Shaped:
    """Broadcast an operand to extents in which it was ambiguous.

    Only the operand's leading dimensions, those of `extents`, are widened.
    """
    dest = low.new(list(extents), x.element, bounds)
    return generic_over(low, [access(low, x, dest.dims)], [None], dest, lambda v: v)
