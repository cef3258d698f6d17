"""Producers that cost nothing where read, and tensors overwritten in place.

Some producers can as well be computed where their elements are read: moves, and the widening of integers of 8 and 16 bits.

A producer moves to its consumer only if no tensor that it reads is overwritten in between: `InPlaceWrites` knows the tensors that an
operation may overwrite in place, and when.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, IntegerType, TensorType
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.interface import entry_of
from loomir.dialects.region_flow import region_flow

VIEWS = (tensor.ExtractSliceOp, tensor.ExpandShapeOp, tensor.CollapseShapeOp, tensor.CastOp)
"""Operations whose result is the same memory as their first operand."""


class InPlaceWrites:
    """Positions of a block's operations, and of possible in-place writes to tensors."""

    def __init__(self, block: Block, written: Mapping[Operation, Sequence[SSAValue]]) -> None:
        """Number the operations of a block and record its writes.

        `written` holds the tensors from outside that the regions of operations may overwrite (`written_outside`).
        """
        self.block = block
        self.number: dict[Operation, int] = {}
        self._roots: dict[SSAValue, SSAValue] = {}
        self._writes: dict[SSAValue, list[int]] = {}
        for number, op in enumerate(block.ops):
            self.number[op] = number
            for target in (*_destinations(op), *written.get(op, ())):
                numbers = self._writes.setdefault(self.root(target), [])
                if not numbers or numbers[-1] != number:
                    numbers.append(number)

    def written_outside(self) -> list[SSAValue]:
        """The values from outside the block whose memory it may overwrite."""
        return [value for value in self._writes if _block_of(value) is not self.block]

    def root(self, value: SSAValue) -> SSAValue:
        """Return the first value in the memory that this value probably has."""
        path: list[SSAValue] = []
        while value not in self._roots:
            path.append(value)
            source = _same_memory(value)
            if source is None:
                self._roots[value] = value
            elif isinstance(_through_views(source).owner, tensor.EmptyOp):
                # Each use of an empty tensor is memory of its own.
                self._roots[value] = value
            else:
                value = source
        root = self._roots[value]
        for each in path:
            self._roots[each] = root
        return root

    def is_overwritten(self, value: SSAValue, after: Operation, until: Operation) -> bool:
        """Return True if a value's memory is a destination between two operations.

        The destination is that of an operation behind `after`, up to and including `until`.
        """
        numbers = self._writes.get(self.root(value), [])
        at = bisect_right(numbers, self.number[after])
        return at < len(numbers) and numbers[at] <= self.number[until]


def _block_of(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def _through_views(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    return value


def _same_memory(value: SSAValue) -> SSAValue | None:
    """Return the operand whose memory an in-place operation's result has."""
    op = value.owner
    if isinstance(op, Block):
        return None
    if isinstance(op, VIEWS):
        return op.operands[0]
    if isinstance(op, tensor.InsertSliceOp | tensor.InsertOp):
        return op.dest
    if isinstance(op, GenericOp | FillOp | CopyOp):
        return op.outputs[op.results.index(value)]
    return None


def _destinations(op: Operation) -> tuple[SSAValue, ...]:
    """The operands that an operation may overwrite."""
    match op:
        case GenericOp() | FillOp() | CopyOp():
            return tuple(op.outputs)
        case tensor.InsertSliceOp() | tensor.InsertOp():
            return (op.dest,)
        case _:
            # A loop the initial values of what it carries; a branch is given none.
            return () if (flow := region_flow(op)) is None else tuple(flow.entry.operands)


def costs_nothing(producer: GenericOp) -> bool:
    """Return True if a producer only moves elements or widens integers.

    Widening is cheaper than reading wide integers.

    Integers may become wider integers (of 16 bits, or constants), minus a constant zero point; weights may become floats.
    """
    subtracts = False
    for op in producer.body.block.ops:
        if isinstance(op, arith.SubiOp) and isinstance(op.rhs.owner, arith.ConstantOp):
            subtracts = True
        elif isinstance(op, arith.SIToFPOp | arith.UIToFPOp):
            if not _is_narrow(op) or not all(is_weight(value) for value in producer.inputs):
                return False
        elif isinstance(op, arith.ExtSIOp | arith.ExtUIOp) and all(map(is_weight, producer.inputs)):
            pass
        elif not (isinstance(op, YieldOp | arith.ConstantOp) or _is_widening(op)):
            return False
    return not subtracts or _begins_wide(producer) or any(_begins_wide(v.owner) for v in producer.inputs)


def _begins_wide(op: Operation | Block) -> bool:
    """Return True if a generic widens integers before anything else."""
    return isinstance(op, GenericOp) and _is_widening(op.body.block.first_op)


def _is_widening(op: Operation | None) -> bool:
    return isinstance(op, arith.ExtSIOp | arith.ExtUIOp) and _is_narrow(op)


def _is_narrow(op: Operation) -> bool:
    """Return True if an operation takes an integer of ≤ 16 bits."""
    source = op.operands[0].type
    return isinstance(source, IntegerType) and source.width.data <= 16


def is_weight(value: SSAValue) -> bool:
    """Return True if a value is a constant tensor.

    A constant tensor is an argument of the function with `loomir.blob`.
    """
    return isinstance(value, BlockArgument) and entry_of(value).is_constant


class SplitBeforeWidening(RewritePattern):
    """Rewrites `expand_shape(widen(x))` to `widen(expand_shape(x))`.

    Both are static, and the generic reads one tensor element by element; nothing else reads its result.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ExpandShapeOp, rewriter: PatternRewriter) -> None:
        generic, result = op.src.owner, op.result.type
        assert isinstance(result, TensorType)
        if (
            not isinstance(generic, GenericOp)
            or not _is_plain(generic)
            or DYNAMIC_INDEX in result.get_shape()
        ):
            return
        source = generic.inputs[0]
        split = tensor.ExpandShapeOp.build(
            operands=[source, []],
            result_types=[TensorType(tensor_type_of(source).element_type, result.get_shape())],
            properties=dict(op.properties),
        )
        empty = tensor.EmptyOp([], result)
        identity = AffineMapAttr(AffineMap.identity(result.get_num_dims()))
        widened = GenericOp(
            [split.result],
            [empty.tensor],
            _taken(generic),
            [identity, identity],
            [IteratorTypeAttr(IteratorType.PARALLEL)] * result.get_num_dims(),
            [result],
        )
        for new in (split, empty, widened):
            new.location = generic.location
        split.location = op.location
        rewriter.replace(op, [split, empty, widened])
        target = generic.outputs[0].owner
        rewriter.erase(generic)
        if isinstance(target, tensor.EmptyOp) and not target.tensor.uses:
            rewriter.erase(target)


def _taken(generic: GenericOp) -> Region:
    """The body of a generic that is going to be erased."""
    region = Region()
    generic.body.move_blocks(region)
    generic.body.add_block(Block())
    return region


def _is_plain(generic: GenericOp) -> bool:
    """Return True if a generic is free, elementwise, and read once.

    It costs nothing, and reads one tensor element by element.
    """
    maps = [attr.data for attr in generic.indexing_maps]
    return (
        len(generic.inputs) == len(generic.outputs) == 1
        and isinstance(generic.inputs[0].type, TensorType)
        and all(map == AffineMap.identity(map.num_dims) for map in maps)
        and generic.results[0].uses.get_length() == 1
        and not generic.attributes
        and costs_nothing(generic)
        and not generic.body.block.args[1].uses
    )
