"""Lowerings of Slice, Split, VariadicSplit, Concat and Tile.

- Slices are views (`tensor.extract_slice`), except for negative and unknown steps.
- Split and VariadicSplit are views (`tensor.extract_slice`).
- Concat becomes a `tensor.insert_slice` of each part.
- Tile becomes a `linalg.generic` that reads elements repeatedly.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, TileOp, VariadicSplitOp
from loomir.dialects.ov.operators.slicing import SliceOp, slice_positions
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.passes.structured.lib.builder import Extent, capacity_of, tensor_type
from loomir.passes.structured.lib.elements import (
    at_most_one,
    computed,
    constant_axes,
    projection,
    read,
    require_equal,
    view,
)
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.tensor_builder import Shaped

_FAR = (1 << 31) - 1
"""Limit to which constant positions are clamped.

Positions are clamped anyway. Constants are clamped to this limit so that arithmetic on a 32-bit index does not
overflow.
"""


@lowers(SliceOp)
def slice_(op: SliceOp, low: Lowering) -> Shaped:
    """Lower Slice as a view, or as reads at computed positions.

    It is a view if all steps are known to be positive.
    """
    x = low.operand(op.data)
    starts, stops, steps = (low.ints(low.operand(o)) for o in (op.start, op.stop, op.step))
    axes = list(range(len(starts)))
    if op.axes is not None:
        axes = constant_axes(low.operand(op.axes), x.rank, "axes")
    firsts: list[Extent] = [0] * x.rank
    sizes: list[Extent] = list(x.dims)
    strides: list[Extent] = [1] * x.rank
    for start, stop, step, axis in zip(starts, stops, steps, axes):
        step = _limited_step(low, step, x.dims[axis], x.bounds[axis])
        firsts[axis], sizes[axis] = _positions(low, start, stop, step, x.dims[axis], x.bounds[axis])
        # One element has no step; a whole axis in steps of 1 is kept.
        strides[axis] = 1 if sizes[axis] == 1 and isinstance(sizes[axis], int) else step
    if any(isinstance(n, int) and n == 0 for n in sizes):
        # No elements: a slice of none may not begin behind the last one.
        return low.destination(op.output, sizes)
    if all(isinstance(s, int) and s > 0 for s in strides):
        return view(low, low.slice(x, firsts, sizes, strides, low.bounds_of(op.output)))
    out = low.destination(op.output, sizes)

    def body(at: list[SSAValue]) -> SSAValue:
        return read(low, x, [low.add(f, low.mul(i, s)) for i, f, s in zip(at, firsts, strides)])

    return computed(low, out, body)


def _limited_step(low: Lowering, step: Extent, extent: Extent, bound: int) -> Extent:
    """Clamp a step to just beyond the axis.

    A step beyond the axis leaves the first position only. The clamped step can be negated.
    """
    if isinstance(step, int):
        return max(-bound - 1, min(bound + 1, step))
    beyond = low.add(extent, 1)
    return low.max(low.min(step, beyond), low.sub(0, beyond))


def _positions(
    low: Lowering, start: Extent, stop: Extent, step: Extent, extent: Extent, bound: int
) -> tuple[Extent, Extent]:
    """Return the first position and the number of positions on an axis.

    Both are as `slice_positions` defines them.
    """
    if all_static(known := (start, stop, step, extent)):
        return slice_positions(*known)
    if isinstance(step, int):
        return _directed(low, start, stop, step, extent, bound, step > 0)
    low.assert_(low.compare("ne", step, 0), "shape: the step of a slice is 0")
    up = low.compare("sgt", step, 0)
    # Each direction divides by a step that cannot be 0 even where it isn't the one taken.
    forward = _directed(low, start, stop, low.max(step, 1), extent, bound, True)
    backward = _directed(low, start, stop, low.min(step, -1), extent, bound, False)
    return low.select(up, forward[0], backward[0]), low.select(up, forward[1], backward[1])


def _directed(
    low: Lowering, start: Extent, stop: Extent, step: Extent, extent: Extent, bound: int, up: bool
) -> tuple[Extent, Extent]:
    last = low.sub(extent, 0 if up else 1)
    # Backwards on an empty axis the first position is -1, and so is every stop.
    first = _clamped(low, start, extent, 0, last, bound)
    end = _clamped(low, stop, extent, 0 if up else -1, last, bound)
    if up and isinstance(first, int) and isinstance(extent, int) and first >= extent:
        return first, 0
    distance = low.max(low.sub(end, first) if up else low.sub(first, end), 0)
    return first, low.ceildiv(distance, step if up else low.sub(0, step))


def _clamped(
    low: Lowering, position: Extent, extent: Extent, lowest: int, last: Extent, bound: int
) -> Extent:
    """A position counted from the front and limited to lowest..last."""
    if isinstance(position, int):
        if position >= bound and not isinstance(extent, int):
            return last
        if position < -bound:
            return low.min(lowest, last) if lowest == 0 else lowest
        position = max(-_FAR, min(_FAR, position))
        counted = low.add(extent, position) if position < 0 else position
        if position == 0 and lowest == 0 and last is extent:
            return 0
        floor = low.max(counted, lowest) if position < 0 else counted
    else:
        counted = low.select(low.compare("slt", position, 0), low.add(position, extent), position)
        floor = low.max(counted, lowest)
    return low.min(floor, last)


@lowers(SplitOp)
def split(op: SplitOp, low: Lowering) -> Sequence[Shaped]:
    """Views of equal parts."""
    x = low.operand(op.data)
    (axis,) = constant_axes(low.operand(op.axis), x.rank, "axis")
    parts = to_int(op.num_splits)
    extent = x.dims[axis]
    require_equal(low, low.rem(extent, parts), 0, "the parts of a split are not equal")
    size = low.floordiv(extent, parts)
    return _parts(op, low, x, axis, [size] * parts)


@lowers(VariadicSplitOp)
def variadic_split(op: VariadicSplitOp, low: Lowering) -> Sequence[Shaped]:
    """Views of parts of given sizes."""
    x = low.operand(op.data)
    (axis,) = constant_axes(low.operand(op.axis), x.rank, "axis")
    wanted = low.ints(low.operand(op.split_lengths))
    # Beyond the axis is beyond it: their sum does not wrap.
    wanted = [low.limited(s, x.bounds[axis]) for s in wanted]
    unsure = [i for i, s in enumerate(wanted) if not isinstance(s, int)]
    rest = [i for i, s in enumerate(wanted) if isinstance(s, int) and s == -1] or unsure
    at_most_one(low, [low.compare("eq", wanted[i], -1) for i in rest], "several parts of a split are -1")
    total: Extent = 0
    for index, size in enumerate(wanted):
        total = low.add(total, low.select(low.compare("eq", size, -1), 0, size) if index in rest else size)
    left = low.sub(x.dims[axis], total)
    sizes = [low.select(low.compare("eq", s, -1), left, s) if i in rest else s for i, s in enumerate(wanted)]
    total = 0
    for size in sizes:
        low.assert_(low.compare("sge", size, 0), "shape: a part of a split has a negative size")
        total = low.add(total, size)
    require_equal(low, total, x.dims[axis], "the parts of a split do not make up the axis")
    return _parts(op, low, x, axis, sizes)


def _parts(
    op: SplitOp | VariadicSplitOp, low: Lowering, x: Shaped, axis: int, sizes: Sequence[Extent]
) -> list[Shaped]:
    parts: list[Shaped] = []
    first: Extent = 0
    for size, result in zip(sizes, op.outputs):
        offsets: list[Extent] = [0] * x.rank
        offsets[axis] = first
        extents = [*x.dims[:axis], size, *x.dims[axis + 1 :]]
        if any(isinstance(n, int) and n == 0 for n in extents):
            parts.append(low.destination(result, extents))
            continue
        parts.append(view(low, low.slice(x, offsets, extents, bounds=low.bounds_of(result))))
        first = low.add(first, size)
    return parts


@lowers(ConcatOp)
def concat(op: ConcatOp, low: Lowering) -> Shaped:
    """Insert every operand into its part of the result.

    Parts that are known to be empty are omitted.
    """
    inputs = low.operands(op)
    rank = inputs[0].rank
    axis = normalise_axis(to_int(op.axis), rank)
    dims: list[Extent] = list(inputs[0].dims)
    for x in inputs[1:]:
        for i in range(rank):
            if i == axis:
                continue
            require_equal(low, dims[i], x.dims[i], "concat of tensors with different extents")
            # A number is worth more than a value.
            dims[i] = x.dims[i] if isinstance(x.dims[i], int) else dims[i]
    offsets: list[Extent] = [0]
    for x in inputs:
        offsets.append(low.add(offsets[-1], x.dims[axis]))
    parts = [
        (x, o) for x, o in zip(inputs, offsets) if not (isinstance(x.dims[axis], int) and x.dims[axis] == 0)
    ]
    if len(parts) == 1:
        return parts[0][0]
    dims[axis] = offsets[-1]
    appended = _appended(op, low, inputs[0], parts, axis, dims)
    if appended is not None:
        return appended
    out = low.destination(op.output, dims)
    if any(isinstance(d, int) and d == 0 for d in dims):
        return out
    for x, offset in parts:
        out = low.insert_into(x, out, [offset if i == axis else 0 for i in range(rank)])
    return out


def _appended(
    op: ConcatOp,
    low: Lowering,
    first: Shaped,
    parts: Sequence[tuple[Shaped, Extent]],
    axis: int,
    dims: Sequence[Extent],
) -> Shaped | None:
    """Append the other parts in the first part's capacity tensor, if possible.

    The capacity tensor must have room, and no later operation may read it. A loop that appends to a loop-carried value in
    this way does not copy all of the value in each iteration: `bufferize` writes the rows in place.
    """
    destination = first.flat
    if destination is None or not parts or parts[0][0] is not first:
        return None
    if any(not isinstance(d, int) or d != 1 for d in dims[:axis]) or any(
        isinstance(d, int) and d == 0 for d in dims
    ):
        return None
    bounds = low.bounds_of(op.output)
    block = destination.owner if isinstance(destination.owner, Block) else destination.owner.parent
    if destination.type != tensor_type(first.element, [capacity_of(bounds)]) or block is low.func.body.block:
        return None
    if not _dies_at(op.operands[0], op) or not isinstance(op.output.type, TensorType):
        return None
    exact = [low.index(d) if s == DYNAMIC_INDEX else s for s, d in zip(op.output.type.get_shape(), dims)]
    low.check_capacity(op.output, exact)
    inner = low.product(dims[axis + 1 :])
    flat = destination
    for x, offset in parts[1:]:
        count = low.product(x.dims)
        flat = low.insert_slice(low.flatten(x.value, count), flat, [low.mul(offset, inner)], [count], [1])
    return Shaped(low, low.view_of_flat(flat, exact), first.element, exact, bounds, flat=flat)


def _dies_at(value: SSAValue, op: Operation) -> bool:
    """Return True if no later operation in the block reads the value.

    Operations in the regions of the block's operations count as well. Later means after `op`.
    """
    block = op.parent
    assert block is not None
    for use in value.uses:
        user = use.operation
        while user.parent is not block and (parent := user.parent_op()) is not None:
            user = parent
        if user is not op and (user.parent is not block or op.is_before_in_block(user)):
            return False
    return True


@lowers(TileOp)
def tile(op: TileOp, low: Lowering) -> Shaped:
    """Lower Tile as a broadcast if everything is static, else as reads.

    The broadcast is to [r0, d0, r1, d1, …]; its reshape is the result. The reads are at `i mod d`.
    """
    x = low.operand(op.data)
    repeats = list(low.ints(low.operand(op.repeats)))
    rank = max(x.rank, len(repeats))
    if not rank:
        return x
    repeats = [1] * (rank - len(repeats)) + repeats
    if x.rank < rank:
        missing = rank - x.rank
        x = low.reshape(x, [*[1] * missing, *x.dims], [*[1] * missing, *x.bounds])
    for times in repeats:
        low.assert_(low.compare("sge", times, 0), "shape: a tensor is repeated a negative number of times")
    if all(r == 1 for r in repeats):
        return x
    # More often than the result has elements is too often, or of nothing: the product does not wrap.
    repeats = [low.limited(r, b) for r, b in zip(repeats, low.bounds_of(op.output))]
    dims = [low.mul(r, d) for r, d in zip(repeats, x.dims)]
    if x.splat is not None:
        return low.fill(x.splat, low.destination(op.output, dims))
    if all_static(dims) and all_static(repeats) and x.static is not None:
        wide: list[int] = []
        source: list[int] = []
        for r, d in zip(repeats, x.static):
            if r != 1:
                wide.append(r)
            source.append(len(wide))
            wide.append(d)
        made = low.each([x], low.new(wide, x.element), lambda v: v, [projection(len(wide), source)])
        return low.reshape(made, dims)
    source_ = x
    out = low.destination(op.output, dims)

    def body(at: list[SSAValue]) -> SSAValue:
        # Where the operand is empty so is the result: nothing is divided by 0.
        return read(low, source_, [low.rem(i, d) for i, d in zip(at, source_.dims)])

    return computed(low, out, body)
