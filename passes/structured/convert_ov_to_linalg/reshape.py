"""Lowerings of Reshape, Squeeze, Unsqueeze, Transpose, ShapeOf, Broadcast, Range and Pad.

Reshape, Squeeze and Unsqueeze are views, without a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects import arith, math, tensor
from xdsl.ir import Block, Region, SSAValue

from loomir.dialects.element_types import dtype_of, f64, i64, is_float, is_unsigned, tensor_type_of, ui64
from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp, RangeOp
from loomir.dialects.ov.operators.reshape import (
    ReshapeOp,
    ShapeOfOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
    transpose_order,
)
from loomir.passes.structured.lib.builder import INDEX, Extent, extent_of, tensor_type
from loomir.passes.structured.lib.elements import (
    at_most_one,
    computed,
    constant_axes,
    either,
    negation,
    projection,
    read,
    require_equal,
    view,
)
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.scalars import ScalarMath
from loomir.passes.structured.lib.tensor_builder import Shaped


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


@lowers(BroadcastOp)
def broadcast(op: BroadcastOp, low: Lowering) -> Shaped:
    """Emit a `linalg.generic` whose operand map omits repeated dimensions, or a view.

    The result is a view if nothing is repeated.
    """
    x = low.operand(op.data)
    known = declared(op.output)
    rank = len(known)
    # Dimension i of the operand is dimension places[i] of the result.
    places = list(range(rank - x.rank, rank))
    if op.axes_mapping is not None and x.rank:
        mapping = constant_axes(low.operand(op.axes_mapping), rank, "axes_mapping")
        if mapping:
            places = mapping
    dims = _target(op, low, x, places)
    if not rank:
        return x
    sources: list[int] = []
    guarded: set[int] = set()
    for axis, place in enumerate(places):
        extent, target = x.dims[axis], dims[place]
        if isinstance(extent, int) and extent == 1:
            continue
        sources.append(axis)
        if isinstance(extent, int) or extent is target:
            require_equal(low, extent, target, "a broadcast to another extent")
            continue
        fits, one = low.compare("eq", extent, target), low.compare("eq", extent, 1)
        low.assert_(either(low, fits, one), "shape: a broadcast to another extent")
        guarded.add(axis)
    if x.splat is not None:
        return low.fill(x.splat, low.destination(op.output, dims))
    core = low.reshape(x, [x.dims[a] for a in sources], [x.bounds[a] for a in sources])
    out_places = [places[a] for a in sources]
    repeated = [d for i, d in enumerate(dims) if i not in out_places]
    if not guarded and all(d == 1 for d in repeated):
        return view(low, low.reshape(core, dims, low.bounds_of(op.output)))
    out = low.destination(op.output, dims)
    if guarded:
        # An extent that may turn out to be 1: then its only element is read again and again.
        def body(at: list[SSAValue]) -> SSAValue:
            where: list[Extent] = []
            for axis, place in zip(sources, out_places):
                one = low.compare("eq", x.dims[axis], 1)
                where.append(low.select(one, 0, at[place]) if axis in guarded else at[place])
            return read(low, core, where)

        return computed(low, out, body)
    return low.each([core], out, lambda v: v, [projection(rank, out_places)])


def _target(op: BroadcastOp, low: Lowering, x: Shaped, places: Sequence[int]) -> list[Extent]:
    """The extents of the result."""
    known = declared(op.output)
    target_operand = low.operand(op.target_shape)
    if None not in known and target_operand.array is not None:
        return [k for k in known if k is not None]
    wanted = list(low.ints(target_operand))
    dims: list[Extent] = [1] * (len(known) - len(wanted)) + wanted
    for extent in dims:
        low.assert_(low.compare("sge", extent, 0), "shape: a negative extent")
    if op.mode_name == "bidirectional":
        for axis, place in enumerate(places):
            extent, target = x.dims[axis], dims[place]
            if isinstance(target, int) and target == 1:
                dims[place] = extent
            elif not isinstance(target, int):
                # 1 gives way to the operand's extent; anything else must fit it.
                dims[place] = low.select(low.compare("eq", target, 1), extent, target)
    for extent, number in zip(dims, known):
        if number is not None:
            require_equal(low, extent, number, "a broadcast to another extent")
    return [d if k is None else k for d, k in zip(dims, known)]


@lowers(RangeOp)
def range_(op: RangeOp, low: Lowering) -> Shaped:
    """The number of elements, then a `linalg.generic` that computes `start + i · step`."""
    element = op.output_type
    known = declared(op.output)[0]
    start, stop, step = (_number(low, low.operand(o), op) for o in (op.start, op.stop, op.step))
    n: Extent = _length(op, low, start, stop, step) if known is None else known
    low.assert_(
        low.compare("ule", n, low.bounds_of(op.output)[0]), "capacity: a range is longer than its buffer"
    )
    out = low.destination(op.output, [n])

    def body(at: list[SSAValue]) -> SSAValue:
        if is_float(element):
            count = low.insert(arith.SIToFPOp(low.from_index(at[0], i64), element)).result
            return low.insert(arith.AddfOp(start, low.insert(arith.MulfOp(count, step)).result)).result
        count = low.from_index(at[0], element)
        return low.insert(arith.AddiOp(start, low.insert(arith.MuliOp(count, step)).result)).result

    return computed(low, out, body)


def _number(low: Lowering, x: Shaped, op: RangeOp) -> SSAValue:
    """The one number of a parameter in the type of the result."""
    scalar = low.extract(x, [0] * x.rank)
    if x.element == op.output_type:
        return scalar
    return ScalarMath(low).convert(scalar, x.element, op.output_type)


def _length(op: RangeOp, low: Lowering, start: SSAValue, stop: SSAValue, step: SSAValue) -> Extent:
    """Return `max(0, ceil((stop - start) / step))` as an unsigned number.

    Integers are computed exactly, floats in f64. The length is 0 if the float result is not finite.
    """
    element = op.output_type
    if element == ui64:
        return _unsigned_length(low, start, stop, step)
    if not is_float(element):
        unsigned = is_unsigned(element)
        first, end, by = (extent_of(low.to_index(v, unsigned=unsigned)) for v in (start, stop, step))
        low.assert_(low.compare("ne", by, 0), "shape: the step of a range is 0")
        if isinstance(by, int):
            least, most = (first, end) if by > 0 else (end, first)
            return low.distance_units(least, low.max(most, least), abs(by)) if by else 0
        up = low.compare("sgt", by, 0)
        least, most = low.select(up, first, end), low.select(up, end, first)
        # Where the step is 0 the assert has failed; the division stays defined all the same. The least number has no
        # opposite: as an unsigned one it is its own magnitude.
        size = low.select(up, by, low.select(low.compare("eq", by, 0), 1, low.sub(0, by)))
        return low.distance_units(least, low.max(most, least), size)
    wide = [v if element == f64 else low.insert(arith.ExtFOp(v, f64)).result for v in (start, stop, step)]
    zero = low.constant(0.0, f64)
    low.assert_(low.insert(arith.CmpfOp(wide[2], zero, "one")).result, "shape: the step of a range is 0")
    quotient = low.insert(arith.DivfOp(low.insert(arith.SubfOp(wide[1], wide[0])).result, wide[2])).result
    count = low.insert(math.CeilOp(quotient)).result
    # Beyond these it is no length; comparisons with NaN are false.
    most = low.constant(float(1 << 62), f64)
    inside = low.insert(
        arith.AndIOp(
            low.insert(arith.CmpfOp(count, zero, "ogt")).result,
            low.insert(arith.CmpfOp(quotient, low.constant(float("inf"), f64), "olt")).result,
        )
    ).result
    bounded = low.insert(arith.MinimumfOp(count, most)).result
    safe = low.insert(arith.SelectOp(inside, bounded, zero)).result
    return low.to_index(low.insert(arith.FPToSIOp(safe, i64)).result)


def _unsigned_length(low: Lowering, start: SSAValue, stop: SSAValue, step: SSAValue) -> Extent:
    zero = low.constant(0, i64)
    low.assert_(low.insert(arith.CmpiOp(step, zero, "ne")).result, "shape: the step of a range is 0")
    distance = low.insert(arith.SubiOp(low.insert(arith.MaxUIOp(stop, start)).result, start)).result
    size = low.insert(arith.MaxUIOp(step, low.constant(1, i64))).result
    return low.to_index(low.insert(arith.CeilDivUIOp(distance, size)).result)


@lowers(PadOp)
def pad(op: PadOp, low: Lowering) -> Shaped:
    """Lower Pad: `tensor.pad`, insertion into a filled tensor, or element reads.

    Mode constant pads the uncropped part of the operand with `tensor.pad` if it is static, and otherwise inserts that part
    into a filled tensor. The other modes read single elements.
    """
    x = low.operand(op.data)
    begins, ends = (low.ints(low.operand(o)) for o in (op.pads_begin, op.pads_end))
    dims = [low.max(_padded_extent(low, *p), 0) for p in zip(x.dims, begins, ends)]
    if all(p == 0 for p in (*begins, *ends)) or not x.rank:
        return x
    if op.mode_name != "constant":
        return _mirrored(op, low, x, begins, ends, dims)
    if op.pad_value is None:
        fill = low.constant(0, x.element)
    else:
        value = low.operand(op.pad_value)
        fill = low.extract(value, [0] * value.rank)
    # What is left of the operand, and where it stands in the result.
    crops = [low.min(low.max(low.negated(b), 0), d) for b, d in zip(begins, x.dims)]
    left = [low.sub(d, c) for d, c in zip(x.dims, crops)]
    sizes = [low.sub(r, low.min(low.max(low.negated(e), 0), r)) for r, e in zip(left, ends)]
    places = [low.min(low.max(b, 0), d) for b, d in zip(begins, dims)]
    if 0 in (*sizes, *dims):
        # Nothing of the operand is left.
        return low.fill(fill, low.destination(op.output, dims))
    core = view(low, low.slice(x, crops, sizes))
    if all(p == 0 for p in places) and all(isinstance(s, int) and s == d for s, d in zip(sizes, dims)):
        return core
    if all_static(dims) and all_static(places) and all_static(sizes):
        above = [d - p - s for d, p, s in zip(dims, places, sizes)]
        return _padded(low, core, places, above, dims, fill)
    out = low.fill(fill, low.destination(op.output, dims))
    return low.insert_into(core, out, places)


def _padded_extent(low: Lowering, extent: Extent, begin: Extent, end: Extent) -> Extent:
    """`extent + begin + end`; maybe negative."""
    small = [isinstance(p, int) and abs(p) < 1 << 61 for p in (begin, end)]
    if all(small):
        return low.add(low.add(extent, begin), end)
    # Both beyond one end of 64 bits stay beyond every extent.
    return low.add_limited(low.add_limited(begin, end), extent)


def _padded(
    low: Lowering,
    x: Shaped,
    below: Sequence[int],
    above: Sequence[int],
    dims: Sequence[int],
    fill: SSAValue,
) -> Shaped:
    block = Block(arg_types=[INDEX] * x.rank)
    block.add_op(tensor.YieldOp(fill))
    op = tensor.PadOp(x.value, [], [], Region(block), list(below), list(above), tensor_type(x.element, dims))
    return low.of_tensor(low.insert(op).result, x.element, dims, dims)


def _mirrored(
    op: PadOp,
    low: Lowering,
    x: Shaped,
    begins: Sequence[Extent],
    ends: Sequence[Extent],
    dims: Sequence[Extent],
) -> Shaped:
    """Lower edge, reflect and symmetric padding; each element reads its source position."""
    mode = op.mode_name
    for extent, begin, end in zip(x.dims, begins, ends):
        # Known sizes are inference's to check.
        most = low.max(begin, end)
        if mode == "edge":
            if not (isinstance(extent, int) and extent > 0):
                empty, none = low.compare("sgt", extent, 0), low.compare("sle", most, 0)
                low.assert_(either(low, empty, none), "shape: nothing to pad with")
            continue
        limit = low.sub(extent, 1) if mode == "reflect" else extent
        fits, none = low.compare("sle", most, limit), low.compare("sle", most, 0)
        low.assert_(either(low, fits, none), f"shape: more padding than mode {mode} allows")
    out = low.destination(op.output, dims)
    mirror = 0 if mode == "reflect" else 1
    if x.array is not None:
        _ = x.value  # a constant's argument is made before the body

    def place(i: SSAValue, extent: Extent, begin: Extent, end: Extent) -> Extent:
        # Cropped by more than there is: what is left stands behind the end.
        at = low.sub(i, low.max(begin, low.sub(0, extent)))
        if mode == "edge":
            return low.min(low.max(at, 0), low.sub(extent, 1))
        if not (isinstance(begin, int) and begin <= 0):
            at = low.select(low.compare("slt", at, 0), low.sub(-mirror, at), at)
        if not (isinstance(end, int) and end <= 0):
            # 2 · (extent - 1) - at + mirror
            back = low.sub(low.add(low.mul(extent, 2), mirror - 2), at)
            at = low.select(low.compare("sge", at, extent), back, at)
        return at

    return computed(low, out, lambda at: read(low, x, [place(*p) for p in zip(at, x.dims, begins, ends)]))
