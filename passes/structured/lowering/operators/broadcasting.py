"""Lowerings of Broadcast, Range and Pad."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math, tensor
from xdsl.ir import Block, Region, SSAValue

from loomir.dialects.element_types import f64, i64, is_float, is_unsigned, ui64
from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp, RangeOp
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import INDEX, Extent, extent_of, tensor_type
from loomir.passes.structured.lowering.operators.reshape import declared
from loomir.passes.structured.lowering.places import (
    computed,
    constant_axes,
    either,
    projection,
    read,
    require_equal,
    view,
)
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.scalars import ScalarMath
from loomir.passes.structured.lowering.shaped import Shaped


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
