"""`ov-loop-last-trip`: computes behind a loop what only its last trip gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike

from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import AnyTensor, i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.identities import is_static
from loomir.dialects.ov.canonicalization.loop_trips import trips_of
from loomir.dialects.ov.canonicalization.loops import (
    first_trip_comes,
    may_be_constant,
    take_part,
    with_last,
    zeros_of,
)
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import SubtractOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.dialects.region_flow import ancestor_in, captured, comes_from_outside
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.dependence import dependence_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.state import bytes_at_most
from loomir.passes.graph.lib.branches import emit_branch
from loomir.passes.graph.lib.whole_axis.guards import runs
from loomir.passes.graph.ov_infer import retype


@dataclass(frozen=True)
class OvLoopLastTripPass(ModulePass):
    """Moves operations of which only the last trip counts behind the loop.

    Their results are only last values, or carried values that the body does not read (`passes/analysis/dependence`).

    ```mlir
    %r, %s = ov.loop trip(%n) carried(%x, %a) {                // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %u: tensor<4xf32>):
      %w = ov.tanh %v
      %e = ov.exp %w
      ov.next carried(%w, %e)
    }

    %r = ov.loop trip(%n) carried(%x) {                        // after
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.tanh %v
      ov.next carried(%w)
    }
    %run = ov.not_equal %n, %zero
    %s = ov.if %run -> (tensor<4xf32>) {
      %e = ov.exp %r
      ov.yield %e
    } else {
      ov.yield %a
    }
    ```

    What they read is, behind the loop, a value from outside, the last iteration number, the last part of a sliced input, a final
    carried value, or a value of the body that becomes a last value in place of their results. Nothing moves if that would
    take more memory. An operation that may fail stays, with what it reads: an earlier trip might stop the program. The branch is left
    out where the loop surely runs. A loop that then gives nothing is removed by `canonicalize`.
    """

    name = "ov-loop-last-trip"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        loops = [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]
        wanted = [loop for loop in loops if _may_have_some(loop, remarks)]
        if not wanted:
            return analyses.keep_all()
        inference = analyses.get(infer, op)
        changed = [_sink(loop, inference, remarks) for loop in wanted]
        if any(changed):
            rewrite(op, DeadValues(), clean_up=True)
        retype(ctx, op, changed=any(changed))


def _may_have_some(loop: LoopOp, remarks: Remarks) -> bool:
    """Return True if only the last trip may give a result."""
    unread = (a for a, r in zip(loop.carried_arguments, loop.final) if a.first_use is None and r.first_use)
    if any(unread) or any(result.first_use for result in loop.last):
        return True
    remarks.missed(loop, "each trip reads what it carries, and there are no last values")
    return False


@dataclass(frozen=True)
class _Output:
    """Result that only the last trip gives.

    `value` is the one of the body, `without_trips` the result after no trip; None are zeros.
    """

    result: SSAValue
    value: SSAValue
    without_trips: SSAValue | None


def _outputs(loop: LoopOp) -> list[_Output]:
    """Return the used results that are those of the last trip."""
    end = loop.next
    carried = zip(loop.carried_arguments, loop.final, end.carried, loop.carried)
    found = [_Output(r, value, first) for a, r, value, first in carried if a.first_use is None]
    found += [_Output(r, value, None) for r, value in zip(loop.last, end.last)]
    return [output for output in found if output.result.first_use is not None]


def _sink(loop: LoopOp, inference: Inference, remarks: Remarks) -> bool:
    """Move what can be moved behind a loop.

    Return True if there was anything.
    """
    outputs = _outputs(loop)
    moving = _movable(loop, outputs, inference)
    leaves = _Leaves(loop)
    outputs = [o for o in outputs if o.value.owner in moving or leaves.are_known(o.value)]
    if not outputs:
        remarks.missed(loop, "no operation is needed of the last trip only")
        return False
    read = {v: None for op in moving for v in (*op.operands, *captured(op, {}))}
    kept = [v for v in read if v.owner not in moving and not leaves.are_known(v)]
    if kept and not _fits(kept, outputs, inference):
        remarks.missed(
            loop,
            "what the operations of the last trip read is no tensor, or takes more memory than they give",
        )
        return False
    surely = trip_bounds(loop, inference).lo >= 1
    if not surely and not _can_be_asked(loop, outputs):
        remarks.missed(loop, "nothing before it says whether it runs")
        return False
    what = f"moved {len(moving)} operations of the last trip behind it"
    remarks.passed(loop, what, operations=len(moving))
    if kept:
        old = loop.results
        loop = with_last(loop, kept, PatternRewriter(loop))
        given = [*loop.final, *loop.last[: len(loop.last) - len(kept)], *loop.concat]
        new: dict[SSAValue, SSAValue] = dict(zip(old, given, strict=True))
        outputs = [replace(output, result=new[output.result]) for output in outputs]
    last = dict(zip(kept, loop.last[len(loop.last) - len(kept) :]))
    _compute_behind(loop, outputs, moving, last, surely=surely)
    return True


def _movable(loop: LoopOp, outputs: Sequence[_Output], inference: Inference) -> dict[Operation, None]:
    """Return the operations that only the outputs need, in order.

    None of them can fail.
    """
    end, block = loop.next, loop.body.block
    values = {output.value for output in outputs}
    first = len(end.operands) - len(end.carried) - len(end.last) - len(end.concat)
    unread = {first + k for k, a in enumerate(loop.carried_arguments) if a.first_use is None}
    last = range(first + len(end.carried), first + len(end.carried) + len(end.last))
    moving: set[Operation] = set()
    for op in reversed(dependence_of(loop).last_trip_only):
        if op.has_trait(ConstantLike) or not is_side_effect_free(op):
            continue
        wanted = [result for result in op.results if result.first_use is not None]
        only = all(
            (use.index in unread or use.index in last) and result in values
            if use.operation is end
            else ancestor_in(use.operation, block) in moving
            for result in wanted
            for use in result.uses
        )
        if only and speculatable(op, inference.fact):
            moving.add(op)
    return {op: None for op in block.ops if op in moving}


class _Leaves:
    """Values of the last trip that are there behind the loop."""

    def __init__(self, loop: LoopOp) -> None:
        self._loop = loop
        self._trips = trips_of(loop)
        stays = (argument.first_use is not None for argument in loop.carried_arguments)
        self._final = {v: r for v, r, read in zip(loop.next.carried, loop.final, stays) if read}
        self._parts: dict[SSAValue, tuple[SSAValue, Slicing]] = {}
        if self._trips is not None:
            # (From the end, the last part is the first one if nothing else bounds the trips.)
            alone = len({(value, cut.axis) for value, cut in zip(loop.sliced, loop.slicings)}) == 1
            static = self._trips.static
            self._parts = {
                a: (value, cut)
                for a, value, cut in zip(loop.part_arguments, loop.sliced, loop.slicings)
                if (is_static(value) and static)
                or (static is None and cut.part_size == 1 and (cut.stride > 0 or alone))
            }

    def are_known(self, value: SSAValue) -> bool:
        """Return True if nothing has to be kept for a value."""
        return (
            comes_from_outside(value, self._loop)
            or isinstance(value.owner, ConstantOp)
            or (value is self._loop.iteration and self._trips is not None)
            or value in self._final
            or value in self._parts
        )

    def emit(self, value: SSAValue, build: GraphBuilder) -> SSAValue:
        """Return the value of the last trip behind the loop."""
        if value in self._final:
            return self._final[value]
        if isinstance(value.owner, ConstantOp):
            return build.constant(value.owner.array)
        if value is self._loop.iteration:
            assert self._trips is not None
            return self._last_number(build)
        return self._last_part(*self._parts[value], build) if value in self._parts else value

    def _last_number(self, build: GraphBuilder) -> SSAValue:
        assert self._trips is not None
        if self._trips.static is not None:
            return build.scalar(self._trips.static - 1, i64)
        return build.make(SubtractOp, self._trips.emit(build), build.scalar(1, i64))

    def _last_part(self, value: SSAValue, cut: Slicing, build: GraphBuilder) -> SSAValue:
        assert self._trips is not None
        if self._trips.static is not None:
            operations, part = take_part(value, cut, self._trips.static - 1)
            for op in operations:
                build.emit(op)
            return part
        place = build.integers([0])
        if cut.stride > 0:
            place = build.make(UnsqueezeOp, self._last_number(build), build.integers([0]))
        axis = cut.normalised_axis(len(tensor_type_of(value).get_shape()))
        return build.make(GatherOp, value, place, build.scalar(axis, i64))


def _fits(kept: Sequence[SSAValue], outputs: Sequence[_Output], inference: Inference) -> bool:
    """Return True if keeping values takes no more memory than the outputs.

    Each is written in every trip, too. Where sizes are not known, those of one type count as equal. Only tensors can be last values.
    """
    if not all(isinstance(v.type, AnyTensor) for v in kept):
        return False
    sizes = [[bytes_at_most(v, inference) for v in values] for values in (kept, [o.value for o in outputs])]
    if not any(size is None for group in sizes for size in group):
        new, old = (sum(size or 0 for size in group) for group in sizes)
        return new <= old
    return not Counter(v.type for v in kept) - Counter(o.value.type for o in outputs)


def _can_be_asked(loop: LoopOp, outputs: Sequence[_Output]) -> bool:
    """Return True if a condition before the loop says whether it runs.

    The results after no trip are known, too.
    """
    return (not loop.sliced or trips_of(loop) is not None) and all(
        o.without_trips is not None or (is_static(o.value) and may_be_constant(o.value)) for o in outputs
    )


def _first_trip_comes(loop: LoopOp, build: GraphBuilder) -> SSAValue | None:
    """Return the condition for a first iteration; None if it always runs."""
    trips = trips_of(loop) if loop.sliced else None
    return first_trip_comes(loop, build) if trips is None else runs(trips, build)


def _compute_behind(
    loop: LoopOp,
    outputs: Sequence[_Output],
    moving: Iterable[Operation],
    last: Mapping[SSAValue, SSAValue],
    *,
    surely: bool,
) -> None:
    """Compute the outputs behind the loop.

    `last` are last values by those of the body. Without `surely` the operations are in a branch that is taken if the loop has run.
    """
    behind = GraphBuilder(InsertPoint.after(loop), loop.location)
    leaves = _Leaves(loop)
    asked = None if surely else _first_trip_comes(loop, behind)

    def computed(build: GraphBuilder) -> list[SSAValue]:
        values = dict(last)

        def value_of(value: SSAValue) -> SSAValue:
            if value not in values:
                values[value] = leaves.emit(value, build)
            return values[value]

        for op in moving:
            for operand in (*op.operands, *captured(op, {})):
                value_of(operand)
            build.emit(op.clone(values))
        return [value_of(output.value) for output in outputs]

    def without_trips(build: GraphBuilder) -> list[SSAValue]:
        return [
            zeros_of(tensor_type_of(o.value), build) if o.without_trips is None else o.without_trips
            for o in outputs
        ]

    if asked is None:
        given = computed(behind)
    else:
        types = [output.result.type for output in outputs]
        given = emit_branch(behind, asked, computed, without_trips, types).output
    for output, value in zip(outputs, given):
        value.name_hint = value.name_hint or output.result.name_hint
        output.result.replace_all_uses_with(value)
