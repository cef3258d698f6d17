"""Lowerings of Concat and Tile.

Concat becomes a `tensor.insert_slice` of each part; Tile becomes a `linalg.generic` that reads elements repeatedly.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.index_builder import all_static
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.operators.joining import ConcatOp, TileOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.passes.structured.lowering.base import Lowering
from loomir.passes.structured.lowering.builder import Extent, capacity_of, tensor_type
from loomir.passes.structured.lowering.places import computed, projection, read, require_equal
from loomir.passes.structured.lowering.registry import lowers
from loomir.passes.structured.lowering.shaped import Shaped


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
