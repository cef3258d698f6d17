"""Slices and reshapes of tensors: what part of its source a view covers, and when two slices are the same."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr

from loomir.dialects.index_builder import Extent
from loomir.passes.structured.bufferize.model import Cover

SliceOp = tensor.ExtractSliceOp | tensor.InsertSliceOp
ReshapeOp = tensor.ExpandShapeOp | tensor.CollapseShapeOp
DestinationOp = LinalgStructuredOperation | tensor.InsertSliceOp | tensor.InsertOp
Bounds = tuple[tuple[Extent, ...], tuple[Extent, ...], tuple[Extent, ...]]
"""Offsets, sizes and strides."""


def mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> tuple[Extent, ...]:
    """The numbers of `static`, with the SSA values of `dynamic` in the places that say `DYNAMIC_INDEX`."""
    values = iter(dynamic)
    return tuple(next(values) if number == DYNAMIC_INDEX else number for number in static)


def slice_bounds(op: SliceOp) -> Bounds:
    """Offsets, sizes and strides of a slice, each a number or an SSA value per dimension."""
    offsets, sizes, strides = (
        tuple(v for v in attr.get_values() if isinstance(v, int))
        for attr in (op.static_offsets, op.static_sizes, op.static_strides)
    )
    return mixed(offsets, op.offsets), mixed(sizes, op.sizes), mixed(strides, op.strides)


def whole_shape(op: SliceOp) -> tuple[int, ...]:
    """The shape of the tensor that `op` takes a slice of, or puts one into."""
    type = op.source.type if isinstance(op, tensor.ExtractSliceOp) else op.dest.type
    assert isinstance(type, TensorType)
    return type.get_shape()


def slice_cover(op: SliceOp) -> Cover:
    """What part of the whole (source of an extraction, destination of an insertion) the slice is."""
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
    """Whether the slice is one contiguous piece of a packed whole."""
    _, sizes, strides = slice_bounds(op)
    shape = whole_shape(op)
    if any(stride != 1 for stride in strides):
        return False
    first = next((i for i, size in enumerate(sizes) if size != 1), len(sizes))
    return sizes[first + 1 :] == shape[first + 1 :] and DYNAMIC_INDEX not in shape[first + 1 :]


def within(part: Cover, whole: Cover) -> Cover:
    """The cover of a `part` of something that itself covers `whole` of an alias set."""
    if part is Cover.FULL:
        return whole
    return Cover.PART if Cover.PART in (part, whole) else Cover.PREFIX


def same_slice(a: SliceOp, b: SliceOp) -> bool:
    """Whether two slices (of wholes of one shape) are the same elements in the same order."""
    return whole_shape(a) == whole_shape(b) and slice_bounds(a) == slice_bounds(b)


def disjoint(a: Sequence[tuple[Extent, ...]], b: Sequence[tuple[Extent, ...]]) -> bool:
    """Whether slices with these bounds, of one whole, certainly have no element in common."""
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
    """The last position of a slice in one dimension, if it is known."""
    if isinstance(offset, int) and isinstance(size, int) and isinstance(step, int):
        return offset + (size - 1) * step
    return None


def reshape_source(value: SSAValue) -> tuple[SSAValue, list[ReshapeOp]]:
    """Follow reshapes backwards: the value that `value` is a reshape of, and the operations, last first."""
    reshapes: list[ReshapeOp] = []
    while isinstance(op := value.owner, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
        reshapes.append(op)
        value = op.src
    return value, reshapes


def is_all_parallel(op: GenericOp) -> bool:
    return all(kind.data is IteratorType.PARALLEL for kind in op.iterator_types)


def is_permutation(op: GenericOp, operand: int) -> bool:
    """Whether each iteration of `op` accesses an element of its own of that operand."""
    map = op.indexing_maps.data[operand].data
    dims = {result.position for result in map.results if isinstance(result, AffineDimExpr)}
    return len(dims) == len(map.results) == map.num_dims


def reads_destination(op: DestinationOp, operand: int) -> bool:
    """Whether the contents of destination `operand` matter: are read, or survive in part."""
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
    """The tensor that an operation gives with new contents as `value`; None for what other operations give."""
    match op := value.owner:
        case LinalgStructuredOperation() if isinstance(value, OpResult):
            return op.outputs[value.index]
        case tensor.InsertSliceOp() | tensor.InsertOp():
            return op.dest
        case _:
            return None


def reads_elementwise(op: Operation, operand: int, dest: int) -> bool:
    """Whether each iteration of `op` reads, of that operand, only the element that it writes of `dest`."""
    if not isinstance(op, GenericOp) or not is_all_parallel(op) or not operand < len(op.inputs):
        return False
    return op.indexing_maps.data[operand] == op.indexing_maps.data[dest] and is_permutation(op, dest)
