"""Rough size of an operation in the emitted C.

It bounds passes that copy operations.

The unit is an elementwise operation, some 100 bytes of code at -Os by itself (a nest of loops around a line; fused with its
neighbours it is only the line). An operation that only determines the places of elements counts zero; a product or another
operation with a nest of its own counts a few times as much; a composite operation counts all operations that it consists of.
"""

from __future__ import annotations

from collections.abc import Collection

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


class NestSizes:
    """Sizes of selected operations with regions, updated as inner ones grow.

    The operations may be nested; inner ones grow before those around them.

    Each operation of the program is entered once, at any nesting depth.
    """

    def __init__(self, top: Operation, wanted: Collection[Operation]) -> None:
        self._sizes: dict[Operation, int] = {}
        self._around: dict[Operation, Operation] = {}
        operations = list(walk(top))
        for op in operations:
            if op.regions and op is not top and (parent := op.parent_op()) is not None:
                around = parent if parent in wanted else self._around.get(parent)
                if around is not None:
                    self._around[op] = around
        for op in reversed(operations):
            size = self._sizes.get(op, 0) + _own_size(op)
            if op.regions:
                self._sizes[op] = size
            if op is not top and (parent := op.parent_op()) is not None:
                self._sizes[parent] = self._sizes.get(parent, 0) + size
        self._grown: dict[Operation, int] = {}

    def size(self, op: Operation) -> int:
        """Return the size of an operation with its contents and recorded growth."""
        return self._sizes[op] + self._grown.get(op, 0)

    def leave(self, op: Operation, growth: int) -> None:
        """Leave a selected operation and record the program's growth beside it.

        The selected operation around it grows by both: this growth and the growth inside the operation.
        """
        around = self._around.get(op)
        if around is not None:
            self._grown[around] = self._grown.get(around, 0) + self._grown.get(op, 0) + growth


def _own_size(op: Operation) -> int:
    if op.regions:
        return REGION
    if op.has_trait(ConstantLike) or op.has_trait(IsTerminator) or isinstance(op, PLACES):
        return 0
    if isinstance(op, LINES) or (isinstance(op, OvOperation) and op.ELEMENTWISE):
        return 1
    return COMPOSITE if isinstance(op, OvOperation) and op.COMPOSITE else NEST
