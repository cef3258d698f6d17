"""Copies of a loop's body outside of it, for unrolling and peeling."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.tensors import tensor_type_of


class Copies:
    """Appends copies of a loop's body where a builder emits.

    Values are forwarded from one copy to the next.
    """

    def __init__(self, loop: LoopOp, build: GraphBuilder) -> None:
        self.loop = loop
        self.build = build
        self.carried: list[SSAValue] = list(loop.carried)
        self.last: list[SSAValue] = []
        self.concat: list[list[SSAValue]] = [[] for _ in loop.concat]
        self.condition: SSAValue | None = loop.cond

    @staticmethod
    def before(loop: LoopOp) -> Copies:
        """Copies in front of the loop."""
        return Copies(loop, GraphBuilder(InsertPoint.before(loop), loop.location))

    def iterate(self, number: SSAValue | int, parts: Sequence[SSAValue]) -> None:
        """Append a copy of the body for one iteration.

        The iteration has this number and these slices.
        """
        if isinstance(number, int):
            number = self.build.scalar(number, i64)
        loop = self.loop
        mapping: dict[SSAValue, SSAValue] = dict(zip(loop.body.block.args, [number, *self.carried, *parts]))
        blocks: dict[Block, Block] = {}
        for op in loop.body.block.ops:
            if isinstance(op, NextOp):
                break
            clone = op.clone(mapping, blocks)
            self.build.emit(clone)
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
        bounds = [self.build.integers([n]) for n in (begin, begin + size, 1, axis)]
        return self.build.make(SliceOp, value, *bounds)

    def joined(self, index: int) -> SSAValue:
        """Append the concatenation of an output's parts so far.

        The parts are in the output's order.
        """
        cut = self.loop.concatenations[index]
        values = self.concat[index] if cut.stride > 0 else self.concat[index][::-1]
        return self.join(values, cut)

    def join(self, values: Sequence[SSAValue], cut: Slicing) -> SSAValue:
        """Append a concatenation along the output's axis."""
        if len(values) == 1:
            return values[0]
        return self.build.make(ConcatOp, values, attributes={"axis": cut.axis})


def replace_loop(loop: LoopOp, values: Sequence[SSAValue]) -> None:
    """Put values in place of the loop's results and erase it."""
    for result, value in zip(loop.results, values, strict=True):
        result.replace_all_uses_with(value)
    loop.detach()
    loop.erase()


def remaining_loop(loop: LoopOp, done: Copies, trip: SSAValue | None, begun: SSAValue | int) -> LoopOp:
    """Return the loop over the iterations from number `begun` on.

    The loop follows the copies of the earlier iterations and takes over the body of the original loop.

    If there are no earlier iterations (`begun` is 0) and the last ones are to follow the loop, it is the original loop with
    another trip count. It has no slices and no last values: after no iteration these would be zeros.
    """
    final_types = [v.type for v in loop.next.carried]
    body = Region()
    loop.body.move_blocks(body)
    number = body.block.args[0]
    if number.first_use is not None and begun != 0:
        build = GraphBuilder(InsertPoint.at_start(body.block), loop.location)
        first = build.scalar(begun, i64) if isinstance(begun, int) else begun
        shifted = build.make(AddOp, number, first)
        number.replace_uses_with_if(shifted, lambda use: use.operation is not shifted.owner)
    rest = LoopOp.of(
        trip=trip,
        cond=done.condition,
        carried=done.carried,
        sliced=[],
        slices=[],
        concats=loop.concatenations,
        final_types=final_types,
        last_types=[],
        concat_types=[r.type for r in loop.concat],
        body=body,
    )
    return done.build.emit(rest)


def joins_with_nothing(part: Fact, cut: Slicing) -> bool:
    """Return True if a concatenation with an empty output is legal.

    The output is that of a loop that runs no further iteration. Its dynamic dimensions are 0.
    """
    if part.shape is None:
        return False
    axis = cut.normalised_axis(len(part.shape))
    return all(k == axis or d.static is not None for k, d in enumerate(part.shape))
