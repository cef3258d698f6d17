"""Rewrites of `ov.loop`: trips, conditions, values that don't change.

Loops that run no iteration are detected, and have results: the initial values, and zeros beside them.

A concatenation of no part has, on the other axes, the extents that the part of a first iteration would have, as far as
extents and contents of values outside of the loop determine them (docs/semantics.md). So the extents that are known before
the program runs are those that every engine finds at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import AnyTensor, CodeType, any_tensor_of, dtype_of, tensor_type_of, zeros
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of, is_static
from loomir.dialects.ov.facts import check_dimensions
from loomir.dialects.ov.graph_builder import GraphBuilder, RewriteBuilder
from loomir.dialects.ov.operators.comparison import LogicalAndOp, NotEqualOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.region_flow import owning_block
from loomir.errors import Error


def without_extents(type_: Attribute, cut: Slicing) -> TensorType:
    """Return the type with 0 for every dynamic extent.

    An unranked type becomes one of some rank that has the axis. Error: `shape-too-large`.
    """
    assert isinstance(type_, AnyTensor)
    if isinstance(type_, TensorType):
        return TensorType(type_.element_type, [0 if e == DYNAMIC_INDEX else e for e in type_.get_shape()])
    rank = max(cut.axis + 1, -cut.axis)
    check_dimensions(rank)
    return TensorType(type_.element_type, [0] * rank)


def none_of(type_: Attribute, cut: Slicing) -> TensorType:
    """The type of the concatenation of no part of a type."""
    part = without_extents(type_, cut)
    shape = list(part.get_shape())
    shape[cut.normalised_axis(len(shape))] = 0
    return TensorType(part.element_type, shape)


def types_of_no_trip(loop: LoopOp) -> list[TensorType]:
    """Return the types of last values and concatenations after no iteration."""
    return [
        *(without_extents(v.type, Slicing()) for v in loop.next.last),
        *(none_of(v.type, cut) for v, cut in zip(loop.next.concat, loop.concatenations)),
    ]


def has_results_of_no_trip(loop: LoopOp) -> bool:
    """Return True if all extents of `results_of_no_trip` are known."""
    return all(is_static(v) and may_be_constant(v) for v in loop.next.last) and all(
        (is_static_beside(v, cut) and may_be_constant(v)) or first_value(loop, v) is not None
        for v, cut in zip(loop.next.concat, loop.concatenations)
    )


def results_of_no_trip(loop: LoopOp, build: GraphBuilder) -> list[SSAValue]:
    """Return the results of a loop that runs no iteration.

    They are the initial values, constants of zeros, and empty slices of values from outside.

    If `has_results_of_no_trip` does not hold, a dynamic extent is 0.
    """
    types = iter(types_of_no_trip(loop))
    results = [*loop.carried, *(zeros_of(next(types), build) for _ in loop.next.last)]
    for value, cut, type_ in zip(loop.next.concat, loop.concatenations, types):
        first = None if is_static_beside(value, cut) else first_value(loop, value)
        if first is None:
            results.append(zeros_of(type_, build))
            continue
        results.append(nothing_of(first, cut, build))
    return results


def nothing_of(value: SSAValue, cut: Slicing, build: GraphBuilder) -> SSAValue:
    """Return an empty slice of a tensor along a slicing's axis.

    The tensor has a known rank; the other extents are the tensor's.
    """
    axis = build.integers([cut.normalised_axis(len(tensor_type_of(value).get_shape()))])
    none = build.integers([0])
    return build.make(SliceOp, value, none, none, build.integers([1]), axis)


def is_static_beside(value: SSAValue, cut: Slicing) -> bool:
    """Return True if a part is static on all axes but one.

    The exception is the axis along which the parts are joined.
    """
    if not isinstance(value.type, TensorType):
        return False
    shape = value.type.get_shape()
    axis = cut.normalised_axis(len(shape))
    return DYNAMIC_INDEX not in (*shape[:axis], *shape[axis + 1 :])


def first_value(loop: LoopOp, part: SSAValue) -> SSAValue | None:
    """Return a value from outside with the first part's extents, or None.

    Its extents may differ on the axis of a slice. None if the body computes the part.
    """
    if isinstance(part, BlockArgument) and part.block is loop.body.block:
        outside = dict(zip(loop.carried_arguments, loop.carried)).get(part)
    else:
        outside = part if owning_block(part) is not loop.body.block else None
    return outside if outside is not None and isinstance(outside.type, TensorType) else None


def may_be_constant(value: SSAValue) -> bool:
    """Return True if there are constants of a tensor's element type."""
    return not isinstance(any_tensor_of(value).element_type, CodeType)


def zeros_of(type_: TensorType, build: GraphBuilder) -> SSAValue:
    """Return a constant of zeros of a static type.

    Error: `graph-only-type` for codes, of which there are no constants.
    """
    if isinstance(type_.element_type, CodeType):
        raise Error("graph-only-type", f"constants of type {type_} are not supported")
    return build.constant(zeros(type_.get_shape(), dtype_of(type_.element_type)))


def first_trip_comes(loop: LoopOp, build: GraphBuilder) -> SSAValue | None:
    """Return the condition for a first iteration; None if it always runs.

    The condition follows from the operands of a loop without slices. A negative trip count is no limit.
    """
    trip = None if loop.trip is None else constant_of(loop.trip)
    if loop.trip is None or (trip is not None and int(trip.reshape(())) != 0):
        return loop.cond
    runs = build.make(NotEqualOp, loop.trip, build.like(0, loop.trip))
    return runs if loop.cond is None else build.make(LogicalAndOp, runs, loop.cond)


def static_trips(op: LoopOp) -> int | None:
    """Return the trip count if nothing ends the loop early.

    None if it is unknown or there is no limit.

    A trip count beyond the slices counts as unknown: the loop will fail when it gets there. So does a slicing that the shape
    forbids: inference, which may not have run yet, reports it with the layer.
    """
    slices: list[int | None] = []
    for value, cut in zip(op.sliced, op.slicings):
        extent = None
        try:
            if isinstance(value.type, TensorType):
                shape = value.type.get_shape()
                extent = shape[cut.normalised_axis(len(shape))]
            slices.append(cut.trips(extent) if extent is not None and extent >= 0 else None)
        except Error:
            return None
    if op.trip is not None:
        trip = constant_of(op.trip)
        if trip is None:
            return None
        count = int(trip.reshape(()))
        if count >= 0:
            return count if all(s is not None and s >= count for s in slices) else None
    if not slices or any(s is None or s != slices[0] for s in slices):
        return None
    return slices[0]


@dataclass(frozen=True)
class RetainedParts:
    """Kept parts of a loop: trip count, conditions, values by index."""

    trip: SSAValue | None
    cond: SSAValue | None
    next_cond: SSAValue | None
    carried: Sequence[int]
    sliced: Sequence[int]
    last: Sequence[int]
    concat: Sequence[int]

    @staticmethod
    def all_of(op: LoopOp) -> RetainedParts:
        """Everything."""
        return RetainedParts(
            op.trip,
            op.cond,
            op.next.cond,
            range(len(op.carried)),
            range(len(op.sliced)),
            range(len(op.last)),
            range(len(op.concat)),
        )


def rebuild(op: LoopOp, rewriter: PatternRewriter, kept: RetainedParts) -> None:
    """Replace the loop by one that has only the kept parts.

    The other parts must have no uses left.
    """
    end = op.next
    block = op.body.block
    new_end = NextOp.build(
        operands=[
            [kept.next_cond] if kept.next_cond else [],
            [end.carried[i] for i in kept.carried],
            [end.last[i] for i in kept.last],
            [end.concat[i] for i in kept.concat],
        ]
    )
    new_end.location = end.location
    rewriter.replace(end, new_end)
    arguments = [*op.carried_arguments, *op.part_arguments]
    stay = {*kept.carried, *(len(op.carried) + i for i in kept.sliced)}
    for index in reversed(range(len(arguments))):
        if index not in stay:
            rewriter.erase_block_argument(block.args[1 + index])
    slim = LoopOp.of(
        trip=kept.trip,
        cond=kept.cond,
        carried=[op.carried[i] for i in kept.carried],
        sliced=[op.sliced[i] for i in kept.sliced],
        slices=[op.slicings[i] for i in kept.sliced],
        concats=[op.concatenations[i] for i in kept.concat],
        final_types=[op.final[i].type for i in kept.carried],
        last_types=[op.last[i].type for i in kept.last],
        concat_types=[op.concat[i].type for i in kept.concat],
        body=rewriter.move_region_contents_to_new_regions(op.body),
    )
    slim.attributes |= op.attributes
    slim.location = op.location
    results: list[SSAValue | None] = [None] * len(op.results)
    groups = (
        (kept.carried, slim.final, 0),
        (kept.last, slim.last, len(op.final)),
        (kept.concat, slim.concat, len(op.final) + len(op.last)),
    )
    for indices, values, offset in groups:
        for position, index in enumerate(indices):
            results[offset + index] = values[position]
    rewriter.replace(op, slim, results)


def extend(
    op: LoopOp,
    rewriter: PatternRewriter,
    *,
    carried: Sequence[tuple[SSAValue, SSAValue]] = (),
    last: Sequence[SSAValue] = (),
) -> LoopOp:
    """Replace a loop by one with more carried and last values.

    Each carried value is given as its initial and its next value, of one type. Returns the new loop.
    """
    end = op.next
    for first, _ in carried:
        rewriter.insert_block_argument(op.body.block, 1 + len(op.carried_arguments), first.type)
    initial = [*op.carried, *(first for first, _ in carried)]
    following = [*end.carried, *(value for _, value in carried)]
    final_types = [*(r.type for r in op.final), *(value.type for _, value in carried)]
    last_values = [*end.last, *last]
    new_end = NextOp.build(operands=[[end.cond] if end.cond else [], following, last_values, end.concat])
    new_end.location = end.location
    rewriter.replace(end, new_end)
    wide = LoopOp.of(
        trip=op.trip,
        cond=op.cond,
        carried=initial,
        sliced=op.sliced,
        slices=op.slicings,
        concats=op.concatenations,
        final_types=final_types,
        last_types=[v.type for v in (*op.last, *last)],
        concat_types=[r.type for r in op.concat],
        body=rewriter.move_region_contents_to_new_regions(op.body),
    )
    wide.attributes |= op.attributes
    wide.location = op.location
    rewriter.replace(op, wide, [*wide.final[: len(op.final)], *wide.last[: len(op.last)], *wide.concat])
    return wide


@canonicalizes(LoopOp)
class ConstantConditions(RewritePattern):
    """Drops constant true conditions and a negative trip count.

    The conditions are the one before the loop and the one in its body.

    `loop trip(-1) while(true) { … next while(true) } → loop { … next }`
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        kept = RetainedParts.all_of(op)
        if op.cond is not None and (c := constant_of(op.cond)) is not None and bool(c):
            kept = replace(kept, cond=None)
        if op.next.cond is not None and (c := constant_of(op.next.cond)) is not None and bool(c):
            kept = replace(kept, next_cond=None)
        if op.trip is not None and (t := constant_of(op.trip)) is not None and int(t.reshape(())) < 0:
            kept = replace(kept, trip=None)
        if kept != RetainedParts.all_of(op):
            rebuild(op, rewriter, kept)


@canonicalizes(LoopOp)
class NoTrip(RewritePattern):
    """Replaces a loop that never runs by its results.

    Carried values are the initial ones, last values zeros, concatenations empty.

    `r, s = loop(trip 0; v = x) { next f(v); concat g(v) } → r = x; s = []`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        condition = None if op.cond is None else constant_of(op.cond)
        never = (condition is not None and not bool(condition)) or static_trips(op) == 0
        if not never:
            return
        if not all(is_static(r) for r in op.last) or not all(map(_is_empty, op.concat, op.concatenations)):
            # The types are not those of zero iterations yet: ov-infer makes them so.
            return
        if not all(map(may_be_constant, (*op.last, *op.concat))):
            return
        firsts = [None if is_static(r) else first_value(op, v) for r, v in zip(op.concat, op.next.concat)]
        if not all(first is not None or is_static(r) for first, r in zip(firsts, op.concat)):
            # The other extents are those that the body would give: known when the program runs.
            return
        build = RewriteBuilder.before(op, rewriter)
        values = [zeros_of(tensor_type_of(r), build) for r in op.last]
        for result, first, cut in zip(op.concat, firsts, op.concatenations):
            values.append(
                zeros_of(tensor_type_of(result), build) if first is None else nothing_of(first, cut, build)
            )
        rewriter.replace(op, [], [*op.carried, *values])


def _is_empty(result: SSAValue, cut: Slicing) -> bool:
    """Return True if a concatenation has no parts, by its type."""
    if not isinstance(result.type, TensorType):
        return False
    shape = result.type.get_shape()
    return shape[cut.normalised_axis(len(shape))] == 0


@canonicalizes(LoopOp)
class OneTrip(RewritePattern):
    """`r = loop(trip 1; i; v = x) { next f(i, v) } → r = f(0, x)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        if op.cond is not None:
            return
        trips = static_trips(op)
        stops = op.next.cond is not None and (c := constant_of(op.next.cond)) is not None and not bool(c)
        unlimited = not op.sliced and (
            op.trip is None or ((t := constant_of(op.trip)) is not None and int(t.reshape(())) < 0)
        )
        if not (trips == 1 or (stops and (unlimited or (trips is not None and trips >= 1)))):
            return
        zero = ConstantOp.of(np.zeros((), np.int64))
        zero.location = op.location
        rewriter.insert(zero, InsertPoint.before(op))
        parts: list[SSAValue] = []
        for value, cut in zip(op.sliced, op.slicings):
            ops, part = take_part(value, cut, 0)
            for new in ops:
                new.location = op.location
            rewriter.insert(ops, InsertPoint.before(op))
            parts.append(part)
        end = op.next
        results = [*end.carried, *end.last, *end.concat]
        rewriter.erase(end)
        block = op.body.block
        rewriter.inline_block(block, InsertPoint.before(op), [zero.output, *op.carried, *parts])
        # A result may itself have been an argument of the block.
        rewriter.replace(op, [], [_after_inlining(r, block, zero, op, parts) for r in results])


def _after_inlining(
    value: SSAValue, block: Block, zero: ConstantOp, op: LoopOp, parts: Sequence[SSAValue]
) -> SSAValue:
    if not isinstance(value, BlockArgument) or value.owner is not block:
        return value
    return [zero.output, *op.carried, *parts][value.index]


def take_part(value: SSAValue, cut: Slicing, iteration: int) -> tuple[list[Operation], SSAValue]:
    """Return operations that take one iteration's part of a sliced input.

    Also returns the part. The input's extent on the axis is static.
    """
    shape = tensor_type_of(value).get_shape()
    axis = cut.normalised_axis(len(shape))
    begin = cut.offset(shape[axis], iteration)
    bounds = [ConstantOp.of(np.array([n], np.int64)) for n in (begin, begin + cut.part_size, 1, axis)]
    part = SliceOp.make(value, *(b.output for b in bounds))
    return [*bounds, part], part.results[0]


@canonicalizes(LoopOp)
class ConstantsHandedOn(RewritePattern):
    """`loop { next 1 } → c = 1; loop { next c }`

    After the first iteration, all iterations see this constant as a value from outside, wherever it is written.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        for following in op.next.carried:
            constant = following.owner
            if isinstance(constant, ConstantOp) and constant.parent is op.body.block:
                constant.detach()
                rewriter.insert(constant, InsertPoint.before(op))


@canonicalizes(LoopOp)
class InvariantCarried(RewritePattern):
    """`r = loop(v = x) { f(v); next v } → loop { f(x) }; r = x`: what each iteration hands on unchanged is a capture."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        kept: list[int] = []
        for index, (argument, following) in enumerate(zip(op.carried_arguments, op.next.carried)):
            if following is argument or following is op.carried[index]:
                rewriter.replace_all_uses_with(argument, op.carried[index])
                rewriter.replace_all_uses_with(op.final[index], op.carried[index])
            else:
                kept.append(index)
        if len(kept) < len(op.carried):
            rebuild(op, rewriter, replace(RetainedParts.all_of(op), carried=kept))
