"""Lowerings of Reshape, Squeeze, Unsqueeze (views, without a copy), Transpose and ShapeOf."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.parameters import flag
from loomir.dialects.ov.reshape import (
    ReshapeOp,
    ShapeOfOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
    transpose_order,
)
from loomir.passes.structured.lowering.base import Lowering, Shaped, lowers
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.places import constant_axes, projection, require_equal, view


def declared(value: SSAValue) -> tuple[int | None, ...]:
    """The extents that a value's type gives, None where it leaves one open."""
    assert isinstance(value.type, TensorType)
    return tuple(None if e < 0 else e for e in value.type.get_shape())


@lowers(ReshapeOp)
def reshape(op: ReshapeOp, low: Lowering) -> Shaped:
    """A view; where extents are only known at run time, an assert that the number of elements is right."""
    x = low.operand(op.data)
    known = declared(op.output)
    dims: list[Extent]
    if None in known:
        dims = _pattern_extents(op, low, x)
        dims = [d if k is None else k for d, k in zip(dims, known)]
    else:
        dims = [k for k in known if k is not None]
    if tuple(dims) == x.dims:
        return x
    for extent in dims:
        low.assert_(low.compare("sge", extent, 0), "shape: a negative extent")
    require_equal(low, low.product(dims), low.product(x.dims), "reshape changes the number of elements")
    return view(low, low.reshape(x, dims, low.bounds_of(op.output)))


def _pattern_extents(op: ReshapeOp, low: Lowering, x: Shaped) -> list[Extent]:
    special_zero = flag(op.special_zero)
    pattern = low.ints(low.operand(op.shape))
    extents: list[Extent] = []
    copied: set[int] = set()
    for index, wanted in enumerate(pattern):
        copy = x.dims[index] if special_zero and index < x.rank else None
        if isinstance(wanted, int) and wanted == 0 and copy is not None:
            copied.add(index)
            extents.append(copy)
        elif copy is None or isinstance(wanted, int):
            extents.append(wanted)
        else:
            extents.append(low.select(low.compare("eq", wanted, 0), copy, wanted))
    inferred = [i for i, e in enumerate(extents) if isinstance(e, int) and e == -1]
    unsure = [i for i, e in enumerate(extents) if not isinstance(e, int) and i not in copied]
    if not inferred and not unsure:
        return extents
    # The extents that a -1 may stand for follow from the others; with a known -1, no other can be one.
    candidates = inferred or unsure
    factors: list[Extent] = []
    for index, extent in enumerate(extents):
        if index in copied or index in inferred:
            continue
        factors.append(
            low.select(low.compare("eq", extent, -1), 1, extent) if index in candidates else extent
        )
    rest = low.product([d for i, d in enumerate(x.dims) if i not in copied])
    others = low.product(factors)
    none = low.compare("eq", others, 0)
    quotient = low.select(none, 0, low.floordiv(rest, low.select(none, 1, others)))
    for index in candidates:
        extents[index] = low.select(low.compare("eq", extents[index], -1), quotient, extents[index])
    return extents


@lowers(SqueezeOp)
def squeeze(op: SqueezeOp, low: Lowering) -> Shaped:
    """A view without some dimensions of extent 1; those that are 1 only at run time are asserted to be."""
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
    """A view where only dimensions of extent 1 change places, else a `linalg.generic` with a permutation."""
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
    made = low.generic(
        [x],
        [out],
        [projection(x.rank, places), AffineMap.identity(x.rank)],
        ["parallel"] * x.rank,
        lambda v: v,
    )
    assert isinstance(made, Shaped)
    return made


@lowers(ShapeOfOp)
def shape_of(op: ShapeOfOp, low: Lowering) -> Shaped:
    """A constant where the shape is known, else a small tensor filled element by element."""
    x = low.operand(op.data)
    if x.static is not None:
        return low.of_array(np.array(x.static, dtype_of(op.output_type)), anchor=op)
    out = low.destination(op.output, [x.rank])
    value = out.value
    for index, extent in enumerate(x.dims):
        scalar = low.from_index(extent, op.output_type)
        value = low.insert(tensor.InsertOp(scalar, value, [low.index(index)])).result
    return low.like(out, value)
