"""Tensors that an operation may overwrite in place, and when."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from xdsl.dialects import tensor
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.region_flow import region_flow

VIEWS = (tensor.ExtractSliceOp, tensor.ExpandShapeOp, tensor.CollapseShapeOp, tensor.CastOp)
"""Operations whose result is the same memory as their first operand."""


class Places:
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
