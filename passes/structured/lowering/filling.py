"""Tensors filled by a nest of `scf.for`.

Such a nest replaces a `linalg.generic` if the trip counts of inner loops depend on the positions of outer loops, or if
much is computed once for many elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import tensor
from xdsl.ir import SSAValue

from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.shaped import Shaped


def filled_by_loops(
    low: Lowering,
    dest: Shaped,
    element: Callable[[list[SSAValue]], SSAValue | Sequence[SSAValue]],
    *,
    order: Sequence[int] | None = None,
    entered: Callable[[int, SSAValue], None] | None = None,
    block: tuple[int, int] | None = None,
) -> Shaped:
    """Fill a destination with `element(coordinates)`, in one loop per dimension.

    `order` lists the dimensions from the outermost loop to the innermost (default: in their own order).
    `entered(axis, index)` is called at the beginning of the body of an axis's loop: the code that it emits is computed once
    for all inner loops. With `block = (axis, count)` the loop of that axis advances by `count` steps, which must divide its
    extent, and `element` returns `count` values, those of the positions from the current one on. A destination of unknown
    extents is carried flat, as STRUCTURED requires.
    """
    dims = dest.dims
    flat = dest.destination is not None
    carried = dest.destination if flat and dest.destination is not None else dest.value
    strides: list[Extent] = [1] * len(dims)
    for axis in reversed(range(len(dims) - 1)):
        strides[axis] = low.mul(strides[axis + 1], dims[axis + 1])
    axes = list(range(len(dims))) if order is None else list(order)
    at: list[SSAValue | None] = [None] * len(dims)

    def inside(level: int, offset: Extent, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        (whole,) = values
        if level == len(axes):
            places = [i for i in at if i is not None]
            made = element(places)
            for k, value in enumerate([made] if isinstance(made, SSAValue) else made):
                there: list[Extent] = [*places]
                if block is not None:
                    there[block[0]] = low.add(places[block[0]], k)
                further = (
                    low.add(offset, low.mul(strides[block[0]], k)) if flat and block is not None else offset
                )
                where = [further] if flat else there
                whole = low.insert(tensor.InsertOp(value, whole, [low.index(w) for w in where])).result
            return [whole]
        axis = axes[level]

        def body(index: SSAValue, inner: Sequence[SSAValue]) -> Sequence[SSAValue]:
            at[axis] = index
            if entered is not None:
                entered(axis, index)
            further = low.add(offset, low.mul(index, strides[axis])) if flat else 0
            return inside(level + 1, further, inner)

        step = block[1] if block is not None and block[0] == axis else 1
        return low.for_(0, dims[axis], [whole], body, step)

    (result,) = inside(0, 0, [carried])
    if not flat:
        return low.like(dest, result)
    return Shaped(
        low, low.view_of_flat(result, dims), dest.element, dims, dest.bounds, destination=None, flat=result
    )


def summed(
    low: Lowering,
    initial: Sequence[SSAValue],
    ranges: Sequence[tuple[Extent, Extent]],
    term: Callable[[list[SSAValue], Sequence[SSAValue]], Sequence[SSAValue]],
) -> Sequence[SSAValue]:
    """Return the scalars that nested loops over `ranges` carry.

    `term(indices, so far)` returns their next values.
    """

    def inside(level: int, indices: list[SSAValue], totals: Sequence[SSAValue]) -> Sequence[SSAValue]:
        if level == len(ranges):
            return term(indices, totals)

        def body(index: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return inside(level + 1, [*indices, index], carried)

        return low.for_(*ranges[level], totals, body)

    return inside(0, [], initial)
