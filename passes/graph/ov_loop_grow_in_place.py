"""`ov-loop-grow-in-place`: replaces tensors that grow per iteration by one buffer.

Each iteration writes its part into the buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, OpResult, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import i1, i64, is_float, is_integer, set_type, tensor_type_of
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.graph_builder import GraphBuilder, static_extents
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.dialects.ov.operators.scattering import ScatterUpdateOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.graph.ov_infer import retype


@dataclass(frozen=True)
class OvLoopGrowInPlacePass(ModulePass):
    """Carries a growing tensor at its final size and writes into it.

    This applies if a loop concatenates a carried tensor with a part.

    ```mlir
    %r = ov.loop trip(%c256) carried(%none) {                   // before; %none: tensor<4x0x32xf32>
    ^bb0(%i: tensor<i64>, %v: tensor<4x?x32xf32>):
      %w = ov.concat %v, %part {axis = 1 : i64} : (tensor<4x?x32xf32>, tensor<4x1x32xf32>) -> tensor<4x?x32xf32>
      … %w …
      ov.next carried(%w)
    }

    %room = ov.broadcast %zero, %shape : … -> tensor<4x256x32xf32>      // after
    %r = ov.loop trip(%c256) carried(%room) {
    ^bb0(%i: tensor<i64>, %v: tensor<4x256x32xf32>):
      %u = ov.scatter_update %v, %i, %part, %axis
      %w = ov.slice %u, %0, %i + 1, %1, %axis : … -> tensor<4x?x32xf32>
      … %w …
      ov.next carried(%u)
    }
    ```

    A decoder's cache of keys and values is such a tensor. Before, each iteration copied all existing elements from one
    buffer into another; now one buffer takes the memory that each of the two took before. Other users of `%v` read a slice
    of the existing elements. The trip count and the extents of the initial value and of a part must be static. If a
    condition may end the loop, the result must not be read: its extent is known only at run time.
    """

    name = "ov-loop-grow-in-place"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks = Remarks(self.name)
        changed = False
        for loop in [o for o in walk(op) if isinstance(o, LoopOp)]:
            trips = static_trips(loop)
            if trips is None or trips < 2:
                why = "its trip count is not known" if trips is None else f"its trips are {trips}"
                remarks.missed(loop, why, trips=trips)
                continue
            grown, reasons = False, list[str]()
            for number in range(len(loop.carried)):
                growth = _growth(loop, number)
                if not isinstance(growth, _Growth):
                    reasons += [] if growth is None else [growth]
                    continue
                _write_into(loop, number, growth, trips)
                extent = growth.begin + trips * growth.step
                remarks.passed(
                    loop,
                    f"carried tensor {number} is allocated at its final extent {extent}",
                    carried=number,
                    extent=extent,
                )
                grown = changed = True
            if not grown:
                remarks.missed(loop, (*reasons, "no carried tensor is concatenated with a part")[0])
        retype(ctx, op, changed=changed)


@dataclass(frozen=True)
class _Growth:
    """Concatenation by which a carried tensor grows along an axis.

    The tensor begins with an extent and grows by a step in each iteration.
    """

    concat: ConcatOp
    axis: int
    begin: int
    step: int


def _growth(loop: LoopOp, number: int) -> _Growth | str | None:
    """How a carried tensor grows, or why it is left.

    None where it does something else.
    """
    following = loop.next.carried[number]
    argument, first = loop.carried_arguments[number], loop.carried[number]
    if not isinstance(following, OpResult) or not isinstance(concat := following.op, ConcatOp):
        return None
    values = list(concat.operands)
    if concat.parent is not loop.body.block or values[0] is not argument or argument in values[1:]:
        return None
    begin, parts = static_extents(first), [static_extents(v) for v in values[1:]]
    if begin is None or not begin or any(part is None or len(part) != len(begin) for part in parts):
        return "the extents of a growing tensor or its parts are not static"
    axis = to_int(concat.axis) % len(begin)
    beside = begin[:axis] + begin[axis + 1 :]
    if any(part[:axis] + part[axis + 1 :] != beside for part in parts if part is not None) or 0 in beside:
        return "the parts of a growing tensor are empty or of other extents"
    element = tensor_type_of(first).element_type
    if not (is_float(element) or is_integer(element) or element == i1):
        return "a growing tensor has elements without a zero"
    ends_early = loop.cond is not None or loop.next.cond is not None
    if ends_early and loop.final[number].first_use is not None:
        return "a condition may end it early, and a growing tensor is read behind it"
    step = sum(part[axis] for part in parts if part is not None)
    return _Growth(concat, axis, begin[axis], step) if step else "the parts of a growing tensor are empty"


def _write_into(loop: LoopOp, number: int, growth: _Growth, trips: int) -> None:
    concat, axis = growth.concat, growth.axis
    first, argument = loop.carried[number], loop.carried_arguments[number]
    element, shape = tensor_type_of(first).element_type, list(tensor_type_of(first).get_shape())
    outside = GraphBuilder(InsertPoint.before(loop), concat.location)
    shape[axis] = trips * growth.step
    room = outside.make(BroadcastOp, outside.scalar(0, element), outside.integers(shape))
    if growth.begin:
        room = outside.make(ConcatOp, [first, room], attributes={"axis": axis})
    shape[axis] += growth.begin
    whole = TensorType(element, shape)

    inside = GraphBuilder(InsertPoint.before(concat), concat.location)
    parts = list(concat.operands)[1:]
    part = parts[0] if len(parts) == 1 else inside.make(ConcatOp, parts, attributes={"axis": axis})
    at = places = _place(loop, growth, inside)
    if growth.step > 1:
        places = inside.make(AddOp, at, inside.integers(list(range(growth.step))))
    along = inside.scalar(axis, i64)
    written = inside.make(ScatterUpdateOp, argument, places, part, along)
    end = inside.make(AddOp, at, inside.integers([growth.step]))

    def so_far(value: SSAValue, stop: SSAValue, build: GraphBuilder) -> SSAValue:
        bounds = [build.integers([0]), stop, build.integers([1]), build.integers([axis])]
        return build.make(SliceOp, value, *bounds)

    # What there was before is the same behind the writing, which writes to other places.
    later = set(_from(concat))
    uses = [use for use in argument.uses if use.operation not in (concat, written.owner)]
    before = [use for use in uses if _in_block(use.operation, loop) not in later]
    if before:
        start = loop.body.block.first_op
        assert start is not None
        early = GraphBuilder(InsertPoint.before(start), concat.location)
        _replace(before, so_far(argument, _place(loop, growth, early), early))
    if len(before) < len(uses):
        _replace([use for use in uses if use not in before], so_far(written, at, inside))
    concat.output.replace_all_uses_with(so_far(written, end, inside))
    concat.detach()
    concat.erase()
    loop.next.operands[number + (loop.next.cond is not None)] = written
    loop.operands[number + (loop.trip is not None) + (loop.cond is not None)] = room
    for value in (argument, loop.final[number]):
        set_type(value, whole)


def _place(loop: LoopOp, growth: _Growth, build: GraphBuilder) -> SSAValue:
    """Return the tensor's extent at the beginning of an iteration.

    It is one element.
    """
    at = build.make(UnsqueezeOp, loop.iteration, build.integers([0]))
    if growth.step > 1:
        at = build.make(MultiplyOp, at, build.integers([growth.step]))
    return build.make(AddOp, at, build.integers([growth.begin])) if growth.begin else at


def _from(op: Operation) -> Iterator[Operation]:
    """An operation, and those behind it in its block."""
    following: Operation | None = op
    while following is not None:
        yield following
        following = following.next_op


def _in_block(op: Operation, loop: LoopOp) -> Operation:
    """Return the operation of a loop's body that is or contains `op`."""
    found = loop.body.block.find_ancestor_op_in_block(op)
    assert found is not None
    return found


def _replace(uses: Sequence[Use], value: SSAValue) -> None:
    for use in uses:
        use.operation.operands[use.index] = value
