"""`ov-loop-shift-slices`: slices what a loop carries from an earlier iteration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.ov.canonicalization.identities import is_static
from loomir.dialects.ov.canonicalization.loop_trips import Trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.costs import SIMPLE
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.lib.loop_rewriting import reshaped, with_slices
from loomir.passes.graph.lib.whole_axis.maps import Stays, in_order, may_stop, reads, trips_for_all
from loomir.passes.graph.lib.whole_axis.rules import varies
from loomir.passes.graph.lib.whole_axis.table import emit, rule_of
from loomir.passes.graph.lib.whole_axis.values import (
    Whole,
    WholeAxis,
    can_be_joined,
    can_be_sliced,
    shape_of,
)
from loomir.passes.graph.ov_infer import retype
from loomir.passes.graph.ov_loop_whole_axis import too_large
from loomir.passes.options import check_least

_END = np.iinfo(np.int64).max

_GROWTH = 3
"""Factor by which shifted tensors may be larger than slices and parts.

It is more than that of whole tensors, for carried values go.
"""


@dataclass(frozen=True)
class OvLoopShiftSlicesPass(ModulePass):
    """Slices what a loop carries from an earlier iteration.

    A carried value of no recurrence is, after the first iteration, a function of the slices of the iteration before.

    ```mlir
    %r, %all = ov.loop carried(%a) sliced(%x) {                 // before; %x: tensor<100x4xf32>
    ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %p: tensor<1x4xf32>):
      %d = ov.subtract %p, %v
      ov.next carried(%p) concat(%d)
    }

    %most = ov.slice %x, …                                      // after: all but the last one
    %shifted = ov.concat %a, %most
    %all = ov.loop sliced(%x, %shifted) {
    ^bb0(%i: tensor<i64>, %p: tensor<1x4xf32>, %v: tensor<1x4xf32>):
      %d = ov.subtract %p, %v
      ov.next concat(%d)
    }
    %r = ov.slice %x, …                                         // the last one
    ```

    The function is computed for all iterations at once, by the rules of `ov-loop-whole-axis`, which runs behind this pass. A value is
    shifted if all results of the loop can then be computed at once, or if an operation leaves the loop that is more than a move or a
    sum. The shape of a shifted value is static, and that of the initial value. Shifted tensors take at most `max-bytes`, and three
    times as much as what the loop slices and joins, or, if their sizes are not known, as much.
    """

    name = "ov-loop-shift-slices"
    EXACT = True

    max_bytes: int = 1 << 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0)
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        wanted: list[LoopOp] = []
        for loop in [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]:
            shifts = shifts_of(loop, lambda op: False)
            if isinstance(shifts, MissedReason):
                remarks.missed(loop, shifts)
            else:
                wanted.append(loop)
        if not wanted:
            return analyses.keep_all()
        inference = analyses.get(infer, op)
        changed = [self.shift(loop, inference, remarks) for loop in wanted]
        if any(changed):
            rewrite(op, DeadValues(), clean_up=True)
        retype(ctx, op, changed=any(changed))

    def shift(self, loop: LoopOp, inference: Inference, remarks: Remarks) -> bool:
        """Slice what pays of what a loop carries.

        Return True if there was anything.
        """
        shifts = shifts_of(loop, lambda op: may_stop(op, inference))
        if isinstance(shifts, MissedReason):
            remarks.missed(loop, shifts)
            return False
        there = [*loop.part_arguments, *loop.next.concat]
        why = too_large(shifts.buffers(), there, loop, inference, self.max_bytes, "shifted tensors", _GROWTH)
        if why is not None:
            remarks.missed(loop, why)
            return False
        count = len(shifts.chosen)
        remarks.passed(loop, f"{count} carried values are slices of tensors, shifted", values=count)
        shifts.carry_out(inference)
        return True


def shifts_of(loop: LoopOp, stays: Stays) -> Shifts | MissedReason:
    """Return the carried values of a loop that pay to be sliced.

    If there are none, return the reason. `stays` says which operations of the body stay in it.
    """
    if not loop.carried:
        return MissedReason("it carries nothing")
    trips = trips_for_all(loop)
    if isinstance(trips, MissedReason):
        return trips
    if trips.static is None and not loop.sliced:
        return MissedReason("it slices nothing, and its trip count is not known")
    shifts = Shifts(loop, trips, stays)
    if not shifts.carried:
        return MissedReason("each carried value is computed from itself, or may have another shape at first")
    if not shifts.chosen:
        return MissedReason("slices in place of carried values would save no operation")
    return shifts


class Shifts:
    """Carried values that are functions of the slices of earlier iterations.

    `carried` are their numbers, `chosen` those that pay to be sliced. `order` has the numbers and the operations from which all
    is computed, each behind what it reads.
    """

    def __init__(self, loop: LoopOp, trips: Trips, stays: Stays) -> None:
        self.loop, self.trips, self.end = loop, trips, loop.next
        self.arguments, self.following = loop.carried_arguments, list(self.end.carried)
        self.initial, self.final = list(loop.carried), list(loop.final)
        self.operations = [
            o for o in loop.body.block.ops if o is not self.end and not isinstance(o, ConstantOp)
        ]
        self.sources = {loop.iteration}
        for argument, value, cut in zip(loop.part_arguments, loop.sliced, loop.slicings):
            if can_be_sliced(value, cut, trips):
                self.sources.add(argument)
        self.order, self.maker = in_order(
            self._candidates(stays),
            lambda node: {v for v in self._reads(node) if v not in self.sources and varies(v, loop)},
            self._gives,
        )
        self.carried = [node for node in self.order if isinstance(node, int)]
        self.chosen = self._chosen()

    def _reads(self, node: Operation | int) -> Sequence[SSAValue]:
        return [self.following[node]] if isinstance(node, int) else reads(node)

    def _gives(self, node: Operation | int) -> Sequence[SSAValue]:
        return [self.arguments[node]] if isinstance(node, int) else node.results

    def _candidates(self, stays: Stays) -> list[Operation | int]:
        """Return carried values and operations that slices may give.

        A carried value can be computed for all iterations if its next value can be.
        """
        candidates: list[Operation | int] = [
            k for k in range(len(self.arguments)) if self._keeps_its_shape(k)
        ]
        for op in self.operations:
            if is_side_effect_free(op) and rule_of(op, self.loop) is not None and not stays(op):
                candidates.append(op)
        return candidates

    def _keeps_its_shape(self, number: int) -> bool:
        """Return True if a carried value has one static shape."""
        initial, value, argument = self.initial[number], self.following[number], self.arguments[number]
        alike = initial.type == value.type == argument.type
        return alike and isinstance(value.type, TensorType) and is_static(value) and varies(value, self.loop)

    def _is_known(self, value: SSAValue) -> bool:
        return value in self.sources or value in self.maker

    def _chosen(self) -> list[int]:
        """Return the numbers of the carried values that pay to be sliced."""
        needed = [
            k
            for k in self.carried
            if self.arguments[k].first_use is not None or self.final[k].first_use is not None
        ]
        if self._goes():
            return needed
        costly: set[Operation] = set()
        leaving = self._leaving()
        for op in self.operations:
            if op in leaving and (not isinstance(op, SIMPLE) or any(v.owner in costly for v in reads(op))):
                costly.add(op)
        return [k for k in needed if self.following[k].owner in costly]

    def _goes(self) -> bool:
        """Return True if all results can be computed at once."""
        loop = self.loop
        finals = (k for k, result in enumerate(self.final) if result.first_use is not None)
        joined = (
            (value, join)
            for result, value, join in zip(loop.concat, self.end.concat, loop.concatenations)
            if result.first_use is not None
        )
        return (
            not any(result.first_use is not None for result in loop.last)
            and all(k in self.order for k in finals)
            and all(self._is_known(v) and can_be_joined(v, join, self.trips) for v, join in joined)
        )

    def _leaving(self) -> set[Operation]:
        """Return the operations that only carried values need which can be sliced."""
        first = 0 if self.end.cond is None else 1
        found: set[Operation] = set()
        for op in reversed(self.operations):
            uses = [use for result in op.results for use in result.uses]
            if op in self.order and all(
                use.index - first in self.order if use.operation is self.end else use.operation in found
                for use in uses
            ):
                found.add(op)
        return found

    def _needed(self) -> list[Operation | int]:
        """Return from what the chosen values are computed, in order."""
        found: set[Operation | int] = set(self.chosen)
        waiting: list[Operation | int] = list(self.chosen)
        while waiting:
            for value in self._reads(waiting.pop()):
                node = self.maker.get(value)
                if node is not None and node not in found:
                    found.add(node)
                    waiting.append(node)
        return sorted(found, key=self.order.__getitem__)

    def buffers(self) -> list[SSAValue]:
        """Return the values of which whole tensors come to be.

        They are shifted ones, and those that operations make for them.
        """
        numbers = [node for node in self._needed() if isinstance(node, int)]
        made = dict.fromkeys(v for k in numbers if isinstance((v := self.following[k]).owner, Operation))
        return [*(self.arguments[k] for k in numbers), *made]

    # -- carrying out

    def carry_out(self, inference: Inference) -> None:
        """Slice the chosen values."""
        loop, needed = self.loop, self._needed()
        cuts = loop.slicings
        axis = WholeAxis(
            loop,
            self.trips,
            GraphBuilder(InsertPoint.before(loop), loop.location),
            inference.fact,
            backwards=bool(cuts) and all(cut.stride < 0 for cut in cuts),
        )
        axis.add_sources({v for node in needed for v in self._reads(node)})
        for node in needed:
            if isinstance(node, int):
                self._shift(node, axis)
            else:
                emit(node, axis)
        slices = [axis.sliced(self.arguments[k]) for k in self.chosen]
        wide, parts = with_slices(loop, slices)
        self._read_parts(wide, parts)

    def _shift(self, number: int, axis: WholeAxis) -> None:
        """Emit what iterations get of those before, and the final value."""
        build, argument = axis.build, self.arguments[number]
        whole = axis.sliced(self.following[number])
        place, trips = whole.slicing.axis, self.trips.static
        initial = reshaped(self.initial[number], _shape(whole.type), build)

        def part(value: SSAValue, begin: int, end: int) -> SSAValue:
            return build.make(SliceOp, value, *(build.integers([n]) for n in (begin, end, 1, place)))

        def joined(first: SSAValue, second: SSAValue) -> SSAValue:
            both = [second, first] if axis.backwards else [first, second]
            return build.make(ConcatOp, both, attributes={"axis": place})

        forwards = not axis.backwards
        if trips is not None:
            most = part(whole.value, 0, trips - 1) if forwards else part(whole.value, 1, trips)
            shifted, source = joined(initial, most), whole.value
        else:
            # After no iteration the initial value is the last one.
            source = joined(initial, whole.value)
            shifted = part(source, 0, -1) if forwards else part(source, 1, _END)
        axis.values[argument] = Whole(shifted, place if whole.type == argument.type else None)
        result = self.final[number]
        if result.first_use is not None:
            last = part(source, -1, _END) if forwards else part(source, 0, 1)
            last = reshaped(last, shape_of(argument), build)
            last.name_hint = last.name_hint or result.name_hint
            result.replace_all_uses_with(last)

    def _read_parts(self, wide: LoopOp, parts: Iterable[SSAValue]) -> None:
        """Let the body read slices in place of the chosen values."""
        arguments = wide.carried_arguments
        for k, part in zip(self.chosen, parts):
            argument = arguments[k]
            part.name_hint = argument.name_hint
            build = GraphBuilder(InsertPoint.at_start(wide.body.block), wide.location)
            argument.replace_all_uses_with(reshaped(part, shape_of(argument), build))


def _shape(type_: object) -> tuple[int, ...]:
    assert isinstance(type_, TensorType)
    return type_.get_shape()
