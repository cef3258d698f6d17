"""Generics that reduce.

The reduction is into a tensor, or into the single element that stands for a scalar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.tensors import tensor_type_of
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.broadcast_shapes import elementwise
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.scalars import ScalarMath, wide
from loomir.passes.structured.lowering.shaped import Shaped


def dims_map(count: int, places: Sequence[int | None]) -> AffineMap:
    """Return the map that selects these of `count` loops.

    None denotes the only index of a dimension of extent 1.
    """
    exprs = (AffineExpr.constant(0) if p is None else AffineExpr.dimension(p) for p in places)
    return AffineMap(count, 0, tuple(exprs))


def reduced(
    low: Lowering,
    result: SSAValue,
    ins: Sequence[Shaped | SSAValue],
    maps: Sequence[AffineMap],
    iterators: Sequence[str],
    dims: Sequence[Extent],
    places: Sequence[int | None],
    *,
    initial: float | int,
    accumulator: Attribute,
    body: Callable[..., SSAValue],
    finish: Callable[[SSAValue], SSAValue] | None = None,
) -> Shaped:
    """Reduce into the value `result` of GRAPH.

    `dims` are the extents of the result and `places` the loops that run over them (None: extent 1); `body(*elements, acc)`
    gives the next value of an accumulator of element type `accumulator` that begins with `initial`. `finish`
    makes an element of the result of an accumulator (default: a conversion to the result's type).
    """
    element = tensor_type_of(result).element_type
    scalars = ScalarMath(low)
    if finish is None and accumulator != element:
        finish = partial(scalars.convert, source=accumulator, target=element)

    count = len(iterators)
    begin = low.constant(initial, accumulator)
    if not dims:
        # Rank 0 is a scalar: one element of a tensor stands for it meanwhile.
        single = low.fill(begin, low.new([1], accumulator))
        everywhere = AffineMap(count, 0, (AffineExpr.constant(0),))
        (made,) = low.generic(ins, [single], [*maps, everywhere], iterators, body)
        value = low.extract(made, [0])
        return low.of_scalar(value if finish is None else finish(value), element)
    out = low.destination(result, dims)
    if accumulator != element:
        out = low.new(out.dims, accumulator, out.bounds)
    (made,) = low.generic(ins, [low.fill(begin, out)], [*maps, dims_map(count, places)], iterators, body)
    return made if finish is None else elementwise(low, result, [made], finish)


def multiply_add(low: Lowering, element: Attribute) -> Callable[[SSAValue, SSAValue, SSAValue], SSAValue]:
    """The body of a sum of products, kept in `wide(element)`."""
    scalars, to = ScalarMath(low), wide(element)

    def body(a: SSAValue, b: SSAValue, total: SSAValue) -> SSAValue:
        a, b = scalars.convert(a, element, to), scalars.convert(b, element, to)
        return scalars.add(total, scalars.mul(a, b, to), to)

    return body
