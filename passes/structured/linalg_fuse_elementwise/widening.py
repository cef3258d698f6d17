"""Producers that can as well be computed where their elements are read.

They are moves, and the widening of integers of 8 and 16 bits.
"""

from __future__ import annotations

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, IntegerType, TensorType
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.interface import entry_of
from loomir.dialects.tensors import tensor_type_of


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
            if not _is_narrow(op) or not all(_is_weight(value) for value in producer.inputs):
                return False
        elif isinstance(op, arith.ExtSIOp | arith.ExtUIOp) and all(map(_is_weight, producer.inputs)):
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


def _is_weight(value: SSAValue) -> bool:
    """Return True if a value is a constant tensor.

    A constant tensor is an argument of the function with `loomir.blob`.
    """
    return isinstance(value, BlockArgument) and entry_of(value).is_constant


def split_before_widening(op: tensor.ExpandShapeOp) -> tensor.ExpandShapeOp:
    """Rewrite `expand_shape(widen(x))` to `widen(expand_shape(x))` repeatedly; return the resulting view.

    Both are static, and the generics read one tensor element by element; nothing else reads their results.
    """
    while True:
        generic, result = op.src.owner, op.result.type
        assert isinstance(result, TensorType)
        if (
            not isinstance(generic, GenericOp)
            or not _is_plain(generic)
            or DYNAMIC_INDEX in result.get_shape()
        ):
            return op
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
        Rewriter.insert_op([split, empty, widened], InsertPoint.before(op))
        Rewriter.replace_op(op, [], [widened.results[0]])
        target = generic.outputs[0].owner
        Rewriter.erase_op(generic)
        if isinstance(target, tensor.EmptyOp) and not target.tensor.uses:
            Rewriter.erase_op(target)
        op = split


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
