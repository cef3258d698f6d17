"""Pass `scf-loop-sink`: sinking of elementwise operations into loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import bytes_of, tensor_type_of
from loomir.dialects.region_flow import enclosing, region_flow
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.walking import walk
from loomir.passes.options import check_least
from loomir.passes.structured.linalg_fuse_elementwise.producers import InPlaceWrites, is_weight


@dataclass(frozen=True)
class ScfLoopSinkPass(ModulePass):
    """Computes an elementwise tensor again in each iteration that reads it.

    Its buffer is gone when `linalg-fuse-elementwise` then takes the operation into its reader: less memory for more time.

    ```mlir
    %m = linalg.generic … ins(%p : tensor<5xf32>) outs(%e : tensor<5x7xf32>) {mulf}                    // before
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5x7xf32>) {
      %w = linalg.generic … ins(%v, %m) outs(%v) {addf}
      scf.yield %w
    }

    %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5x7xf32>) {                     // after
      %m = linalg.generic … ins(%p : tensor<5xf32>) outs(%e : tensor<5x7xf32>) {mulf}
      %w = linalg.generic … ins(%v, %m) outs(%v) {addf}
      scf.yield %w
    }
    ```

    The operation has at most `max-operations` operations for an element, and reads tensors that together are smaller than what it
    computes, apart from constants; their shapes are static. One elementwise operation reads each element of it once, in a loop behind
    it. No tensor that it reads is overwritten before the loop ends. It cannot fail: the loop may run no iteration.

    This undoes a part of `licm`, so it is in no level. `loomir compile` makes C of what
    `loomir-opt --full-constants -p 'O2{to=structured},scf-loop-sink,linalg-fuse-elementwise'` prints.
    """

    name = "scf-loop-sink"
    EXACT = True

    max_operations: int = 4

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_operations=0)
        remarks = Remarks(self.name)
        written: dict[Operation, list[SSAValue]] = {}
        blocks = [block for inner in walk(op) for region in inner.regions for block in region.blocks]
        # The inner ones first: what they write to outside themselves is collected on the way out.
        for block in reversed(blocks):
            places = InPlaceWrites(block, written)
            if (owner := block.parent_op()) is not None:
                written.setdefault(owner, []).extend(places.written_outside())
            for each in reversed(list(block.ops)):
                if isinstance(each, GenericOp) and self._sinks(each, places):
                    reader = _reader(each)
                    assert reader is not None
                    remarks.passed(each, "is computed in the loop that reads it")
                    _move(each, reader)

    def _sinks(self, op: GenericOp, places: InPlaceWrites) -> bool:
        """Return True if sinking an operation is allowed and saves memory."""
        reader = _reader(op)
        if reader is None or not (
            _is_elementwise(op) and _is_elementwise(reader) and _reads_once(reader, op)
        ):
            return False
        around = _loop_around(reader, places.block)
        read = [value for value in op.inputs if isinstance(value.type, TensorType)]
        return (
            around is not None
            and speculatable(op)
            and len(op.body.block.ops) - 1 <= self.max_operations
            and _all_static(*read, op.results[0])
            and sum(bytes_of(tensor_type_of(value)) for value in read if not is_weight(value))
            < bytes_of(tensor_type_of(op.results[0]))
            and not any(places.is_overwritten(value, op, around) for value in read)
        )


def _reader(op: GenericOp) -> GenericOp | None:
    """Return the operation that alone reads a result, or None."""
    readers = {use.operation for result in op.results for use in result.uses}
    return reader if len(readers) == 1 and isinstance(reader := readers.pop(), GenericOp) else None


def _is_elementwise(op: GenericOp) -> bool:
    """Return True if a generic computes each element by itself.

    It has one result.
    """
    return (
        len(op.results) == 1
        and all(kind.data is IteratorType.PARALLEL for kind in op.iterator_types)
        and _is_identity(op.indexing_maps.data[-1].data)
    )


def _reads_once(reader: GenericOp, op: GenericOp) -> bool:
    """Return True if an operation reads each element of another once.

    It does not begin with what the other has computed.
    """
    maps = [m.data for value, m in zip(reader.operands, reader.indexing_maps) if value is op.results[0]]
    return (
        not op.body.block.args[-1].uses
        and op.results[0] not in reader.outputs
        and all(map(_is_identity, maps))
    )


def _is_identity(indices: AffineMap) -> bool:
    return indices == AffineMap.identity(indices.num_dims)


def _loop_around(op: Operation, block: Block) -> Operation | None:
    """Return the operation of a block that has another in a loop."""
    loops = False
    for around, _ in enclosing(op):
        loops = loops or ((flow := region_flow(around)) is not None and flow.repeats)
        if around.parent is block:
            return around if loops else None
    return None


def _all_static(*values: SSAValue) -> bool:
    return all(tensor_type_of(value).has_static_shape() for value in values)


def _move(op: GenericOp, reader: GenericOp) -> None:
    """Move an operation, with a destination of its own, to its reader."""
    at = InsertPoint.before(reader)
    old = op.outputs[0]
    empty = tensor.EmptyOp([], tensor_type_of(op.results[0]))
    empty.location = op.location
    op.detach()
    for new in (empty, op):
        Rewriter.insert_op(new, at)
    op.operands[len(op.inputs)] = empty.tensor
    if isinstance(old.owner, tensor.EmptyOp) and old.first_use is None:
        Rewriter.erase_op(old.owner)
