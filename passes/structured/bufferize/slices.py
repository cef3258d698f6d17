"""Slices and reshapes of tensors, and conditions for overwriting their buffers.

Coverage is the part of its source that a view covers; equality is that of two slices.

*Conditions for overwriting a buffer* depend on the uses that would observe the change of its present contents.

An operation may overwrite (a slice of) the buffer that holds a version of an alias set if the alias set is writable, no
loop lies between the alias set and the operation, and no use of that version comes later. The following do not prevent
it:

- uses in the other arm of an scf.if;
- an insert_slice into exactly the slice that is overwritten: it doesn't read that slice;
- in the operation itself: an input of which each iteration reads only the element that it then overwrites.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp
from xdsl.ir import Operation, OpResult, SSAValue, Use
from xdsl.ir.affine import AffineDimExpr

from loomir.dialects.index_builder import Extent
from loomir.dialects.region_flow import exclusive, runs_once_in
from loomir.passes.structured.bufferize.model import (
    Alias,
    AliasSet,
    BufferizationPlan,
    Cover,
    SetKind,
    uses_from,
)

SliceOp = tensor.ExtractSliceOp | tensor.InsertSliceOp
ReshapeOp = tensor.ExpandShapeOp | tensor.CollapseShapeOp
DestinationOp = LinalgStructuredOperation | tensor.InsertSliceOp | tensor.InsertOp
Bounds = tuple[tuple[Extent, ...], tuple[Extent, ...], tuple[Extent, ...]]
"""Offsets, sizes and strides."""


def mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> tuple[Extent, ...]:
    """Return the numbers of `static`, completed by the SSA values of `dynamic`.

    The SSA values take the places of `DYNAMIC_INDEX`.
    """
    values = iter(dynamic)
    return tuple(next(values) if number == DYNAMIC_INDEX else number for number in static)


def slice_bounds(op: SliceOp) -> Bounds:
    """Return the offsets, sizes and strides of a slice.

    Each is a number or an SSA value per dimension.
    """
    offsets, sizes, strides = (
        tuple(v for v in attr.get_values() if isinstance(v, int))
        for attr in (op.static_offsets, op.static_sizes, op.static_strides)
    )
    return mixed(offsets, op.offsets), mixed(sizes, op.sizes), mixed(strides, op.strides)


def whole_shape(op: SliceOp) -> tuple[int, ...]:
    """Return the shape of the tensor that `op` slices or inserts into."""
    type = op.source.type if isinstance(op, tensor.ExtractSliceOp) else op.dest.type
    assert isinstance(type, TensorType)
    return type.get_shape()


def slice_cover(op: SliceOp) -> Cover:
    """Return the part of the whole that the slice covers.

    The whole is the source of an extraction or the destination of an insertion.
    """
    offsets, sizes, strides = slice_bounds(op)
    shape = whole_shape(op)
    if any(offset != 0 for offset in offsets) or any(stride != 1 for stride in strides):
        return Cover.PART
    if DYNAMIC_INDEX in shape:
        return Cover.PART
    if sizes == shape:
        return Cover.FULL
    # The slice is packed if every dimension behind the first that is not 1 is whole.
    first = next((i for i, size in enumerate(sizes) if size != 1), len(sizes))
    return Cover.PREFIX if sizes[first + 1 :] == shape[first + 1 :] else Cover.PART


def is_packed_slice(op: SliceOp) -> bool:
    """Return True if the slice is contiguous in a packed whole."""
    _, sizes, strides = slice_bounds(op)
    shape = whole_shape(op)
    if any(stride != 1 for stride in strides):
        return False
    first = next((i for i, size in enumerate(sizes) if size != 1), len(sizes))
    return sizes[first + 1 :] == shape[first + 1 :] and DYNAMIC_INDEX not in shape[first + 1 :]


def within(part: Cover, whole: Cover) -> Cover:
    """Return the cover of a `part` of something.

    The latter itself covers `whole` of an alias set.
    """
    if part is Cover.FULL:
        return whole
    return Cover.PART if Cover.PART in (part, whole) else Cover.PREFIX


def same_slice(a: SliceOp, b: SliceOp) -> bool:
    """Return True if two slices select the same elements in equal order.

    Their wholes must have the same shape.
    """
    return whole_shape(a) == whole_shape(b) and slice_bounds(a) == slice_bounds(b)


def disjoint(a: Sequence[tuple[Extent, ...]], b: Sequence[tuple[Extent, ...]]) -> bool:
    """Return True if slices with these bounds certainly share no element.

    The slices are of one whole.
    """
    for (a_low, a_size, a_step), (b_low, b_size, b_step) in zip(zip(*a), zip(*b), strict=True):
        if a_size == 0 or b_size == 0:
            return True
        a_end, b_end = _last(a_low, a_size, a_step), _last(b_low, b_size, b_step)
        if a_end is None or b_end is None:
            continue
        if (isinstance(b_low, int) and a_end < b_low) or (isinstance(a_low, int) and b_end < a_low):
            return True
    return False


def _last(offset: Extent, size: Extent, step: Extent) -> int | None:
    """Return the last position of a slice in one dimension, if known."""
    if isinstance(offset, int) and isinstance(size, int) and isinstance(step, int):
        return offset + (size - 1) * step
    return None


def reshape_source(value: SSAValue) -> tuple[SSAValue, list[ReshapeOp]]:
    """Follow reshapes backwards from `value`.

    Return the value that `value` is a reshape of, and the operations, last first.
    """
    reshapes: list[ReshapeOp] = []
    while isinstance(op := value.owner, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
        reshapes.append(op)
        value = op.src
    return value, reshapes


def is_all_parallel(op: GenericOp) -> bool:
    return all(kind.data is IteratorType.PARALLEL for kind in op.iterator_types)


def is_permutation(op: GenericOp, operand: int) -> bool:
    """Return True if each iteration of `op` accesses its own operand element."""
    map = op.indexing_maps.data[operand].data
    dims = {result.position for result in map.results if isinstance(result, AffineDimExpr)}
    return len(dims) == len(map.results) == map.num_dims


def reads_destination(op: DestinationOp, operand: int) -> bool:
    """Return True if the contents of destination `operand` matter.

    They matter if they are read, or if they survive in part.
    """
    match op:
        case FillOp() | CopyOp():
            return False
        case GenericOp():
            if op.body.block.args[operand].first_use is not None:
                return True
            return not (is_all_parallel(op) and is_permutation(op, operand))
        case tensor.InsertSliceOp():
            return slice_cover(op) is not Cover.FULL
        case _:
            return True


def destination_of(value: SSAValue) -> SSAValue | None:
    """Return the destination that an operation updates to `value`, or None.

    Return None for values of other operations.
    """
    match op := value.owner:
        case LinalgStructuredOperation() if isinstance(value, OpResult):
            return op.outputs[value.index]
        case tensor.InsertSliceOp() | tensor.InsertOp():
            return op.dest
        case _:
            return None


def reads_elementwise(op: Operation, operand: int, dest: int) -> bool:
    """Return True if `op` reads an operand elementwise.

    In each iteration, `op` reads only that element of the operand whose counterpart in `dest` it writes.
    """
    if not isinstance(op, GenericOp) or not is_all_parallel(op) or not operand < len(op.inputs):
        return False
    return op.indexing_maps.data[operand] == op.indexing_maps.data[dest] and is_permutation(op, dest)


def overwrite_conflict(plan: BufferizationPlan, op: Operation, dest: int) -> str | None:
    """Return why `op` may not overwrite its destination operand's buffer, or `None`."""
    alias = plan.aliases[op.operands[dest]]
    version = alias.version
    assert version is not None
    if reason := _not_writable(version.alias_set, op):
        return reason
    if any(not exclusive(op, amendment) for amendment in version.amendments):
        return "another version of one of its slices is in the buffer"
    written = None
    if not isinstance(op, tensor.InsertSliceOp):
        base, _ = reshape_source(op.operands[dest])
        written = base.owner if isinstance(base.owner, tensor.ExtractSliceOp) else None
    for number, use, value in uses_from(version.values, plan.numbers[op], plan.numbers):
        if use.operation is op and use.index == dest:
            continue
        if number == plan.numbers[op]:
            if not reads_same_element(plan, op, use, value, dest):
                return "the operation also reads it"
        elif written is not None and _overwrites_slice(use, written):
            continue
        elif not exclusive(op, use.operation):
            return f"its contents are used later, by {use.operation.name}"
    return None


def _overwrites_slice(use: Use, written: tensor.ExtractSliceOp) -> bool:
    insert = use.operation
    if not isinstance(insert, tensor.InsertSliceOp) or use.index != 1:
        return False
    return insert.dest is written.source and same_slice(insert, written)


def _not_writable(alias_set: AliasSet, op: Operation) -> str | None:
    if alias_set.kind is SetKind.ARGUMENT:
        return "it is an input or a weight"
    if not alias_set.writable:
        return "the loop's condition region hands it on"
    if not runs_once_in(op, alias_set.block):
        return "it comes from outside the loop"
    return None


def reads_same_element(plan: BufferizationPlan, op: Operation, use: Use, value: SSAValue, dest: int) -> bool:
    """Return True if `use` reads only the element written to `dest`.

    `use` is an operand of `op`; the condition must hold in each iteration.

    The two must be packed in the same way: the maps are equal, so with both packed from the beginning of one buffer, and
    with the same extents, equal coordinates are equal addresses.
    """
    if use.operation is not op or not reads_elementwise(op, use.index, dest):
        return False
    if isinstance(value.owner, tensor.PadOp):
        return False
    if value is op.operands[dest]:
        return True
    target = plan.aliases[op.operands[dest]].cover
    return Cover.PART not in (plan.aliases[value].cover, target)


def handover_conflict(plan: BufferizationPlan, alias: Alias, op: Operation) -> str | None:
    """Return why `op` may not take over an operand's buffer, or `None`.

    `op` is a region operation or terminator. The caller checks other uses in `op` itself.
    """
    version = alias.version
    assert version is not None
    if reason := _not_writable(version.alias_set, op):
        return reason
    if alias.cover is not Cover.FULL:
        return "it is a part of a larger buffer"
    number = plan.numbers[op]
    for _, use, _ in uses_from(version.values, number + 1, plan.numbers):
        if not exclusive(op, use.operation):
            return f"its contents are used later, by {use.operation.name}"
    return None


def is_dead_before(
    plan: BufferizationPlan, alias_set: AliasSet, fresh: AliasSet, arm: Operation | None = None
) -> bool:
    """Return True if `fresh` may live in the buffer of `alias_set`.

    Nothing may read the buffer's previous contents once `fresh` begins.

    The operation that computes `fresh` may still read `alias_set` elementwise. With `arm`, the terminator of a branch of an
    scf.if in which the uses of both alias sets end, only those uses count that can occur together with it.
    """
    if alias_set.takers and (arm is None or max(alias_set.takers) >= plan.numbers[_parent(arm)]):
        return False
    for number, use, value in uses_from(alias_set.values, fresh.number, plan.numbers):
        if arm is not None and exclusive(arm, use.operation):
            continue
        if number > fresh.number or fresh.writer is None:
            return False
        if not reads_same_element(plan, fresh.writer[0], use, value, fresh.writer[1]):
            return False
    return True


def _parent(op: Operation) -> Operation:
    parent = op.parent_op()
    assert parent is not None
    return parent
