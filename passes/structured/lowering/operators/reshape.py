"""Lowerings of Reshape, Squeeze, Unsqueeze (views, without a copy), Transpose and ShapeOf."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects import tensor
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.reshape import (
    ReshapeOp,
    ShapeOfOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
    transpose_order,
)
from loomir.dialects.tensors import tensor_type_of
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.places import (
    at_most_one,
    constant_axes,
    negation,
    projection,
    require_equal,
    view,
)
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.shaped import Shaped


def declared(value: SSAValue) -> tuple[int | None, ...]:
    """Return the extents of a value's type, with None for dynamic ones."""
    return tuple(None if e < 0 else e for e in tensor_type_of(value).get_shape())


@lowers(ReshapeOp)
def reshape(op: ReshapeOp, low: Lowering) -> Shaped:
    """Return a view of the operand in the new shape.

    If extents are only known at run time, an assertion checks the number of elements.
    """
    x = low.operand(op.data)
    known = declared(op.output)
    if None in known or low.operand(op.shape).array is None:
        # Even where the result's extents are known, what the model asks for may be something else.
        dims = _pattern_extents(op, low, x)
        for extent, number in zip(dims, known):
            if number is not None:
                require_equal(low, extent, number, "reshape to another extent")
        dims = [d if k is None else k for d, k in zip(dims, known)]
    else:
        dims = [k for k in known if k is not None]
    if tuple(dims) == x.dims:
        return x
    for extent in dims:
        low.assert_(low.compare("sge", extent, 0), "shape: a negative extent")
    count = low.product_limited(dims, _most(op, low, x))
    require_equal(low, count, low.product(x.dims), "reshape changes the number of elements")
    made = low.reshape(x, dims, low.bounds_of(op.output))
    if made.value is x.value:
        # What the tensor is called elsewhere, with extents that are seen there: this may be in a branch.
        view(low, x)
        return made
    return view(low, made)


def _most(op: ReshapeOp, low: Lowering, x: Shaped) -> int:
    """Return an upper bound on extents and element counts.

    No extent of the operand or of the result is larger, nor is the number of their elements.
    """
    return max(prod(x.bounds), *low.bounds_of(op.output), 1)


def _pattern_extents(op: ReshapeOp, low: Lowering, x: Shaped) -> list[Extent]:
    """Return the extents that the pattern denotes.

    At most one entry is -1; it follows from the others.
    """
    special_zero = to_bool(op.special_zero)
    # What is beyond every extent stays so, and products of several do not wrap.
    pattern = [low.limited(n, _most(op, low, x)) for n in low.ints(low.operand(op.shape))]
    extents: list[Extent] = []
    left: list[Extent] = list(x.dims)
    factors: list[Extent] = []
    for index, wanted in enumerate(pattern):
        zero = low.compare("eq", wanted, 0) if special_zero else False
        if index >= x.rank:
            low.assert_(negation(low, zero), "shape: no extent to copy")
            zero = False
        copy = x.dims[index] if index < x.rank else 0
        extents.append(low.select(zero, copy, wanted))
        if isinstance(copy, int) and copy and zero is not True:
            factors.append(extents[-1])  # on both sides it makes no difference
            continue
        # Extents that are copied take no part: they may be 0.
        if index < x.rank:
            left[index] = low.select(zero, 1, copy)
        factors.append(low.select(zero, 1, wanted))
    inferred = [i for i, e in enumerate(pattern) if isinstance(e, int) and e == -1]
    unsure = [i for i, e in enumerate(pattern) if not isinstance(e, int)]
    # With a known -1, no other can be one.
    candidates = inferred or unsure
    if not candidates:
        return extents
    opens = {i: low.compare("eq", pattern[i], -1) for i in candidates}
    at_most_one(low, list(opens.values()), "several extents of reshape are -1")
    others = low.product_limited(
        [low.select(opens.get(i, False), 1, f) for i, f in enumerate(factors)], _most(op, low, x)
    )
    none = low.compare("eq", others, 0)
    quotient = low.select(none, 0, low.floordiv(low.product(left), low.select(none, 1, others)))
    for index, is_open in opens.items():
        extents[index] = low.select(is_open, quotient, extents[index])
    return extents


@lowers(SqueezeOp)
def squeeze(op: SqueezeOp, low: Lowering) -> Shaped:
    """Return a view without some dimensions of extent 1.

    Dimensions whose extent is 1 only at run time are asserted to be 1.
    """
    x = low.operand(op.data)
    named = list(range(x.rank)) if op.axes is None else constant_axes(low.operand(op.axes), x.rank, "axes")
    everything = op.axes is None or not named
    dropped: list[int] = []
    for axis in range(x.rank) if everything else named:
        extent = x.dims[axis]
        if not isinstance(extent, int) and not everything:
            require_equal(low, extent, 1, "a squeezed dimension is not 1")
            dropped.append(axis)
        elif isinstance(extent, int) and extent == 1:
            dropped.append(axis)
    dims = [d for i, d in enumerate(x.dims) if i not in dropped]
    return view(low, low.reshape(x, dims, [b for i, b in enumerate(x.bounds) if i not in dropped]))


@lowers(UnsqueezeOp)
def unsqueeze(op: UnsqueezeOp, low: Lowering) -> Shaped:
    """A view with more dimensions of extent 1."""
    x = low.operand(op.data)
    rank = len(declared(op.output))
    new = set(constant_axes(low.operand(op.axes), rank, "axes"))
    dims, bounds = list(x.dims), list(x.bounds)
    for axis in sorted(new):
        dims.insert(axis, 1)
        bounds.insert(axis, 1)
    return view(low, low.reshape(x, dims, bounds))


@lowers(TransposeOp)
def transpose(op: TransposeOp, low: Lowering) -> Shaped:
    """Lower Transpose as a view or as a `linalg.generic` with a permutation.

    It is a view if only dimensions of extent 1 change places.
    """
    x = low.operand(op.arg)
    order_operand = low.operand(op.input_order)
    given = constant_axes(order_operand, x.rank, "input_order") if order_operand.dims != (0,) else []
    order = transpose_order(given, x.rank)
    if x.array is not None and x.static is not None and x.splat is None:
        return low.of_array(np.ascontiguousarray(x.array.transpose(order)), anchor=op)
    dims = [x.dims[i] for i in order]
    moved = [i for i in order if x.dims[i] != 1 or not isinstance(x.dims[i], int)]
    if moved == sorted(moved):
        return view(low, low.reshape(x, dims, [x.bounds[i] for i in order]))
    out = low.destination(op.output, dims)
    # Element d0, d1, … of the result is at places[axis] of the operand, for each of its axes.
    places = [order.index(axis) for axis in range(x.rank)]
    return low.each([x], out, lambda v: v, [projection(x.rank, places)])


@lowers(ShapeOfOp)
def shape_of(op: ShapeOfOp, low: Lowering) -> Shaped:
    """Return the shape as a constant, or as a tensor filled element-wise.

    It is a constant if the shape is known, and otherwise a small tensor.
    """
    x = low.operand(op.data)
    if x.static is not None:
        return low.of_array(np.array(x.static, dtype_of(op.output_type)), anchor=op)
    out = low.destination(op.output, [x.rank])
    value = out.value
    for index, extent in enumerate(x.dims):
        scalar = low.from_index(extent, op.output_type)
        value = low.insert(tensor.InsertOp(scalar, value, [low.index(index)])).result
    return low.like(out, value)
