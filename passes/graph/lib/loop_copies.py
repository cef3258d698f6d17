"""Pieces of an `ov.loop`, for unrolling and peeling."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i1, i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    FloorModOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.passes.control_flow.counted_loops import LoopPieces


class Copies(LoopPieces):
    """Appends copies of a loop's body where a builder emits.

    It appends loops over some of its iterations, too. Values are forwarded from one copy to the next. The iterations of a group
    cut its slices, `sliced`, instead of the loop's.
    """

    def __init__(self, loop: LoopOp, build: GraphBuilder) -> None:
        self.loop = loop
        self.build = build
        self.body, self.end = loop.body.block, loop.next
        self.sliced: Sequence[SSAValue] = loop.sliced
        self.slicings: Sequence[Slicing] = loop.slicings
        self.carried: list[SSAValue] = list(loop.carried)
        self.last: list[SSAValue] = []
        self.concat: list[list[SSAValue]] = [[] for _ in loop.concat]
        self.condition: SSAValue | None = loop.cond
        self.done: SSAValue | int = 0
        self.left: SSAValue | None = None

    @staticmethod
    def before(loop: LoopOp) -> Copies:
        """Copies in front of the loop."""
        return Copies(loop, GraphBuilder(InsertPoint.before(loop), loop.location))

    def iterate(self, number: SSAValue | int, parts: Sequence[SSAValue]) -> None:
        """Append a copy of the body for one iteration.

        The iteration has this number and these slices.
        """
        end, arguments = self.end, [_value(number, self.build), *self.carried, *parts]
        mapping: dict[SSAValue, SSAValue] = dict(zip(self.body.args, arguments))
        blocks: dict[Block, Block] = {}
        for op in self.body.ops:
            if op is not end:
                self.build.emit(op.clone(mapping, blocks))
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

    def parts(self, iteration: int) -> list[SSAValue]:
        """Append the slices of an iteration."""
        found: list[SSAValue] = []
        for value, cut in zip(self.sliced, self.slicings):
            shape = tensor_type_of(value).get_shape()
            axis = cut.normalised_axis(len(shape))
            found.append(self.part(value, axis, cut.offset(shape[axis], iteration), cut.part_size))
        return found

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

    def copy(self, count: int, decide: Callable[[int], None] | None = None) -> None:
        """Append copies of the body (`LoopPieces.copy`).

        `decide` changes the body to what it is in an iteration.
        """
        if not isinstance(self.done, int):
            return self.iterate(self.done, [])
        for iteration in range(self.done, self.done + count):
            if decide is not None:
                decide(iteration)
            self.iterate(iteration, self.parts(iteration))
        self.done += count

    def one(self) -> None:
        self.copy(1)

    def group(
        self, factor: int, trips: int | None = None, decide: Callable[[int], None] | None = None
    ) -> None:
        """Append a loop over groups (`LoopPieces.group`).

        `decide` changes the body to what it is in an iteration of a group, by its place.
        """

        def copies(inside: Copies, group: SSAValue) -> None:
            build = inside.build
            first = build.make(MultiplyOp, group, build.scalar(factor, i64))
            for step in range(factor):
                if decide is not None:
                    decide(step)
                number = build.make(AddOp, first, build.scalar(step, i64)) if step else first
                inside.iterate(number, inside.parts(step))

        build, trip = self.build, self.loop.trip
        if trips is not None:
            self.over_groups(factor, build.scalar(trips // factor, i64), copies, trips)
            self.done = trips
            return
        assert trip is not None
        size = build.scalar(factor, i64)
        # (Rounded down, so that a negative trip count, which is no limit, stays negative.)
        groups = build.make(DivideOp, trip, size)
        self.over_groups(factor, groups, copies)
        self.done = build.make(MultiplyOp, groups, size)
        # (What is left of a division says how much it is at most, which a difference would not.)
        self.left = build.make(FloorModOp, trip, size)

    def over_groups(
        self, size: int, groups: SSAValue | None, fill: Callable[[Copies, SSAValue], None], trips: int = 0
    ) -> LoopOp:
        """Append a loop over groups of `size` iterations.

        `fill` appends the iterations of one group, of which it gets the number, to the loop's body. Slices need the number of
        iterations of all groups, `trips`.
        """
        loop = self.loop
        more = self.carried[len(loop.carried) :]
        types = [v.type for v in (*loop.carried_arguments, *more)]
        for value, cut in zip(loop.sliced, loop.slicings):
            whole = tensor_type_of(value)
            types.append(TensorType(whole.element_type, cut.part_shape(whole.get_shape(), size)))
        block = Block(arg_types=[TRIP_TYPE, *types])
        inside, first_slice = Copies(loop, self.build.inside(block)), 1 + len(self.carried)
        inside.carried, inside.sliced = list(block.args[1:first_slice]), block.args[first_slice:]
        inside.slicings = [cut.whole_axis() for cut in loop.slicings]
        fill(inside, block.args[0])
        again = [] if inside.condition is None else [inside.condition]
        joined = [inside.joined(index) for index in range(len(loop.concat))]
        inside.build.emit(NextOp.build(operands=[again, inside.carried, inside.last, joined]))
        return self.follow(
            loop.like(
                Region(block),
                trip=groups,
                carried=self.carried,
                slices=self._slices(0, trips, size),
                concats=[cut.whole_axis(size) for cut in loop.concatenations],
                final_types=[v.type for v in (*loop.final, *more)],
                concat_types=opened(loop),
            )
        )

    def _slices(self, first: int, count: int, size: int = 1) -> list[Slicing]:
        pairs = zip(self.sliced, self.slicings)
        return [cut.iterations_from(tensor_type_of(v).get_shape(), first, count, size) for v, cut in pairs]

    def follow(self, loop: LoopOp) -> LoopOp:
        """Append a loop that runs the next iterations."""
        self.build.emit(loop)
        self.carried, self.last = list(loop.final), list(loop.last)
        for parts, joined in zip(self.concat, loop.concat):
            parts.append(joined)
        return loop

    def run(self, trips: SSAValue | int | None) -> LoopOp:
        """Append the loop over the next `trips` iterations.

        It takes over the body. Unless the numbers of the iterations are known, there are no slices and last values: after no
        iteration the latter would be zeros.
        """
        return self._run(body_of(self.loop), trips, self.carried)

    def some(self, trips: SSAValue | int) -> None:
        """Append a loop over the next `trips` iterations, not the last ones.

        It has a copy of the body. Where the body's condition ends it, the condition of the following loops is false. As `run`, it has
        slices and last values only if the numbers of the iterations are known. The caller says how many are `done` then.
        """
        body, carried = self.loop.body.clone(), self.carried
        if self.end.cond is None:
            self._run(body, trips, carried)
            return
        _carry_condition(body.block, len(carried))
        first = self.build.scalar(True, i1) if self.condition is None else self.condition
        self._run(body, trips, [*carried, first])
        *self.carried, self.condition = self.carried

    def _run(self, body: Region, trips: SSAValue | int | None, carried: Sequence[SSAValue]) -> LoopOp:
        done, end = self.done, body.block.last_op
        assert isinstance(end, NextOp)
        if done != 0:
            count_from(body.block, lambda build: _value(done, build))
        return self.follow(
            self.loop.like(
                body,
                trip=None if trips is None else _value(trips, self.build),
                cond=self.condition,
                carried=carried,
                slices=self._slices(done, trips) if isinstance(done, int) and isinstance(trips, int) else [],
                final_types=[v.type for v in end.carried],
                concat_types=opened(self.loop),
            )
        )

    def rest(self) -> None:
        rest = self.run(self._all_but(self.done) if self.left is None else self.left)
        for k, (value, following) in enumerate(zip(rest.carried, rest.next.carried)):
            if value is following:
                # It is the same from now on: what reads it may move before the loop, by the next pass already.
                rest.carried_arguments[k].replace_all_uses_with(value)
                self.carried[k] = value

    def all_but_last(self) -> None:
        left = self._all_but(1)
        assert left is not None
        self.run(left)
        self.done = left

    def _all_but(self, count: SSAValue | int) -> SSAValue | None:
        """Append the trip count less a number.

        A negative trip count is no limit and stays negative.
        """
        trip = self.loop.trip
        if trip is None:
            return None
        known = constant_of(trip)
        if known is not None and isinstance(count, int):
            return self.build.scalar(int(known.reshape(())) - count, i64)
        return self.build.make(SubtractOp, trip, _value(count, self.build))

    def replace(self) -> None:
        joined = [self.joined(index) for index in range(len(self.concat))]
        replace_loop(self.loop, [*self.carried, *self.last, *joined])


def _value(number: SSAValue | int, build: GraphBuilder) -> SSAValue:
    """Return a number of iterations as a value."""
    return build.scalar(number, i64) if isinstance(number, int) else number


def replace_loop(loop: LoopOp, values: Sequence[SSAValue]) -> None:
    """Put values in place of the loop's results and erase it."""
    for result, value in zip(loop.results, values, strict=True):
        result.replace_all_uses_with(value)
    loop.detach()
    loop.erase()


def body_of(loop: LoopOp) -> Region:
    """Take a loop's body for another loop."""
    body = Region()
    loop.body.move_blocks(body)
    return body


def opened(loop: LoopOp) -> list[Attribute]:
    """Return types of concatenated outputs that are shorter or longer."""
    return [UnrankedTensorType(tensor_type_of(v).element_type) for v in loop.concat]


def _carry_condition(block: Block, position: int) -> None:
    """Hand on a body's condition as another carried value, behind `position` others."""
    end = block.last_op
    assert isinstance(end, NextOp)
    assert end.cond is not None
    block.insert_arg(CONDITION_TYPE, 1 + position)
    wide = NextOp.build(operands=[[end.cond], [*end.carried, end.cond], end.last, end.concat])
    wide.location = end.location
    end.detach()
    end.erase()
    block.add_op(wide)


def count_from(block: Block, first: Callable[[GraphBuilder], SSAValue]) -> None:
    """Offset a body's iteration number by another first number.

    Nothing is emitted if the number is unused.
    """
    number, start = block.args[0], block.first_op
    if number.first_use is None or start is None:
        return
    build = GraphBuilder(InsertPoint.before(start), start.location)
    shifted = build.make(AddOp, number, first(build))
    number.replace_uses_with_if(shifted, lambda use: use.operation is not shifted.owner)


def joins_with_nothing(part: Fact, cut: Slicing) -> bool:
    """Return True if a concatenation with an empty output is legal.

    The output is that of a loop that runs no further iteration. Its dynamic dimensions are 0.
    """
    if part.shape is None:
        return False
    axis = cut.normalised_axis(len(part.shape))
    return all(k == axis or d.static is not None for k, d in enumerate(part.shape))
