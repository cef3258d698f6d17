"""Loops that write single elements.

Such loops are nests of `scf.for`. The values that they carry have the form of flat tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects import tensor
from xdsl.ir import Attribute, SSAValue

from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.bounds import with_known
from loomir.dialects.tensors import tensor_type_of
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent, capacity_of
from loomir.passes.structured.lowering.shaped import Shaped

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


def get(low: Lowering, flat: SSAValue, place: Extent) -> SSAValue:
    """An element of a flat tensor."""
    return low.insert(tensor.ExtractOp(flat, [low.index(place)], tensor_type_of(flat).element_type)).result


def put(low: Lowering, scalar: SSAValue, flat: SSAValue, place: Extent) -> SSAValue:
    """A flat tensor with one element replaced."""
    return low.insert(tensor.InsertOp(scalar, flat, [low.index(place)])).result


def fresh_flat(low: Lowering, result: SSAValue, dims: Sequence[Extent]) -> tuple[SSAValue, Sequence[int]]:
    """Return an undefined flat tensor and the bounds of a GRAPH result.

    The tensor is for the result with these extents.
    """
    bounds = low.bounds_of(result)
    element = tensor_type_of(result).element_type
    return low.empty(element, [capacity_of(with_known(bounds, dims))]), bounds
