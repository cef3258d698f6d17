"""Loop rewriting: versions, loops that fail, and blocks of iterations.

Loops that stop the program as soon as they start are loops that nothing ends (neither a trip count nor a condition nor slices;
`ov-decompose`), and loops whose first iteration is illegal for the given shapes (`ov-infer`).

Passes that compute several iterations at once are built from loops over blocks of iterations, and loops with more sliced inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import without_extents
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp
from loomir.dialects.ov.operators.internal import FailOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.profile import hand_on
from loomir.dialects.speculation import FailsOnShapes, speculatable
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.inference.state import InferenceState
from loomir.passes.control_flow.guards import end_arms, replace_by_branch
from loomir.passes.graph.lib.loop_copies import Copies, body_of, count_from, opened, replace_loop


def innermost_loops(module: ModuleOp) -> dict[Operation, LoopOp | None]:
    """Return the innermost loop around each operation with regions.

    The operations are in order; those of no loop have None.
    """
    around: dict[Operation, LoopOp | None] = {module: None}
    for op in walk(module):
        if op.regions and (parent := op.parent_op()) is not None:
            around[op] = parent if isinstance(parent, LoopOp) else around[parent]
    return around


def starts_safely(loop: LoopOp, inference: InferenceState) -> bool:
    """Return True if nothing fails before a loop's first iteration.

    Each input that the loop slices must surely have a first slice.
    """
    for value, cut in zip(loop.sliced, loop.slicings):
        shape = inference.fact(value).shape
        if shape is None:
            return False
        try:
            extent = shape[cut.normalised_axis(len(shape))].static
            if extent is None or cut.trips(extent) < 1:
                return False
        except Error:
            return False
    return True


def fails_on_shapes_alone(loop: LoopOp, inference: InferenceState) -> bool:
    """Return True if only shapes may stop the program in a loop.

    Then all its errors are the same.
    """
    return all(
        speculatable(op, inference.fact) or op.get_trait(FailsOnShapes) is not None
        for op in walk(loop.body)
        if not op.regions or isinstance(op, LoopOp)
    )


def version_loop(loop: LoopOp, trips: int) -> LoopOp:
    """Give a loop a version for one trip count, and return it.

    ```mlir
    %r = ov.loop trip(%n) carried(%x) { … }      // before

    %same = ov.equal %n, %trips                  // after
    %r = ov.if %same -> (tensor<4xf32>) {
      %p = ov.loop trip(%trips) carried(%x) { … }
      ov.yield %p
    } else {
      %q = ov.loop trip(%n) carried(%x) { … }
      ov.yield %q
    }
    ```
    """
    assert loop.trip is not None
    build = GraphBuilder(InsertPoint.before(loop), loop.location)
    same = build.make(EqualOp, loop.trip, build.like(trips, loop.trip))
    copy = version_loop_on(loop, same)
    count = GraphBuilder(InsertPoint.before(copy), loop.location).like(trips, loop.trip)
    replace_inside(copy, loop.trip, count)
    return copy


def version_loop_on(loop: LoopOp, condition: SSAValue) -> LoopOp:
    """Give a loop a version for a condition, and return it.

    It runs where the condition holds. The loop itself is the version for where the condition does not hold. Both are in the arms of a
    branch, so the loop must have a result.
    """
    arms = Block(), Block()
    branch = replace_by_branch(loop, condition, *arms)
    copy = loop.clone()
    copy.location = loop.location
    arms[0].add_op(copy)
    arms[1].add_op(loop)
    end_arms(branch, copy.results, loop.results)
    return copy


def replace_inside(loop: LoopOp, value: SSAValue, by: SSAValue) -> None:
    """Replace a value in a loop, and as the loop's operand."""
    value.replace_uses_with_if(by, lambda use: loop.is_ancestor(use.operation))


def is_endless(loop: LoopOp) -> bool:
    """Return True if a loop, once started, never ends.

    Only the failure of an operation in the loop can stop it.
    """
    trip = None if loop.trip is None else constant_of(loop.trip)
    if loop.sliced or (loop.trip is not None and (trip is None or int(trip.reshape(())) >= 0)):
        return False
    again = loop.next.cond
    known = None if again is None else constant_of(again)
    return again is None or (known is not None and bool(known))


def stop_when_it_starts(loop: LoopOp) -> None:
    """Insert an `ov.fail` at the beginning of an endless loop's body.

    Running the loop could only exhaust a limit, and compiled code has none. The rest of the body decides the extents of the
    loop's results if it does not start.
    """
    failure = FailOp.of("the loop never ends: it has neither a trip count nor a condition", (), "endless")
    over = ConstantOp.of(np.array(False))
    end = loop.next
    stop = NextOp.build(operands=[[over.output], loop.carried_arguments, end.last, end.concat])
    block = loop.body.block
    for op in (failure, over, stop):
        op.location = loop.location
    block.insert_op_before(failure, block.ops.first or end)
    block.add_ops([over, stop])
    end.detach()
    end.erase()


def fail_when_it_starts(loop: LoopOp, reason: str, kind: str | None = None) -> None:
    """Replace the body of a loop by `ov.fail`.

    The values that it hands on never come to be, so an extent that is open may be 0: nothing needs room, and the loop needs no bound.
    """
    end = loop.next
    block = loop.body.block
    made = [
        *(without_extents(v.type, Slicing()) for v in end.last),
        *(without_extents(v.type, cut) for v, cut in zip(end.concat, loop.concatenations)),
    ]
    for op in reversed(list(block.ops)):
        op.detach()
        op.erase(safe_erase=False)
    failure = FailOp.of(reason, made, kind)
    over = ConstantOp.of(np.array(False))
    last, concat = failure.values[: len(end.last)], failure.values[len(end.last) :]
    stop = NextOp.build(operands=[[over.output], loop.carried_arguments, last, concat])
    for op in (failure, over, stop):
        op.location = loop.location
        block.add_op(op)


@dataclass(frozen=True)
class ExtraSlice:
    """Additional value that a loop slices, with the type of a slice."""

    value: SSAValue
    slicing: Slicing
    type: Attribute


@dataclass(frozen=True)
class ExtraJoin:
    """Additional value that a loop joins, with the type of the result."""

    value: SSAValue
    joining: Slicing
    type: Attribute


def reshaped(value: SSAValue, shape: Sequence[int], build: GraphBuilder) -> SSAValue:
    """A value of static shape in another one."""
    if tensor_type_of(value).get_shape() == tuple(shape):
        return value
    return build.make(ReshapeOp, value, build.integers(shape))


def with_slices(
    loop: LoopOp, parts: Sequence[ExtraSlice], joins: Sequence[ExtraJoin] = ()
) -> tuple[LoopOp, list[BlockArgument]]:
    """Replace a loop by one that slices and joins more values.

    Return the new loop and its arguments for the additional slices. What it joins in addition are its last results.
    """
    block, end = loop.body.block, loop.next
    arguments = [block.insert_arg(part.type, len(block.args)) for part in parts]
    if joins:
        # (A pattern that only slices more may still be about to visit the end.)
        again = [] if end.cond is None else [end.cond]
        joined = [*end.concat, *(join.value for join in joins)]
        wider = NextOp.build(operands=[again, end.carried, end.last, joined])
        wider.location = end.location
        block.insert_op_before(wider, end)
        end.detach()
        end.erase()
    wide = loop.like(
        body_of(loop),
        sliced=[*loop.sliced, *(part.value for part in parts)],
        slices=[*loop.slicings, *(part.slicing for part in parts)],
        concats=[*loop.concatenations, *(join.joining for join in joins)],
        concat_types=[*(r.type for r in loop.concat), *(join.type for join in joins)],
    )
    hand_on(loop, wide)
    GraphBuilder(InsertPoint.before(loop), loop.location).emit(wide)
    replace_loop(loop, wide.results[: len(loop.results)])
    return wide, arguments


def into_blocks(loop: LoopOp, trips: int, size: int) -> LoopOp:
    """Replace a loop by one over blocks of `size` iterations.

    The original loop has `trips` iterations, and no condition ends it. Return the inner loop, which runs over one block.
    The remaining iterations become a loop behind the new one.
    """
    copies, left = Copies.before(loop), trips % size
    rest = loop.body.clone() if left else Region()

    def block(inside: Copies, number: SSAValue) -> None:
        build = inside.build
        count_from(loop.body.block, lambda start: start.make(MultiplyOp, number, start.scalar(size, i64)))
        inside.follow(
            loop.like(
                body_of(loop),
                trip=build.scalar(size, i64),
                carried=inside.carried,
                sliced=inside.sliced,
                slices=inside.slicings,
                concat_types=opened(loop),
            )
        )

    blocks = copies.build.scalar(trips // size, i64)
    outer = copies.over_groups(size, blocks, block, trips - left)
    if left:
        rest.move_blocks(loop.body)
        copies.body, copies.end, copies.done = loop.body.block, loop.next, trips - left
        copies.run(left)
    copies.replace()
    return next(op for op in outer.body.block.ops if isinstance(op, LoopOp))
