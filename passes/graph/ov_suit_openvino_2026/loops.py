"""Workarounds for loops in OpenVINO 2026.

- Every negative trip count means that there is no limit, but OpenVINO 2026 treats each one except -1 as a number of parts: trip
  counts below -1 are raised to -1.
- Slices and concatenations that are not element by element: inputs are sliced before the loop and outputs concatenated behind it.
- A loop that may run no iteration moves under its own condition: after zero iterations, OpenVINO returns the shapes and values of
  the previous call.
- Carried values that become one another are copied. OpenVINO copies back edges one after another. If a value is the memory of
  another argument, that memory may already hold the argument's next value. Values from outside the loop are copied, too: a back
  edge from a Parameter that does not belong to a carried value stops one of OpenVINO's transformations.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, TensorType
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import i64, set_type
from loomir.dialects.ov.attributes import SliceAttr, Slicing
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import may_be_constant, results_of_no_trip
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp
from loomir.dialects.ov.operators.comparison import LessOp, SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import BinaryOp, MaximumOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, TileOp, VariadicSplitOp
from loomir.dialects.ov.operators.layout import ReverseOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp, StridedSliceOp
from loomir.dialects.region_flow import owning_block
from loomir.dialects.upstream.walking import walk
from loomir.passes.control_flow.guards import guard_loop
from loomir.passes.graph.convert_ov_to_openvino import (
    count_axes_from_the_front,
    is_iterator,
    rejoin,
    set_operands,
    trip_count_of_slices,
)
from loomir.passes.graph.lib.decompositions import Size, Sizes
from loomir.passes.graph.lib.loop_copies import replace_loop

_UNLIMITED = np.array(-1, np.int64)


def limit_trips(op: LoopOp, trips: Fact) -> None:
    """Raise a trip count that may be below -1 to -1.

    `trips` is the known fact about the trip count.
    """
    if op.trip is None or (trips.bounds is not None and int(trips.bounds[0].reshape(())) >= -1):
        return
    build = GraphBuilder(InsertPoint.before(op), op.location)
    unlimited = build.constant(_UNLIMITED)
    count = unlimited if constant_of(op.trip) is not None else build.make(MaximumOp, op.trip, unlimited)
    set_operands(op, count, op.cond, op.carried, op.sliced)


_WHOLE = ((0, -1), (-1, 0))
"""Start and end of all of an axis, forwards and backwards."""


def cut_elsewhere(op: LoopOp, remarks: Remarks) -> None:
    """Cut into single elements, and join single elements."""
    if not all(
        isinstance(v.type, TensorType) for v in (*op.sliced, *op.part_arguments, *op.next.concat, *op.concat)
    ):
        remarks.missed(op, "a sliced or concatenated value is unranked")
        return
    count_axes_from_the_front(op)
    counted = _count_unread_parts(op)
    cut, joined = _cut_inputs(op, remarks), _join_outputs(op)
    if cut:
        remarks.passed(op, "its inputs are sliced before it", inputs=cut)
    if joined:
        remarks.passed(op, "values are concatenated along a new axis", outputs=joined)
    if counted:
        remarks.passed(op, "it counts the parts that it does not use")


def _is_iterator(op: LoopOp) -> bool:
    """Return True if a loop stays a TensorIterator.

    A TensorIterator takes slices of any size, in both directions. The loop must read a slice and surely run; otherwise it
    counts its slices.
    """
    return is_iterator(op) and surely_has_parts(op) and _reads_a_part(op)


def _reads_a_part(op: LoopOp) -> bool:
    """Return True if the body's results depend on a slice's contents.

    (A known shape is not computed at run time.) Linear in the body.
    """
    end = op.next
    needed: set[SSAValue] = {*end.carried, *([] if end.cond is None else [end.cond])}
    for value, result in zip((*end.last, *end.concat), (*op.last, *op.concat)):
        if result.first_use is not None:
            needed.add(value)
    for inner in reversed(list(op.body.block.ops)):
        if not isinstance(inner, ShapeOfOp) and not needed.isdisjoint(inner.results):
            needed.update(operand for each in walk(inner) for operand in each.operands)
    return not needed.isdisjoint(op.part_arguments)


def surely_has_parts(op: LoopOp) -> bool:
    """Return True if every sliced input certainly has a first part.

    Return False if the loop slices no input.
    """
    for value, slicing in zip(op.sliced, op.slicings):
        assert isinstance(value.type, TensorType)
        extent = value.type.get_shape()[slicing.axis]
        if extent < 1 or (slicing.start, slicing.end) not in _WHOLE:
            return False
    return bool(op.sliced)


def _cut_inputs(op: LoopOp, remarks: Remarks) -> int:
    """Cut what is not cut into single elements; how many inputs."""
    slices = list(op.slicings)
    first = len(op.operands) - len(op.sliced)
    count = 0
    for index, slicing in enumerate(slices):
        usual = (slicing.start, slicing.end) == _WHOLE[slicing.stride < 0]
        if slicing == Slicing(slicing.axis) or (usual and _is_iterator(op)):
            continue
        type_ = op.sliced[index].type
        assert isinstance(type_, TensorType)
        if not usual and type_.get_shape()[slicing.axis] == DYNAMIC_INDEX:
            remarks.missed(op, "it slices a range of a dynamic extent, which may not fit")
            continue
        op.operands[first + index] = _cut(op, op.sliced[index], slicing)
        if slicing.part_size > 1:
            _without_axis(op.body.block, op.part_arguments[index], slicing.axis, op)
        slices[index] = Slicing(slicing.axis)
        count += 1
    op.properties["slices"] = ArrayAttr([SliceAttr(s) for s in slices])
    return count


def _cut(op: LoopOp, value: SSAValue, slicing: Slicing) -> SSAValue:
    """Emit the sliced range with its parts along a separate axis.

    The parts are in the order in which the loop reads them.
    """
    build = GraphBuilder(InsertPoint.before(op), op.location)
    sizes, axis, size = Sizes(build), slicing.axis, slicing.part_size
    extent = sizes.of(value)[axis]
    if isinstance(extent, int):
        trips = slicing.trips(extent)
        begin = min(slicing.offset(extent, i) for i in (0, trips - 1)) if trips else 0
        if trips * size != extent:
            bounds = [build.integers([n]) for n in (begin, begin + trips * size, 1, axis)]
            value = build.make(SliceOp, value, *bounds)
    if size > 1:
        extents = sizes.of(value)
        # A part_size that does not divide the extent is an error of the Reshape.
        parts: Size = sizes.floordiv(extents[axis], size)
        value = sizes.reshape(value, [*extents[:axis], parts, size, *extents[axis + 1 :]])
    if slicing.stride < 0:
        value = build.make(ReverseOp, value, build.integers([axis]), attributes={"mode": "index"})
    return value


def _without_axis(block: Block, part: SSAValue, axis: int, op: LoopOp) -> None:
    """Remove the part axis from the body's view of an input."""
    type_ = part.type
    assert isinstance(type_, TensorType)
    uses = list(part.uses)
    assert block.first_op is not None
    build = GraphBuilder(InsertPoint.before(block.first_op), op.location)
    shape = type_.get_shape()
    set_type(part, TensorType(type_.element_type, [*shape[:axis], 1, *shape[axis:]]))
    sizes = Sizes(build)
    extents = sizes.of(part)
    seen = sizes.reshape(part, [*extents[:axis], *extents[axis + 1 :]])
    for use in uses:
        use.operation.operands[use.index] = seen


def _join_outputs(op: LoopOp) -> int:
    """Join parts that are not one element long along a separate axis.

    Return the number of outputs joined this way.
    """
    concats = list(op.concatenations)
    count = 0
    for index, (value, slicing) in enumerate(zip(op.next.concat, concats)):
        type_ = value.type
        assert isinstance(type_, TensorType)
        backwards = slicing.stride < 0
        gaps = (slicing.start, slicing.end) != _WHOLE[backwards] or abs(slicing.stride) != slicing.part_size
        size = type_.get_shape()[slicing.axis]
        right = (
            slicing.part_size == size if _is_iterator(op) else slicing == Slicing(slicing.axis) and size == 1
        )
        if gaps or right:
            continue  # A joining that leaves gaps is refused by name later on.
        rejoin(op, index, slicing.axis, backwards=backwards, apart=size != 1)
        concats[index] = Slicing(slicing.axis)
        count += 1
    op.properties["concats"] = ArrayAttr([SliceAttr(s) for s in concats])
    return count


def _count_unread_parts(op: LoopOp) -> bool:
    """Make the number of unread parts the trip count of a loop.

    This applies to a loop that only its parts end and that reads none of them: OpenVINO runs such a loop once.
    """
    if op.trip is not None or not op.sliced or _reads_a_part(op):
        return False
    build = GraphBuilder(InsertPoint.before(op), op.location)
    trip = trip_count_of_slices(op, build)
    if all(argument.first_use is None for argument in op.part_arguments):
        for argument in reversed(op.body.block.args[1 + len(op.carried) :]):
            op.body.block.erase_arg(argument)
        op.properties["slices"] = ArrayAttr([])
        set_operands(op, trip, op.cond, op.carried, [])
    else:
        set_operands(op, trip, op.cond, op.carried, op.sliced)
    return True


def guard(op: LoopOp, surely_runs: bool, remarks: Remarks) -> None:
    """Put a loop under its condition unless an iteration certainly runs.

    A loop that certainly runs no iteration is replaced by its zero-iteration results.
    """
    if not op.results:
        return
    if not all(isinstance(v.type, TensorType) for v in (*op.results, *op.carried, *op.sliced)):
        remarks.missed(op, "it may run no iteration, and one of its values is unranked")
        return
    if not all(map(may_be_constant, (*op.last, *op.concat))):
        remarks.missed(op, "it may run no iteration, and a result's type has no constants")
        return
    build = GraphBuilder(InsertPoint.before(op), op.location)
    if op.trip is None and op.sliced and not surely_has_parts(op):
        set_operands(op, trip_count_of_slices(op, build), op.cond, op.carried, op.sliced)
    trip, cond = _known(op.trip), _known(op.cond)
    if trip == 0 or cond == 0:
        replace_loop(op, results_of_no_trip(op, build))
        op.erase()
        remarks.passed(op, "it runs no iteration")
        return
    if cond is not None:
        set_operands(op, op.trip, None, op.carried, op.sliced)
    if not surely_runs and (op.cond is not None or (op.trip is not None and trip is None)):
        guard_loop(op)
        remarks.passed(op, "guarded by its condition, since it may run no iteration")
    set_operands(op, op.trip, None, op.carried, op.sliced)


def _known(value: SSAValue | None) -> int | None:
    """A trip count or a condition that is constant."""
    array = None if value is None else constant_of(value)
    return None if array is None else int(array.reshape(()))


_VIEWS = (
    ReshapeOp, SqueezeOp, UnsqueezeOp, TransposeOp, ConvertOp, SliceOp, StridedSliceOp, SplitOp, VariadicSplitOp, BroadcastOp, PadOp,
    TileOp,
)  # fmt: skip
"""Operations whose result may alias the first operand.

OpenVINO may also find that they change nothing.
"""


def copy_arguments(op: LoopOp, remarks: Remarks) -> None:
    """Copy values forwarded to the next iteration that may alias another argument.

    Values from outside are copied, too. Linear in the body and its carried values.

    The copy is a Select of a value and itself, by a condition that is not known before: such a Select is not removed.
    """
    shared = _shared(op)
    end = op.next
    first = 0 if end.cond is None else 1
    build = GraphBuilder(InsertPoint.before(end), op.location)
    never: SSAValue | None = None
    copies: dict[SSAValue, SSAValue] = {}
    for index, (value, argument) in enumerate(zip(end.carried, op.carried_arguments)):
        if owning_block(value) is op.body.block and not shared.get(value, set()) - {argument}:
            continue
        if never is None:
            never = build.make(LessOp, op.iteration, build.scalar(0, i64))
        if value not in copies:
            copies[value] = build.make(SelectOp, never, value, value)
        end.operands[first + index] = copies[value]
    if copies:
        remarks.passed(op, "a value that becomes another carried value is copied", values=len(copies))


def _shared(op: LoopOp) -> dict[SSAValue, set[SSAValue]]:
    """Return the arguments whose memory each value of the body may alias.

    The arguments are carried arguments or the iteration number. Two of them stand for any number.
    """
    found: dict[SSAValue, set[SSAValue]] = {a: {a} for a in (op.iteration, *op.carried_arguments)}
    for inner in op.body.block.ops:
        if isinstance(inner, ConcatOp) or (
            isinstance(inner, BinaryOp) and any(isinstance(v.owner, ConstantOp) for v in inner.operands)
        ):
            read = inner.operands
        elif isinstance(inner, _VIEWS):
            read = inner.operands[:1]
        else:
            continue
        sources: set[SSAValue] = set()
        for value in read:
            sources |= found.get(value, set())
        if sources:
            some = set(islice(sources, 2))
            found.update((result, some) for result in inner.results)
    return found
