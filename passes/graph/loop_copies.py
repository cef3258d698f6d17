"""Copies of a loop's body outside of it: what unrolling and peeling are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.tensors import tensor_type_of


class Copies:
    """Appends copies of a loop's body before an operation (or at a block's end), handing values from one to the next."""

    def __init__(self, loop: LoopOp, block: Block, before: Operation | None) -> None:
        self.loop = loop
        self._block = block
        self._before = before
        self.carried: list[SSAValue] = list(loop.carried)
        self.last: list[SSAValue] = []
        self.concat: list[list[SSAValue]] = [[] for _ in loop.concat]
        self.condition: SSAValue | None = loop.cond

    def add(self, op: Operation) -> Operation:
        """Append an operation with the loop's location."""
        op.location = self.loop.location
        self._insert(op)
        return op

    def constant(self, array: np.ndarray) -> SSAValue:
        """Append a constant."""
        return self.add(ConstantOp.of(array)).results[0]

    def iterate(self, number: SSAValue, parts: Sequence[SSAValue]) -> None:
        """Append one copy of the body, for the iteration with this number and these parts."""
        loop = self.loop
        mapping: dict[SSAValue, SSAValue] = dict(zip(loop.body.block.args, [number, *self.carried, *parts]))
        blocks: dict[Block, Block] = {}
        for op in loop.body.block.ops:
            if isinstance(op, NextOp):
                break
            clone = op.clone(mapping, blocks)
            self._insert(clone)
        end = loop.next
        self.condition = None if end.cond is None else mapping.get(end.cond, end.cond)
        self.carried = [mapping.get(v, v) for v in end.carried]
        self.last = [mapping.get(v, v) for v in end.last]
        for parts_of_output, value in zip(self.concat, end.concat):
            parts_of_output.append(mapping.get(value, value))

    def part(self, value: SSAValue, axis: int, begin: int, size: int) -> SSAValue:
        """Append a slice of `size` elements from `begin`."""
        if tensor_type_of(value).get_shape()[axis] == size:
            return value
        bounds = [self.constant(np.array([n], np.int64)) for n in (begin, begin + size, 1, axis)]
        return self.add(SliceOp.make(value, *bounds)).results[0]

    def joined(self, index: int) -> SSAValue:
        """Append the concatenation of an output's parts so far, in the output's order."""
        cut = self.loop.concatenations[index]
        values = self.concat[index] if cut.stride > 0 else self.concat[index][::-1]
        return self.join(values, cut)

    def join(self, values: Sequence[SSAValue], cut: Slicing) -> SSAValue:
        """Append a concatenation along the output's axis."""
        if len(values) == 1:
            return values[0]
        return self.add(ConcatOp.make(list(values), attributes={"axis": cut.axis})).results[0]

    def _insert(self, op: Operation) -> None:
        if self._before is None:
            self._block.add_op(op)
        else:
            self._block.insert_op_before(op, self._before)


def replace_loop(loop: LoopOp, values: Sequence[SSAValue]) -> None:
    """Put values in place of the loop's results and erase it."""
    for result, value in zip(loop.results, values, strict=True):
        result.replace_all_uses_with(value)
    loop.detach()
    loop.erase()
