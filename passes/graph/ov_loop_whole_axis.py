"""`ov-loop-whole-axis`: computes maps of a loop for all iterations at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.canonicalization.identities import is_static
from loomir.dialects.ov.canonicalization.loops import (
    results_of_no_trip,
    set_control,
    without_extents,
    zeros_of,
)
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LogicalOrOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.reshape import SqueezeOp
from loomir.dialects.region_flow import ancestor_in, enclosing
from loomir.dialects.speculation import MayFail
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.state import bytes_at_most, is_unbounded
from loomir.passes.graph.lib.branches import emit_branch
from loomir.passes.graph.lib.loop_rewriting import ExtraJoin, ExtraSlice, reshaped, with_slices
from loomir.passes.graph.lib.whole_axis.guards import fits, is_known_of_no_trip, only_risk, runs
from loomir.passes.graph.lib.whole_axis.maps import may_fail_at_once, may_stop
from loomir.passes.graph.lib.whole_axis.plan import Plan, plan_of
from loomir.passes.graph.lib.whole_axis.rules import varies
from loomir.passes.graph.lib.whole_axis.table import emit
from loomir.passes.graph.lib.whole_axis.values import Whole, WholeAxis, shape_of
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopWholeAxisPass(ModulePass):
    """Computes maps in a loop's body for all iterations at once.

    ```mlir
    %v, %all = ov.loop carried(%a) sliced(%x, %y) {            // before; %x, %y: tensor<100x4xf32>
    ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>, %q: tensor<1x4xf32>):
      %w = ov.multiply %u, %p
      %e = ov.exp %q
      ov.next carried(%w) concat(%e)
    }

    %all = ov.exp %y                                           // after
    %v = ov.loop carried(%a) sliced(%x) {
    ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>):
      %w = ov.multiply %u, %p
      ov.next carried(%w)
    }
    ```

    - What is joined, and computed of slices, of the iteration number and of values from outside, is computed of the whole inputs. A
      loop that gives nothing else goes.
    - A matrix product of such values that a recurrence reads is computed before the loop, with all that it is computed of; the loop
      slices it.
    - A loop that takes as many steps in each iteration becomes one whose steps do all iterations (rows and steps are interchanged).
    - A matrix product of a recurrence that is only joined is computed behind the loop, of what the loop joins in its place.

    What may fail leaves a loop that surely runs, since it then fails for all iterations as for one. It leaves another loop if the
    extents of its results after no iteration are known, or one check of extents tells them; it is then in a branch
    (`passes/graph/lib/whole_axis/guards.py`). Everything stays in a loop that a condition ends. The whole tensors that come to be,
    beside what the loop has sliced and joined, take at most `max-bytes`, and twice as much as the slices that they are computed of and
    the joined parts in whose place they are; where sizes are not known, they are at most twice as many. A loop that stays although it
    carries nothing would have no shorter recurrence: nothing leaves it that takes such tensors.
    """

    name = "ov-loop-whole-axis"
    EXACT = True

    max_bytes: int = 1 << 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0)
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        loops = [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]
        wanted = _with_some(loops, remarks)
        if not wanted:
            return analyses.keep_all()
        inference = analyses.get(infer, op)
        changed = [self.split(loop, inference, remarks) for loop in wanted]
        if any(changed):
            rewrite(op, DeadValues(), clean_up=True)
        retype(ctx, op, changed=any(changed))

    def split(self, loop: LoopOp, inference: Inference, remarks: Remarks) -> bool:
        """Compute outside of a loop what pays for all iterations at once.

        Return True if there was anything.
        """
        plan = self._plan(loop, inference)
        if isinstance(plan, MissedReason):
            remarks.missed(loop, plan)
            return False
        if (why := self._refusal(plan, inference)) is not None:
            remarks.missed(loop, why)
            return False
        before, behind = len(plan.before), len(plan.behind)
        what = f"{before + behind} operations are done for all iterations at once"
        remarks.passed(loop, what, before=before, behind=behind)
        _split(plan, inference)
        return True

    def _plan(self, loop: LoopOp, inference: Inference) -> Plan | MissedReason:
        """Return what leaves a loop.

        If what may fail does, there is surely an iteration, or a branch (`guards.py`).
        """
        if may_fail_at_once(loop, inference):
            plan = plan_of(loop, lambda op: may_stop(op, inference) and op.get_trait(MayFail) is None)
            if isinstance(plan, Plan) and (trip_bounds(loop, inference).lo >= 1 or _guard(plan, inference)):
                return plan
        return plan_of(loop, lambda op: may_stop(op, inference))

    def _refusal(self, plan: Plan, inference: Inference) -> MissedReason | None:
        """Why a plan is not carried out."""
        loop, trip = plan.loop, plan.loop.trip
        if plan.trips.static is None and trip is not None:
            bounds = inference.fact(trip).bounds
            if bounds is None or int(bounds[0].reshape(())) < 0:
                return MissedReason("its trip count may be negative, which is no limit")
        buffers = plan.buffers()
        if buffers and plan.stays and not loop.carried:
            return MissedReason("whole tensors would shorten no recurrence, and something keeps the loop")
        return too_large(buffers, plan.replaced(), loop, inference, self.max_bytes, "whole tensors")


def _with_some(loops: Sequence[LoopOp], remarks: Remarks) -> list[LoopOp]:
    """Return the loops that may have such parts.

    Those around them are among them.
    """
    found: set[Operation] = set()
    reasons: dict[LoopOp, MissedReason] = {}
    for loop in loops:
        plan = plan_of(loop, lambda op: False)
        if isinstance(plan, MissedReason):
            reasons[loop] = plan
        else:
            found |= {loop, *(op for op, _ in enclosing(loop))}
    for loop, reason in reasons.items():
        if loop not in found:
            remarks.missed(loop, reason)
    return [loop for loop in loops if loop in found]


def _guard(plan: Plan, inference: Inference) -> bool:
    """Say how a plan is guarded where no iteration may come.

    Return False if the results of no iteration would be others.
    """
    loop, end = plan.loop, plan.loop.next
    risky = [op for op in plan.before if may_stop(op, inference)]
    if not risky:
        return True
    if plan.behind:
        return False
    open_ = [
        k
        for k, (result, value, join) in enumerate(zip(loop.concat, end.concat, loop.concatenations))
        if result.first_use is not None and not is_known_of_no_trip(loop, value, join)
    ]
    guard = only_risk(loop, inference) if open_ else True
    plan.guard = guard or False
    return plan.guard is not False and set(open_) <= set(plan.outputs) and all(map(is_static, end.last))


_GROWTH = 2
"""Factor by which whole tensors may be larger than what they replace."""


def too_large(
    buffers: Sequence[SSAValue],
    there: Sequence[SSAValue],
    loop: LoopOp,
    inference: Inference,
    max_bytes: int,
    what: str,
    growth: int = _GROWTH,
) -> MissedReason | None:
    """Return why values of all iterations take too much, or None.

    `there` are the slices and joined parts to which the values are compared: they may be `growth` times as large.
    """
    new, old = (_bytes_of(values, inference) for values in (buffers, there))
    trips = trip_bounds(loop, inference)
    if is_unbounded(trips) or trips.hi is None or new is None:
        fits = len(buffers) <= 2 * len(there) if new is None or old is None else new <= old
        return (
            None
            if fits
            else MissedReason(f"{what} of unknown size may take more than what it slices and joins")
        )
    if (total := trips.hi * new) > max_bytes:
        return MissedReason(
            f"{what} would take {total} bytes, more than max-bytes={max_bytes}",
            {"bytes": total, "limit": max_bytes},
        )
    if old is not None and new > growth * old:
        return MissedReason(
            f"{what} would take {new} bytes for each iteration, more than {growth} times what it slices and joins",
            {"bytes": new, "limit": growth * old},
        )
    return None


def _bytes_of(values: Sequence[SSAValue], inference: Inference) -> int | None:
    """Return the known bytes of values in one iteration, or None."""
    sizes = [bytes_at_most(value, inference) for value in values]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _split(plan: Plan, inference: Inference) -> None:
    """Carry out a plan."""
    loop = plan.loop
    axis = WholeAxis(
        loop,
        plan.trips,
        GraphBuilder(InsertPoint.before(loop), loop.location),
        inference.fact,
        backwards=plan.backwards,
    )
    if plan.guard is False:
        outputs, slices = _emit_before(plan, axis)
    else:
        outputs, slices = _emit_in_branch(plan, axis)
    for number, value in zip(plan.outputs, outputs):
        _replace(loop.concat[number], value)
    if not (plan.slices or plan.joins):
        return
    joins = [_joined_part(value, axis) for value in plan.joins]
    wide, arguments = with_slices(loop, slices, joins)
    if plan.trips.static is None and slices:
        # The extent of what it slices is the trip count, and nothing compares the two.
        set_control(wide, trip=None)
    later = set(plan.behind)
    _read_slices(wide, dict(zip(plan.slices, arguments)), later.union(plan.before))
    behind = axis.behind(wide, GraphBuilder(InsertPoint.after(wide), wide.location))
    first = len(wide.concat) - len(joins)
    for value, join, whole in zip(plan.joins, joins, wide.concat[first:]):
        found = behind.joined_parts(whole, join.joining, join.value)
        behind.values[value] = found if join.value is value else Whole(found.value)
    for op in plan.behind:
        emit(op, behind)
    for result, value, join in zip(wide.concat, wide.next.concat[:first], wide.concatenations):
        if value.owner in later:
            _replace(result, behind.joined(value, join))


def _emit_before(plan: Plan, axis: WholeAxis) -> tuple[list[SSAValue], list[ExtraSlice]]:
    """Emit what is before the loop; return outputs, and what it slices."""
    loop = plan.loop
    axis.add_sources(plan.wanted - axis.values.keys())
    for op in plan.before:
        if not all(result in axis.values for result in op.results):
            emit(op, axis)
    outputs = [axis.joined(loop.next.concat[k], loop.concatenations[k]) for k in plan.outputs]
    return outputs, [axis.sliced(value) for value in plan.slices]


def _emit_in_branch(plan: Plan, axis: WholeAxis) -> tuple[list[SSAValue], list[ExtraSlice]]:
    """Emit the same in a branch where it does not fail."""
    loop, build, slices = plan.loop, axis.build, list[ExtraSlice]()
    condition, risk = runs(plan.trips, build), plan.guard
    if isinstance(risk, OvOperation):
        plan.maps.emit([o for o in risk.operands if varies(o, loop)], axis)
        condition = build.make(LogicalOrOp, condition, fits(risk, risk.operands, axis))

    def taken(inside: GraphBuilder) -> list[SSAValue]:
        outputs, found = _emit_before(plan, axis.behind(loop, inside))
        slices.extend(found)
        return [*outputs, *(each.value for each in found)]

    def otherwise(inside: GraphBuilder) -> list[SSAValue]:
        first = len(loop.results) - len(loop.concat)
        nothing = results_of_no_trip(loop, inside)[first:]
        empty = [zeros_of(without_extents(each.value.type, Slicing()), inside) for each in slices]
        return [*(nothing[k] for k in plan.outputs), *empty]

    values = emit_branch(build, condition, taken, otherwise).output
    count = len(plan.outputs)
    return list(values[:count]), [replace(each, value=v) for each, v in zip(slices, values[count:])]


def _joined_part(value: SSAValue, axis: WholeAxis) -> ExtraJoin:
    """Return what the loop joins for operations behind it.

    This is a value, or one with an additional dimension of extent 1 in front.
    """
    shape = list(shape_of(value))
    if 1 not in shape:
        build = GraphBuilder(InsertPoint.before(axis.loop.next), axis.loop.next.location)
        shape.insert(0, 1)
        value = reshaped(value, shape, build)
    place = shape.index(1)
    shape[place] = axis.extent
    type_ = TensorType(tensor_type_of(value).element_type, shape)
    return ExtraJoin(value, Slicing(place, stride=axis.stride), type_)


def _read_slices(loop: LoopOp, slices: Mapping[SSAValue, BlockArgument], gone: Collection[Operation]) -> None:
    """Let operations that stay read slices of what is computed before."""
    block = loop.body.block
    start = block.first_op
    assert start is not None
    build = GraphBuilder(InsertPoint.before(start), start.location)
    for value, argument in slices.items():
        part = (
            argument if argument.type == value.type else build.make(SqueezeOp, argument, build.integers([0]))
        )
        argument.name_hint = value.name_hint
        value.replace_uses_with_if(part, lambda use: ancestor_in(use.operation, block) not in gone)


def _replace(result: SSAValue, value: SSAValue) -> None:
    """Put a value in place of a loop's result."""
    value.name_hint = value.name_hint or result.name_hint
    result.replace_all_uses_with(value)
