"""`ov-loop-end-frozen`: ends loops whose state no trip changes any more."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.rewriting import is_condition
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import i1
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import set_control, static_trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LogicalAndOp, LogicalNotOp, SelectOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.profile import drop
from loomir.dialects.region_flow import comes_from_outside
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.graph.lib.branches import operands_of
from loomir.passes.graph.lib.frozen_state import holds, keeps, kept_where, operations_where
from loomir.passes.graph.ov_infer import retype

MAX_CONDITIONS = 8
"""Conditions looked at in one loop as what may end it."""


@dataclass(frozen=True)
class OvLoopEndFrozenPass(ModulePass):
    """Ends a loop once a condition holds that freezes its state.

    ```mlir
    %r, %_ = ov.loop trip(%n) carried(%x, %false) {           // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %done: tensor<i1>):
      %w = ov.if %done -> (tensor<4xf32>) {
        ov.yield %v
      } else {
        …
        ov.yield %q
      }
      %high = …
      %stop = ov.logical_or %done, %high
      ov.next carried(%w, %stop)
    }

    %r, %_ = ov.loop trip(%n) carried(%x, %false) {           // after: in no trip %done is true
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %done: tensor<i1>):
      …
      %high = …
      %again = ov.logical_not %high
      ov.next while(%again) carried(%q, %high)
    }
    ```

    A carried flag that stays as it is, with all carried values of which the final one is read, ends the loop as soon as it is set. So does
    another condition on such values, with the first trip in which it holds.

    The trips that are left out give nothing: the loop has no last values and joins nothing. No operation that may fail is left out,
    except where it has succeeded on the same operands. The loop would have ended anyway: a loop without a limit stays endless.
    """

    name = "ov-loop-end-frozen"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        loops = [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]
        wanted: list[tuple[LoopOp, Freezing]] = []
        for loop in loops:
            found = next(_freezing(loop), None)
            if found is None or _gives_more(loop):
                remarks.missed(loop, "no condition freezes its state, or each trip gives a result")
            else:
                wanted.append((loop, found))
        if not wanted:
            return analyses.keep_all()
        inference = analyses.get(infer, op)
        changed = [_end(loop, inference, remarks) for loop, _ in wanted]
        retype(ctx, op, changed=any(changed))


@dataclass(frozen=True)
class Freezing:
    """Condition that freezes the state where it has a truth value.

    `number` is that of a carried flag, which the next trips only read; None for a condition that the body computes. `kept` are the
    carried values that stay.
    """

    condition: SSAValue
    truth: bool
    number: int | None
    kept: Collection[int]


def _gives_more(loop: LoopOp) -> bool:
    """Return True if a loop has results of its trips."""
    return any(result.first_use is not None for result in (*loop.last, *loop.concat))


def _freezing(loop: LoopOp) -> Iterator[Freezing]:
    """Generate the conditions that freeze the state of a loop, flags first."""
    carried = list(zip(loop.carried_arguments, loop.next.carried))
    read = [pair for pair, result in zip(carried, loop.final) if result.first_use is not None]
    again = loop.next.cond

    def freezes(condition: SSAValue, truth: bool) -> bool:
        return all(keeps(*pair, condition, truth) for pair in read)

    for number, (argument, following) in enumerate(carried):
        if not is_condition(argument.type) or argument.first_use is None:
            continue
        for truth in (True, False):
            if holds(following, argument, truth) is truth and freezes(argument, truth):
                yield Freezing(argument, truth, number, kept_where(loop, argument, truth))
    choices = (o.cond for o in loop.body.block.ops if isinstance(o, IfOp | SelectOp))
    for condition in dict.fromkeys(c for c in choices if is_condition(c.type)):
        if not read:
            continue
        for truth in (True, False):
            if again is not None and holds(again, condition, truth) is False:
                continue
            if not freezes(condition, truth):
                continue
            kept = kept_where(loop, condition, truth)
            if condition not in _varying(loop, kept):
                yield Freezing(condition, truth, None, kept)


def _varying(loop: LoopOp, kept: Collection[int]) -> set[SSAValue]:
    """Return the values of the body that differ between frozen trips.

    They are computed from the iteration number, of slices or of carried values that are not kept.
    """
    varying: set[SSAValue] = {loop.iteration, *loop.part_arguments}
    varying.update(a for k, a in enumerate(loop.carried_arguments) if k not in kept)
    for op in loop.body.block.ops:
        if not varying.isdisjoint(operands_of(op)):
            varying.update(op.results)
    return varying


def _end(loop: LoopOp, inference: Inference, remarks: Remarks) -> bool:
    """End a loop once its state is frozen.

    Return True if that is possible.
    """
    if (why := _endless(loop, inference)) is not None:
        remarks.missed(loop, why)
        return False
    for found in islice(_freezing(loop), MAX_CONDITIONS):
        if _may_be_left_out(loop, found, inference):
            what = "flag" if found.number is not None else "condition"
            remarks.passed(loop, f"ends once a {what} freezes its state")
            (_end_by_condition if found.number is None else _end_by_flag)(loop, found)
            drop(loop)
            return True
    remarks.missed(loop, "an operation of a trip that changes nothing may fail")
    return False


def _endless(loop: LoopOp, inference: Inference) -> str | None:
    """Return why a loop might not end by itself.

    It might run beyond its slices, too.
    """
    if loop.trip is not None and loop.sliced and static_trips(loop) is None:
        return "it may run beyond its slices, which is an error"
    if loop.sliced or trip_bounds(loop, inference).hi is not None:
        return None
    bounds = None if loop.trip is None else inference.fact(loop.trip).bounds
    if bounds is None or int(bounds[0].reshape(())) < 0:
        return "nothing else surely ends it"
    return None


def _may_be_left_out(loop: LoopOp, found: Freezing, inference: Inference) -> bool:
    """Return True if no trip that is left out stops the program.

    An operation that may fail has succeeded on the same operands in the trip before.
    """
    same = _as_before(loop, found)
    return all(
        speculatable(op, inference.fact) or (op.parent is loop.body.block and _reads_only(op, same, loop))
        for op in operations_where(loop.body.block, found.condition, found.truth)
        if op is not loop.next
    )


def _as_before(loop: LoopOp, found: Freezing) -> Collection[SSAValue]:
    """Return the values that are those of the trip before.

    This holds in the first trip that is left out. The trip before that may have changed the state, if a flag is set behind it.
    """
    if found.number is None:
        inside = (v for op in loop.body.block.ops for v in op.results)
        return {*inside, *loop.body.block.args} - _varying(loop, found.kept)
    if _first_of(loop, found):
        return ()
    same = {loop.next.carried[k] for k in found.kept}
    for op in loop.body.block.ops:
        if _reads_only(op, same, loop):
            same.update(op.results)
    return same


def _reads_only(op: Operation, values: Collection[SSAValue], loop: LoopOp) -> bool:
    """Return True if an operation reads these values, and some from outside."""
    read = operands_of(op)
    return is_side_effect_free(op) and all(v in values or comes_from_outside(v, loop) for v in read)


def _first_of(loop: LoopOp, found: Freezing) -> bool:
    """Return True if a flag may be set before the first trip."""
    assert found.number is not None
    known = constant_of(loop.carried[found.number])
    return known is None or bool(known.reshape(())) is found.truth


def _end_by_flag(loop: LoopOp, found: Freezing) -> None:
    """End a loop before a trip in which a flag is set."""
    assert found.number is not None
    initial, following = loop.carried[found.number], loop.next.carried[found.number]
    before = GraphBuilder(InsertPoint.before(loop), loop.location)
    cond = loop.cond
    if _first_of(loop, found):
        cond = _both(cond, initial, not found.truth, before)
    behind = GraphBuilder(InsertPoint.before(loop.next), loop.next.location)
    set_control(loop, cond=cond, again=_both(loop.next.cond, following, not found.truth, behind))
    first = loop.body.block.first_op
    assert first is not None
    inside = GraphBuilder(InsertPoint.before(first), loop.location)
    found.condition.replace_all_uses_with(inside.scalar(not found.truth, i1))


def _end_by_condition(loop: LoopOp, found: Freezing) -> None:
    """End a loop with the first trip that changes nothing."""
    behind = GraphBuilder(InsertPoint.before(loop.next), loop.next.location)
    set_control(loop, again=_both(loop.next.cond, found.condition, not found.truth, behind))


def _both(other: SSAValue | None, condition: SSAValue, truth: bool, build: GraphBuilder) -> SSAValue:
    """Emit that a condition has a truth value, and another one holds."""
    wanted = condition if truth else build.make(LogicalNotOp, condition)
    return wanted if other is None else build.make(LogicalAndOp, other, wanted)
