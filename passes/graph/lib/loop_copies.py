"""Copies of a loop's body outside of it, for unrolling and peeling.

In a loop with a condition, a trip runs several copies of the loop's body, between which the condition may end the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i1, i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LessOp, LogicalAndOp, NotEqualOp, SelectOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, IfOp, LoopOp, NextOp, YieldOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.slicing import SliceOp


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


MAX_NEST = 16
"""More copies are not put into each other."""

_FAR = (1 << 63) - 1


def unrolling_obstacle(loop: LoopOp, factor: int) -> str | None:
    """Return why a loop with a condition cannot be unrolled, or None."""
    if factor > MAX_NEST:
        return f"a condition may end it early, and {factor} nested branches are more than {MAX_NEST}"
    if loop.sliced:
        return "a condition may end it early, and it has sliced inputs"
    if any(isinstance(v.type, UnrankedTensorType) for v in (*loop.next.carried, *loop.next.last)):
        return "a condition may end it early, and a carried or last value is unranked"
    for value in loop.next.concat:
        if not isinstance(value.type, TensorType) or not value.type.has_static_shape():
            return "a condition may end it early, and a concatenated part has a dynamic shape"
    return None


def unroll_while(loop: LoopOp, factor: int) -> None:
    """Put `factor` copies of the body into each trip of a loop.

    Each copy but the first is in an `ov.if` on the condition of the previous copy.

    ```mlir
    ^bb0(%j: tensor<i64>, %v: tensor<f32>):                      // factor 2
      %w0, %again0 = …
      %again, %w = ov.if %again0 -> (tensor<i1>, tensor<f32>) {
        %w1, %again1 = …
        ov.yield %again1, %w1
      } else {
        ov.yield %false, %w0
      }
      ov.next while(%again) carried(%w)
    ```

    The trip count is tested together with the condition. Each trip yields `factor` parts of each concatenated output. If
    the loop ends before, the last part stands for the missing ones, which are cut off after the loop; for this, the loop
    counts how often the body ran.
    """
    before = GraphBuilder(InsertPoint.before(loop), loop.location)
    limit = _limit(loop)
    count = [before.scalar(0, i64)] if loop.concat else []
    body = Block(arg_types=[TRIP_TYPE, *(a.type for a in loop.carried_arguments), *(c.type for c in count)])
    inside = before.inside(body)
    copies = Copies(loop, inside)
    copies.carried = list(body.args[1 : 1 + len(loop.carried)])
    given = _nested(loop, factor, limit, copies, body.args[0])
    parts = [
        copies.join(values if cut.stride > 0 else values[::-1], cut)
        for values, cut in zip(given.parts, loop.concatenations)
    ]
    counted = [given.count] if count else []
    copies.build.emit(
        NextOp.build(operands=[[given.condition], [*given.carried, *counted], given.last, parts])
    )
    grouped = before.emit(
        LoopOp.of(
            trip=None if limit is None else _groups(limit, factor, before),
            cond=loop.cond,
            carried=[*loop.carried, *count],
            sliced=[],
            slices=[],
            concats=[_widened(cut, factor) for cut in loop.concatenations],
            final_types=[*(v.type for v in loop.next.carried), *(c.type for c in count)],
            last_types=[v.type for v in loop.next.last],
            concat_types=[UnrankedTensorType(r.type.element_type) for r in loop.concat],
            body=Region(body),
        )
    )
    carried = len(loop.carried)
    joined = [
        _cut(whole, grouped.final[carried], part, cut, before)
        for whole, part, cut in zip(grouped.concat, loop.next.concat, loop.concatenations)
    ]
    replace_loop(loop, [*grouped.final[:carried], *grouped.last, *joined])


@dataclass
class _Given:
    """Results of the body from some copy on.

    These are whether the loop continues, how often the body has run, and the values of the loop. `parts` holds, for each
    concatenated output, the parts of this copy and all later ones.
    """

    condition: SSAValue
    count: SSAValue
    carried: list[SSAValue]
    last: list[SSAValue]
    parts: list[list[SSAValue]]

    def values(self) -> list[SSAValue]:
        """All of them, one behind the other."""
        return [
            self.condition,
            self.count,
            *self.carried,
            *self.last,
            *(v for values in self.parts for v in values),
        ]


@dataclass
class _BodyCopy:
    """One copy of the body.

    It records the builder of the copy, the results of the copy, whether the next copy runs, and the block for the next copy.
    """

    build: GraphBuilder
    given: _Given
    more: SSAValue
    behind: Block


def _nested(loop: LoopOp, factor: int, limit: SSAValue | None, copies: Copies, group: SSAValue) -> _Given:
    """Emit the copies, each in a branch of the previous one.

    Return their combined results.
    """
    steps = _steps(loop, factor, limit, copies, group)
    given = steps[-1].given
    for step in reversed(range(factor - 1)):
        build, own = steps[step].build, steps[step].given
        build.inside(steps[step].behind).emit(YieldOp.build(operands=[given.values()]))
        ended = Block()
        otherwise = build.inside(ended)
        left = factor - 1 - step
        filled = [[part] * left for (part,) in own.parts]
        stop = _Given(otherwise.scalar(False, i1), own.count, own.carried, own.last, filled)
        otherwise.emit(YieldOp.build(operands=[stop.values()]))
        types = [v.type for v in given.values()]
        branch = build.emit(IfOp.of(steps[step].more, types, Region(steps[step].behind), Region(ended)))
        results: list[SSAValue] = list(branch.output)
        first, second = 2 + len(own.carried), 2 + len(own.carried) + len(own.last)
        parts = [
            [*part, *results[second + k * left : second + (k + 1) * left]] for k, part in enumerate(own.parts)
        ]
        given = _Given(results[0], results[1], results[2:first], results[first:second], parts)
    copies.build = steps[0].build
    return given


def _steps(
    loop: LoopOp, factor: int, limit: SSAValue | None, copies: Copies, group: SSAValue
) -> list[_BodyCopy]:
    """Emit the copies, each but the first in its own block."""
    first = copies.build.make(MultiplyOp, group, copies.build.scalar(factor, i64))
    divides = limit is not None and (n := constant_of(limit)) is not None and int(n.reshape(())) % factor == 0
    steps: list[_BodyCopy] = []
    for step in range(factor):
        build = copies.build
        number = build.make(AddOp, first, build.scalar(step, i64)) if step else first
        copies.concat = [[] for _ in loop.concat]
        copies.iterate(number, [])
        again = build.scalar(True, i1) if copies.condition is None else copies.condition
        count = build.make(AddOp, first, build.scalar(step + 1, i64))
        more = again
        if step + 1 < factor and limit is not None and not divides:
            # Iteration numbers go up by one, so that they meet the limit; a negative one they never meet.
            more = build.make(NotEqualOp, count, limit)
            more = more if copies.condition is None else build.make(LogicalAndOp, again, more)
        behind = Block()
        given = _Given(again, count, copies.carried, copies.last, copies.concat)
        steps.append(_BodyCopy(build, given, more, behind))
        copies.build = build.inside(behind)
    return steps


def _limit(loop: LoopOp) -> SSAValue | None:
    """The trip count, where there is one; a negative one is none."""
    if loop.trip is None or ((n := constant_of(loop.trip)) is not None and int(n.reshape(())) < 0):
        return None
    return loop.trip


def _groups(limit: SSAValue, factor: int, build: GraphBuilder) -> SSAValue:
    """Return the number of groups, including a last one that is incomplete.

    A negative number, which means no limit, stays negative.
    """
    known = constant_of(limit)
    if known is not None:
        return build.scalar(-(-int(known.reshape(())) // factor), i64)
    one = build.scalar(1, i64)
    whole = build.make(DivideOp, build.make(SubtractOp, limit, one), build.scalar(factor, i64))
    groups = build.make(AddOp, whole, one)
    return build.make(SelectOp, build.make(LessOp, limit, build.scalar(0, i64)), limit, groups)


def _widened(cut: Slicing, factor: int) -> Slicing:
    size = cut.part_size * factor
    return Slicing(cut.axis, 0, -1, size, size) if cut.stride > 0 else Slicing(cut.axis, -1, 0, -size, size)


def _cut(whole: SSAValue, count: SSAValue, part: SSAValue, cut: Slicing, build: GraphBuilder) -> SSAValue:
    """Cut the parts of iterations that did not run from a result.

    These parts are at the end of the concatenated result, or at its start if it is joined backwards.
    """
    shape = tensor_type_of(part).get_shape()
    axis = cut.normalised_axis(len(shape))
    size = build.make(MultiplyOp, count, build.scalar(shape[axis], i64))
    kept = build.make(ReshapeOp, size, build.integers([1]), attributes={"special_zero": False})
    ends = (
        (build.integers([0]), kept)
        if cut.stride > 0
        else (build.make(NegativeOp, kept), build.integers([_FAR]))
    )
    return build.make(SliceOp, whole, *ends, build.integers([1]), build.integers([axis]))
