"""Tensors filled by a nest of `scf.for`: for what is no `linalg.generic` because the trips of inner loops depend
on where the outer ones are, or because much is computed once for many elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import tensor
from xdsl.ir import SSAValue

from loomir.passes.structured.lowering.base import Lowering, Shaped
from loomir.passes.structured.lowering.builder import Extent


def filled_by_loops(
    low: Lowering,
    dest: Shaped,
    element: Callable[[list[SSAValue]], SSAValue],
    *,
    order: Sequence[int] | None = None,
    entered: Callable[[int, SSAValue], None] | None = None,
) -> Shaped:
    """A destination whose every element is computed by `element(coordinates)`, in a loop per dimension.

    `order` lists the dimensions from the outermost loop to the innermost (default: as they are). `entered(axis,
    index)` is called where the body of an axis's loop begins: what it emits is computed once for all inner
    loops. A destination of unknown extents is carried flat, as STRUCTURED wants it.
    """
    dims = dest.dims
    flat = dest.home is not None
    carried = dest.home if flat and dest.home is not None else dest.value
    strides: list[Extent] = [1] * len(dims)
    for axis in reversed(range(len(dims) - 1)):
        strides[axis] = low.mul(strides[axis + 1], dims[axis + 1])
    axes = list(range(len(dims))) if order is None else list(order)
    at: list[SSAValue | None] = [None] * len(dims)

    def inside(level: int, offset: Extent, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        (whole,) = values
        if level == len(axes):
            places = [i for i in at if i is not None]
            value = element(places)
            where = [low.index(offset)] if flat else places
            return [low.insert(tensor.InsertOp(value, whole, where)).result]
        axis = axes[level]

        def body(index: SSAValue, inner: Sequence[SSAValue]) -> Sequence[SSAValue]:
            at[axis] = index
            if entered is not None:
                entered(axis, index)
            further = low.add(offset, low.mul(index, strides[axis])) if flat else 0
            return inside(level + 1, further, inner)

        return low.for_(0, dims[axis], [whole], body)

    (result,) = inside(0, 0, [carried])
    if not flat:
        return low.like(dest, result)
    return Shaped(
        low, low.view_of_flat(result, dims), dest.element, dims, dest.bounds, home=None, flat=result
    )


def summed(
    low: Lowering,
    initial: SSAValue,
    ranges: Sequence[tuple[Extent, Extent]],
    term: Callable[[list[SSAValue], SSAValue], SSAValue],
    *,
    entered: Callable[[int, SSAValue], None] | None = None,
) -> SSAValue:
    """A scalar that nested loops over `ranges` carry on: `term(indices, so far)` gives its next value."""

    def inside(level: int, indices: list[SSAValue], total: SSAValue) -> SSAValue:
        if level == len(ranges):
            return term(indices, total)
        lower, upper = ranges[level]

        def body(index: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            if entered is not None:
                entered(level, index)
            return [inside(level + 1, [*indices, index], carried[0])]

        return low.for_(lower, upper, [total], body)[0]

    return inside(0, [], initial)
