"""What an operation takes of the emitted C, roughly: what passes that copy operations are bounded by.

The unit is an elementwise operation, some 100 bytes of code at -Os by itself (a nest of loops around a line; fused with its neighbours it
is only the line). What only says where elements are takes none, a product or another operation with a nest of its own a few times as
much, and a composite operation stands for all that it is made of.
"""

from __future__ import annotations

from xdsl.ir import Block, Operation
from xdsl.traits import ConstantLike, IsTerminator

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.walking import walk
from loomir.passes.analysis.operation_costs import SIMPLE

PLACES = (ReshapeOp, SqueezeOp, UnsqueezeOp, ShapeOfOp)
LINES = (*SIMPLE, SliceOp)
NEST, COMPOSITE, REGION = 4, 16, 2


def code_size(op: Operation) -> int:
    """The size of one operation with all that is in its regions."""
    return sum(map(_own_size, walk(op)))


def code_size_of_block(block: Block) -> int:
    """The size of all operations in a block."""
    return sum(map(_own_size, walk(block)))


def _own_size(op: Operation) -> int:
    if op.regions:
        return REGION
    if op.has_trait(ConstantLike) or op.has_trait(IsTerminator) or isinstance(op, PLACES):
        return 0
    if isinstance(op, LINES) or (isinstance(op, OvOperation) and op.ELEMENTWISE):
        return 1
    return COMPOSITE if isinstance(op, OvOperation) and op.COMPOSITE else NEST
