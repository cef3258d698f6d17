"""Trip counts of `ov.loop`, and loops and concatenations that they simplify.

Trip counts are those of loops that only a count or slices end. Loops of one trip at most are branches.

A concatenated output needs no loop if it is the sliced input itself, a value from outside, or a function of the iteration
number.

For operations that read only the last part of a concatenated output, a last value suffices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64, set_type, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import (
    first_trip_comes,
    has_results_of_no_trip,
    results_of_no_trip,
    static_trips,
)
from loomir.dialects.ov.graph_builder import GraphBuilder, RewriteBuilder
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import TileOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.region_flow import comes_from_outside


@dataclass(frozen=True)
class Trips:
    """Trip count of a loop.

    It is `static` if it is one number; `emit` returns it as a `tensor<i64>` in front of the loop.

    A trip count that is negative at run time is no limit: such a loop never ends, and values computed from its trip count are
    never needed while the loop is there. It counts as 0.
    """

    static: int | None
    emit: Callable[[GraphBuilder], SSAValue]


def trips_of(op: LoopOp) -> Trips | None:
    """Return the trip count of a loop, or None.

    None if a condition may end the loop, or if it may run beyond its slices, which is an error.
    """
    if op.cond is not None or op.next.cond is not None:
        return None
    static = static_trips(op)
    if static is not None:
        return Trips(static, lambda build: build.scalar(static, i64))
    trip, sliced = op.trip, op.sliced
    if trip is not None:
        if sliced or constant_of(trip) is not None:
            return None
        return Trips(None, lambda build: build.make(MaximumOp, trip, build.scalar(0, i64)))
    if not sliced or not all(map(is_whole, op.slicings)):
        return None
    if not all(isinstance(value.type, TensorType) for value in sliced):
        return None

    def least_extent(build: GraphBuilder) -> SSAValue:
        extents = [extent_of(value, cut, build) for value, cut in zip(op.sliced, op.slicings)]
        least = extents[0]
        for extent in extents[1:]:
            least = build.make(MinimumOp, least, extent)
        return least

    return Trips(None, least_extent)


def is_whole(cut: Slicing) -> bool:
    """Return True if the slicing covers a whole axis, element by element.

    Then there are as many parts as the axis is long, whatever its extent.
    """
    return cut.part_size == 1 and (cut.start, cut.end, cut.stride) in ((0, -1, 1), (-1, 0, -1))


def extent_of(value: SSAValue, cut: Slicing, build: GraphBuilder) -> SSAValue:
    """Return a tensor's extent on the sliced axis, as a `tensor<i64>`.

    The tensor has a known rank.
    """
    axis = cut.normalised_axis(len(tensor_type_of(value).get_shape()))
    return build.make(GatherOp, build.make(ShapeOfOp, value), build.scalar(axis, i64), build.scalar(0, i64))


@canonicalizes(LoopOp)
class AtMostOneTrip(RewritePattern):
    """`loop trip(1) while(c) { A } → if c { A }`

    Replaces a loop that runs at most once by a branch: its trip count is 1, or its body's condition is false. The other arm
    yields the loop's results after no iteration. Loops over slices stay: the existence of a first part may be unknown. So do
    loops with parts whose extents are known only from the body.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        if op.sliced or not op.results:
            return  # a branch has at least one result; a loop without is there for what may fail in it
        if not has_results_of_no_trip(op):
            return
        again = None if op.next.cond is None else constant_of(op.next.cond)
        stops = again is not None and not bool(again)
        trips = static_trips(op)
        if not (trips == 1 or (stops and (trips is None or trips > 1))):
            return
        build = GraphBuilder(InsertPoint.before(op), op.location)
        condition = first_trip_comes(op, build)
        if condition is None:
            return  # not a branch: it comes
        otherwise = Block()
        empty = build.inside(otherwise)
        empty.emit(YieldOp.build(operands=[results_of_no_trip(op, empty)]))
        zero = build.constant(np.zeros((), np.int64))
        end, block = op.next, op.body.block
        for argument, value in zip(block.args, [zero, *op.carried]):
            rewriter.replace_all_uses_with(argument, value)
        rewriter.replace(end, YieldOp.build(operands=[[*end.carried, *end.last, *end.concat]]))
        for argument in reversed(block.args):
            rewriter.erase_block_argument(argument)
        branch = IfOp.of(
            condition,
            [r.type for r in op.results],
            rewriter.move_region_contents_to_new_regions(op.body),
            Region(otherwise),
        )
        branch.attributes |= op.attributes
        branch.location = op.location
        rewriter.replace(op, branch)


class _ConcatenatedOutput(RewritePattern):
    """`r = loop { …; concat a } → r = f(…); loop { … }`

    Computes a concatenated output in front of the loop; subclasses determine how.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        for result, part, join in zip(op.concat, op.next.concat, op.concatenations):
            if result.first_use is None or not isinstance(part.type, TensorType):
                continue
            value = self.value(op, part, join, RewriteBuilder.before(op, rewriter))
            if value is None:
                continue
            if isinstance(value, OpResult) and value.type != result.type:
                # What is known of the loop's result holds for what stands for it.
                set_type(value, result.type)
            rewriter.replace_all_uses_with(result, value)
            rewriter.notify_op_modified(op)

    def value(self, op: LoopOp, part: SSAValue, join: Slicing, build: GraphBuilder) -> SSAValue | None:
        """Return the concatenation of all parts, or None.

        If this pattern does not apply, it returns None and emits nothing.
        """
        raise NotImplementedError


@canonicalizes(LoopOp)
class ConcatOfTheSlices(_ConcatenatedOutput):
    """Replaces the concatenation of an input's slices by the input.

    The slices must be joined as they were cut.
    """

    def value(self, op: LoopOp, part: SSAValue, join: Slicing, build: GraphBuilder) -> SSAValue | None:
        if part not in op.part_arguments or trips_of(op) is None:
            return None
        number = op.part_arguments.index(part)
        whole, cut = op.sliced[number], op.slicings[number]
        if not isinstance(whole.type, TensorType) or (join.stride > 0) != (cut.stride > 0):
            return None
        rank = len(whole.type.get_shape())
        axis = cut.normalised_axis(rank)
        if axis != join.normalised_axis(rank):
            return None
        trips, extent = static_trips(op), whole.type.get_shape()[axis]
        if trips is not None:
            if trips * cut.part_size != extent or cut.trips(extent) != trips:
                return None
        elif op.trip is not None or not is_whole(cut) or not _all_alike(op):
            return None
        return whole


def _all_alike(op: LoopOp) -> bool:
    """Return True if all slices are of one value along one axis.

    Then none of them ends the loop before another.
    """
    return all(
        value is op.sliced[0] and cut.axis == op.slicings[0].axis
        for value, cut in zip(op.sliced, op.slicings)
    )


@canonicalizes(LoopOp)
class ConcatOfAnInvariant(_ConcatenatedOutput):
    """A value from outside that each iteration joins is repeated: `tile(a, [trips, 1])`."""

    def value(self, op: LoopOp, part: SSAValue, join: Slicing, build: GraphBuilder) -> SSAValue | None:
        if not comes_from_outside(part, op) or (trips := trips_of(op)) is None:
            return None
        rank = len(tensor_type_of(part).get_shape())
        axis = join.normalised_axis(rank)
        if trips.static is not None:
            times = [trips.static if k == axis else 1 for k in range(rank)]
            return build.make(TileOp, part, build.integers(times))
        number = trips.emit(build)
        on_axis = build.make(MultiplyOp, build.integers([int(k == axis) for k in range(rank)]), number)
        others = build.integers([int(k != axis) for k in range(rank)])
        return build.make(TileOp, part, build.make(AddOp, on_axis, others))


_ARITHMETIC = (AddOp, SubtractOp, MultiplyOp, ConvertOp)
"""Operations with bitwise the same results for one number and for many."""
_SHAPES = (ReshapeOp, SqueezeOp, UnsqueezeOp)


@canonicalizes(LoopOp)
class ConcatOfAFunctionOfTheIterationNumber(_ConcatenatedOutput):
    """Vectorises a concatenated function of the iteration number.

    If each iteration computes its part from the iteration number alone, all parts are computed from all numbers at once.

    ```mlir
    %k = ov.multiply %i, %three                        // before, joined
    %numbers = ov.range %zero, %trips, %one            // after
    %all = ov.multiply %numbers, %three
    ```
    """

    def value(self, op: LoopOp, part: SSAValue, join: Slicing, build: GraphBuilder) -> SSAValue | None:
        chain = _computed_of_the_number(part, op)
        if chain is None or (trips := trips_of(op)) is None:
            return None
        values: dict[SSAValue, SSAValue] = {op.iteration: iteration_numbers(trips, join.stride > 0, build)}
        for each in chain:
            made = each.results[0]
            if isinstance(each, _SHAPES):
                values[made] = values[each.operands[0]]
                continue
            operands = [_flat(o, values, build) for o in each.operands]
            copy = each.clone(dict(zip(each.operands, operands)))
            element = tensor_type_of(made).element_type
            vector = any(tensor_type_of(o).get_shape() for o in operands)
            set_type(copy.results[0], TensorType(element, [trips_extent(trips)] if vector else []))
            values[made] = build.emit(copy).results[0]
        rank = len(tensor_type_of(part).get_shape())
        if rank == 1:
            return values[part]
        axis = join.normalised_axis(rank)
        shape = build.integers([-1 if k == axis else 1 for k in range(rank)])
        return build.make(ReshapeOp, values[part], shape, attributes={"special_zero": False})


def trips_extent(trips: Trips) -> int:
    """The extent of what has an element for each trip."""
    return DYNAMIC_INDEX if trips.static is None else trips.static


def iteration_numbers(trips: Trips, forwards: bool, build: GraphBuilder) -> SSAValue:
    """Return all iteration numbers, in the order of the concatenated parts."""
    one, end = build.scalar(1, i64), trips.emit(build)
    if forwards:
        bounds = (build.scalar(0, i64), end, one)
    else:
        bounds = (build.make(SubtractOp, end, one), build.scalar(-1, i64), build.scalar(-1, i64))
    numbers = build.make(RangeOp, *bounds, attributes={"output_type": i64})
    set_type(numbers, TensorType(i64, [trips_extent(trips)]))
    return numbers


def _flat(value: SSAValue, values: dict[SSAValue, SSAValue], build: GraphBuilder) -> SSAValue:
    """Return an operand's replacement: a vector of numbers, or a scalar."""
    if value not in values:
        number = build.constant(value.owner.array) if isinstance(value.owner, ConstantOp) else value
        if tensor_type_of(number).get_shape():
            number = build.make(ReshapeOp, number, build.integers([]), attributes={"special_zero": False})
        values[value] = number
    return values[value]


def _computed_of_the_number(part: SSAValue, op: LoopOp) -> Sequence[OvOperation] | None:
    """Return the operations from the iteration number to a part, or None.

    The part has one element, the operations are in order, and the part depends on nothing else that varies.
    """
    found: set[Operation] = set()
    reads_number = False
    waiting = [part]
    while waiting:
        value = waiting.pop()
        if not _has_one_element(value):
            return None
        owner = value.owner
        if value is op.iteration:
            reads_number = True
        elif comes_from_outside(value, op) or isinstance(owner, ConstantOp) or owner in found:
            continue
        elif isinstance(owner, _SHAPES):
            found.add(owner)
            waiting.append(owner.operands[0])
        elif isinstance(owner, _ARITHMETIC):
            found.add(owner)
            waiting += owner.operands
        else:
            return None
    if not (found and reads_number):
        return None
    return [o for o in op.body.block.ops if o in found and isinstance(o, OvOperation)]


def _has_one_element(value: SSAValue) -> bool:
    type_ = value.type
    return isinstance(type_, TensorType) and type_.has_static_shape() and prod(type_.get_shape()) == 1
