"""Single elements of tensors: positions, index checks, and loops over them.

*Data movement.* The helpers cover parameters that must be constants, coordinates, and reads at computed positions.

*Loops that write single elements* are nests of `scf.for`. The values that they carry have the form of flat tensors.

*Indices that are data* are positions counted from the front, with bounds checks.

*Tensors filled by loops* have a nest of `scf.for`. It replaces a `linalg.generic` if the trip counts of inner loops depend on the
positions of outer loops, or if much is computed once for many elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from loomir.dialects.attributes import with_known
from loomir.dialects.element_types import i1, signless, tensor_type_of
from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error
from loomir.passes.structured.lib.builder import Extent, capacity_of
from loomir.passes.structured.lib.lowering import Lowering
from loomir.passes.structured.lib.tensor_builder import Shaped


def constant_axes(x: Shaped, rank: int, operand: str) -> tuple[int, ...]:
    """Return the axes that a constant names, counted from the front.

    The dimensions that an operation works on must be known when code is generated. Raises `Error("unknown-axes")` if the
    operand is not a constant.
    """
    if x.array is None:
        raise Error(
            "unknown-axes",
            f"{operand} is not known before the program runs",
            hint="run ov-infer and ov-fold-constants before, or fix the inputs that it depends on",
        )
    return normalise_axes(np.asarray(x.array).reshape(-1), rank, operand)


def require_equal(low: Lowering, a: Extent, b: Extent, what: str) -> None:
    """Assert that two extents are equal, where that is not known already."""
    low.assert_(low.compare("eq", a, b), f"shape: {what}")


def only_element(low: Lowering, x: Shaped, operand: str) -> SSAValue:
    """Return the element of a one-number parameter of rank 0 or 1."""
    for extent in x.dims:
        require_equal(low, extent, 1, f"{operand} is not one number")
    return low.extract(x, [0] * x.rank)


def view(low: Lowering, x: Shaped) -> Shaped:
    """Return the view itself, after registering it for materializations behind it.

    Materializations meet the SSA value of the view, not the result of the operation.
    """
    if x.dims and x.array is None and low.known(x.value) is None:
        low.bind(x.value, x)
    return x


def either(low: Lowering, a: bool | SSAValue, b: bool | SSAValue) -> bool | SSAValue:
    """The disjunction of two conditions, as far as it is known."""
    if isinstance(a, bool):
        return True if a else b
    if isinstance(b, bool):
        return True if b else a
    return low.insert(arith.OrIOp(a, b)).result


def negation(low: Lowering, a: bool | SSAValue) -> bool | SSAValue:
    """The opposite of a condition."""
    return not a if isinstance(a, bool) else low.insert(arith.XOrIOp(a, low.constant(1, i1))).result


def at_most_one(low: Lowering, conditions: Sequence[bool | SSAValue], what: str) -> None:
    """Assert that no two of these conditions hold."""
    count: Extent = 0
    for condition in conditions if len(conditions) > 1 else ():
        count = low.add(count, low.select(condition, 1, 0))
    low.assert_(low.compare("sle", count, 1), f"shape: {what}")


def coordinates(low: Lowering, rank: int) -> list[SSAValue]:
    """Inside the body of a generic: where it is, dimension by dimension."""
    return [low.insert(IndexOp(i)).result for i in range(rank)]


def read(low: Lowering, x: Shaped, places: Sequence[Extent]) -> SSAValue:
    """Return the element of x at computed positions, which must be inside."""
    if x.splat is not None:
        return x.splat
    op = tensor.ExtractOp(x.value, [low.index(p) for p in places], signless(x.element))
    return low.insert(op).result


def computed(low: Lowering, dest: Shaped, body: Callable[[list[SSAValue]], SSAValue]) -> Shaped:
    """A destination whose every element is computed from its coordinates."""
    return low.each([], dest, lambda: body(coordinates(low, dest.rank)))


def projection(rank: int, dims: Sequence[int]) -> AffineMap:
    """The map from a space of `rank` dimensions to these of them."""
    return AffineMap(rank, 0, tuple(AffineExpr.dimension(d) for d in dims))


Carried = Sequence[SSAValue]


def nest(
    low: Lowering,
    extents: Sequence[Extent],
    carried: Carried,
    body: Callable[[list[Extent], Carried], Carried],
) -> Carried:
    """`scf.for` over all of these extents, outermost first; `body(coordinates, carried)` as in `for_`."""

    def level(at: list[Extent], values: Carried) -> Carried:
        if len(at) == len(extents):
            return body(at, values)
        extent = extents[len(at)]
        if isinstance(extent, int) and extent == 1:
            return level([*at, 0], values)
        return low.for_(0, extent, values, lambda i, inner: level([*at, i], inner))

    return level([], carried)


def linear(low: Lowering, dims: Sequence[Extent], at: Sequence[Extent]) -> Extent:
    """Return the row-major position of an element in these extents."""
    place: Extent = 0
    for extent, coordinate in zip(dims, at, strict=True):
        place = low.add(low.mul(place, extent), coordinate)
    return place


def flat_of(low: Lowering, x: Shaped) -> SSAValue:
    """Return the elements of a tensor as a static 1-D tensor.

    The tensor has rank 1 or more. A loop may carry the result. A dynamic value is the front of a tensor of its capacity
    (docs/ir.md).
    """
    if x.static is not None:
        size = prod(x.static)
        if x.array is not None and x.splat is not None:
            return low.filled(x.splat, low.empty(x.element, [size]))
        return low.reshape(x, [size]).value
    if x.flat is not None:
        return x.flat
    destination = low.empty(x.element, [capacity_of(x.bounds)]) if x.destination is None else x.destination
    return low.into_flat(x.value, x.dims, destination)


def shaped_of(
    low: Lowering, flat: SSAValue, element: Attribute, dims: Sequence[Extent], bounds: Sequence[int]
) -> Shaped:
    """The tensor that a flat one holds: the opposite of `flat_of`."""
    if all_static(dims):
        size = tensor_type_of(flat).get_shape()
        return low.reshape(low.of_tensor(flat, element, size, size), dims)
    return Shaped(low, low.view_of_flat(flat, dims), element, dims, bounds, flat=flat)


def extract_flat(low: Lowering, flat: SSAValue, place: Extent) -> SSAValue:
    """An element of a flat tensor."""
    return low.insert(tensor.ExtractOp(flat, [low.index(place)], tensor_type_of(flat).element_type)).result


def insert_flat(low: Lowering, scalar: SSAValue, flat: SSAValue, place: Extent) -> SSAValue:
    """A flat tensor with one element replaced."""
    return low.insert(tensor.InsertOp(scalar, flat, [low.index(place)])).result


def fresh_flat(low: Lowering, result: SSAValue, dims: Sequence[Extent]) -> tuple[SSAValue, Sequence[int]]:
    """Return an undefined flat tensor and the bounds of a GRAPH result.

    The tensor is for the result with these extents.
    """
    bounds = low.bounds_of(result)
    element = tensor_type_of(result).element_type
    return low.empty(element, [capacity_of(with_known(bounds, dims))]), bounds


def counted(
    low: Lowering, index: SSAValue, extent: Extent, *, unsigned: bool = False, negative: bool = True
) -> Extent:
    """Return an index as a position counted from the front.

    The position may be out of bounds. Negative indices count from the end, unless there are none.
    """
    place = low.to_index(index, unsigned=unsigned)
    if unsigned or not negative:
        return place
    return low.select(low.compare("slt", place, 0), low.add(place, extent), place)


def in_bounds(low: Lowering, place: Extent, extent: Extent) -> SSAValue:
    """Return the condition `0 <= place < extent`."""
    above, below = low.compare("sge", place, 0), low.compare("slt", place, extent)
    truth = [low.constant(v, i1) if isinstance(v, bool) else v for v in (above, below)]
    return low.insert(arith.AndIOp(truth[0], truth[1])).result


def surely_inside(indices: np.ndarray | None, extent: Extent, *, negative: bool = True) -> bool:
    """Return True if constant indices are all in bounds.

    The bounds are [-extent, extent), or [0, extent) without `negative`.
    """
    if indices is None or not isinstance(extent, int):
        return False
    values = np.asarray(indices).astype(object if indices.dtype == np.uint64 else np.int64)
    return bool(((values >= (-extent if negative else 0)) & (values < extent)).all())


def checked(
    low: Lowering,
    index: SSAValue,
    extent: Extent,
    what: str,
    *,
    unsigned: bool = False,
    negative: bool = True,
) -> Extent:
    """Return an index as a position from the front, asserted in bounds.

    Without `negative`, indices below 0 are out of bounds.
    """
    place = counted(low, index, extent, unsigned=unsigned, negative=negative)
    low.assert_(in_bounds(low, place, extent), f"index: {what}")
    return place


def assert_all_inside(
    low: Lowering, indices: Shaped, extents: Sequence[Extent], what: str, *, negative: bool = True
) -> None:
    """Assert that indices are in bounds.

    With one extent, all indices are checked against it; with several, the last dimension holds tuples of that length.
    Without `negative`, indices below 0 are out of bounds.
    """
    if not extents or (
        indices.array is not None and _constants_inside(np.asarray(indices.array), extents, negative)
    ):
        return
    depth = len(extents)
    if not indices.dims:
        _ = checked(low, indices.value, extents[0], what, unsigned=indices.unsigned, negative=negative)
        return
    outer, bounds = (indices.dims, indices.bounds) if depth == 1 else (indices.dims[:-1], indices.bounds[:-1])
    total = low.product(outer)
    flat = low.reshape(indices, [total, depth], [prod(bounds), depth])
    _ = flat.splat or flat.value  # a constant's argument is made here, not inside the loop

    def body(at: list[Extent], carried: Carried) -> Carried:
        for c, extent in enumerate(extents):
            index = read(low, flat, [*at, c])
            _ = checked(low, index, extent, what, unsigned=flat.unsigned, negative=negative)
        return carried

    _ = nest(low, [total], [], body)


def _constants_inside(indices: np.ndarray, extents: Sequence[Extent], negative: bool) -> bool:
    if len(extents) == 1:
        return surely_inside(indices, extents[0], negative=negative)
    return all(surely_inside(indices[..., c], e, negative=negative) for c, e in enumerate(extents))


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
