"""Rewrites of `ov.loop`: trips, conditions, values that don't change.

Loops that run no iteration are detected, and have results: the initial values, and zeros beside them.

A concatenation of no part has, on the other axes, the extents that the part of a first iteration would have, as far as
extents and contents of values outside of the loop determine them (docs/semantics.md). So the extents that are known before
the program runs are those that every engine finds at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, TensorType, i32
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.rewriting import inline_once, remade
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
    limit = op.trip
    if limit is not None:
        trip = constant_of(limit)
        if trip is None:
            return None
        count = int(trip.reshape(()))
        if count >= 0:
            return count if all(s is not None and s >= count for s in slices) else None
    if not slices or any(s is None or s != slices[0] for s in slices):
        return None
    return slices[0]


class Unchanged:
    """Marker for a part of a loop that stays as it is."""


UNCHANGED = Unchanged()

Part = SSAValue | None | Unchanged


def set_control(
    op: LoopOp, *, trip: Part = UNCHANGED, cond: Part = UNCHANGED, again: Part = UNCHANGED
) -> None:
    """Change the trip count and conditions of a loop in place.

    None removes one. `again` is the condition at the end of the body.
    """
    end = op.next
    new_trip, new_cond, new_again = (
        old if isinstance(given, Unchanged) else given
        for given, old in ((trip, op.trip), (cond, op.cond), (again, end.cond))
    )
    _set_operands(op, ([new_trip], [new_cond], op.carried, op.sliced))
    _set_operands(end, ([new_again], end.carried, end.last, end.concat))


def _set_operands(op: LoopOp | NextOp, groups: Sequence[Sequence[SSAValue | None]]) -> None:
    given = [[value for value in group if value is not None] for group in groups]
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(group) for group in given])
    op.operands = [value for group in given for value in group]


def with_last(op: LoopOp, values: Sequence[SSAValue], rewriter: PatternRewriter) -> LoopOp:
    """Replace a loop by one with more last values, and return it."""
    end = op.next
    _set_operands(end, ([end.cond], end.carried, [*end.last, *values], end.concat))
    groups = (op.final, [*op.last, *values], op.concat)
    sizes = DenseArrayBase.from_list(i32, [len(group) for group in groups])
    wide = remade(
        op,
        op.operands,
        [value.type for group in groups for value in group],
        [rewriter.move_region_contents_to_new_regions(op.body)],
        {"resultSegmentSizes": sizes},
    )
    rewriter.replace(op, wide, [*wide.final, *wide.last[: len(op.last)], *wide.concat])
    return wide


@canonicalizes(LoopOp)
class ConstantConditions(RewritePattern):
    """Drops constant true conditions and a negative trip count.

    The conditions are the one before the loop and the one in its body.

    `loop trip(-1) while(true) { … next while(true) } → loop { … next }`
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        def drop_if(value: SSAValue | None, drops: Callable[[np.ndarray], bool]) -> Part:
            known = None if value is None else constant_of(value)
            return None if known is not None and drops(known) else UNCHANGED

        trip = drop_if(op.trip, lambda count: int(count.reshape(())) < 0)
        cond, again = drop_if(op.cond, bool), drop_if(op.next.cond, bool)
        if None in (trip, cond, again):
            set_control(op, trip=trip, cond=cond, again=again)
            rewriter.notify_op_modified(op)


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
        inline_once(op, op.body, [zero.output, *op.carried, *parts], rewriter)


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
