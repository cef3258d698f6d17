"""Unrolling of an `ov.loop` that a condition may end."""

from __future__ import annotations

from itertools import chain, islice

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Block, Region, SSAValue

from loomir.dialects.element_types import i1, i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LessOp, LogicalAndOp, NotEqualOp, SelectOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.passes.graph.lib.loop_copies import Copies, replace_loop

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
    done = Copies.before(loop)
    limit, carried = _limit(loop), len(loop.carried)
    divides = limit is not None and (n := constant_of(limit)) is not None and int(n.reshape(())) % factor == 0
    if loop.concat:
        done.carried.append(done.build.scalar(0, i64))

    def nested(inside: Copies, group: SSAValue) -> None:
        first = inside.build.make(MultiplyOp, group, inside.build.scalar(factor, i64))
        given, inside.concat = _nested(inside, first, 0, factor, None if divides else limit)
        inside.condition, count, *values = given
        inside.carried, inside.last = values[:carried], values[carried:]
        if loop.concat:
            inside.carried.append(count)

    grouped = done.over_groups(factor, None if limit is None else _groups(limit, factor, done.build), nested)
    joined = [
        _cut(whole, grouped.final[carried], part, cut, done.build)
        for whole, part, cut in zip(grouped.concat, loop.next.concat, loop.concatenations)
    ]
    replace_loop(loop, [*grouped.final[:carried], *grouped.last, *joined])


_Given = tuple[list[SSAValue], list[list[SSAValue]]]
"""Results of the body from some copy on.

These are whether the loop continues, how often the body has run, and the carried and last values of the loop; then, for each
concatenated output, the parts of this copy and all later ones.
"""


def _nested(copies: Copies, first: SSAValue, step: int, factor: int, limit: SSAValue | None) -> _Given:
    """Emit the copies from number `step` on.

    Each is in a branch of the previous one. `first` is the number of the group's first iteration; `limit` is the trip count that
    may end the loop between copies. Return the combined results of the copies.
    """
    build = copies.build
    number = build.make(AddOp, first, build.scalar(step, i64)) if step else first
    copies.concat = [[] for _ in copies.concat]
    copies.iterate(number, [])
    again = build.scalar(True, i1) if copies.condition is None else copies.condition
    count = build.make(AddOp, first, build.scalar(step + 1, i64))
    own, left = [again, count, *copies.carried, *copies.last], factor - 1 - step
    own_parts = copies.concat
    if not left:
        return own, own_parts
    more = again
    if limit is not None:
        # Iteration numbers go up by one, so that they meet the limit; a negative one they never meet.
        more = build.make(NotEqualOp, count, limit)
        more = more if copies.condition is None else build.make(LogicalAndOp, again, more)
    behind, ended = Block(), Block()
    copies.build = build.inside(behind)
    given, parts = _nested(copies, first, step + 1, factor, limit)
    values = [*given, *chain(*parts)]
    copies.build.emit(YieldOp.build(operands=[values]))
    copies.build, otherwise = build, build.inside(ended)
    filled = [part for (part,) in own_parts for _ in range(left)]
    otherwise.emit(YieldOp.build(operands=[[otherwise.scalar(False, i1), *own[1:], *filled]]))
    branch = IfOp.of(more, [v.type for v in values], Region(behind), Region(ended))
    results = iter(build.emit(branch).output)
    return list[SSAValue](islice(results, len(own))), [[*part, *islice(results, left)] for part in own_parts]


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
