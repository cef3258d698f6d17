"""Pass `ov-uplift-while-to-for`: loops with a condition get a trip count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.canonicalization.loops import UNCHANGED, Part, set_control
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LogicalAndOp
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, LoopOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.trip_counts import EvaluationBudget, TripCount, count_trips, number_of
from loomir.passes.analysis.trip_counts.closed_form import (
    NO_LIMIT,
    TRUE,
    BooleanScalar,
    BoundedMath,
    BoundedScalar,
)
from loomir.passes.graph.ov_infer import retype


@dataclass(frozen=True)
class OvUpliftWhileToForPass(ModulePass):
    """Replaces a condition that only compares a counter by a trip count.

    The condition compares the counter with a bound:

    ```mlir
    %go = ov.less %zero, %n                                                            // before
    %k, %x = ov.loop while(%go) carried(%zero, %x0) : (…) -> (tensor<i64>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %c: tensor<i64>, %v: tensor<4xf32>):
      …
      %next = ov.add %c, %one
      %again = ov.less %next, %n
      ov.next while(%again) carried(%next, %w : tensor<i64>, tensor<4xf32>)
    }
    %trips = ov.maximum %n, %zero                                                      // after
    %k, %x = ov.loop trip(%trips) carried(%zero, %x0) : (…) -> (tensor<i64>, tensor<4xf32>) {
    ^bb0(%i: tensor<i64>, %c: tensor<i64>, %v: tensor<4xf32>):
      …
      ov.next carried(%next, %w : tensor<i64>, tensor<4xf32>)
    }
    ```

    The counter may have any constant step, any initial value and any bound from outside the loop, any comparison, and any
    integer type. A condition that depends only on constants is evaluated, iteration by iteration. If another condition must
    hold, too, the counter determines the maximum trip count, and the other condition stays. The overflow behaviour of the
    counter's type is preserved: see `passes/analysis/trip_counts`. Loops over slices stay unchanged.
    """

    name = "ov-uplift-while-to-for"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks = Remarks(self.name)
        loops: list[LoopOp] = []
        for loop in walk(op):
            if isinstance(loop, LoopOp):
                if loop.next.cond is not None:
                    loops.append(loop)
                else:
                    remarks.missed(loop, "no condition ends it")
        if not loops:
            return analyses_of(ctx).keep_all()
        inference = analyses_of(ctx).get(infer, op)
        budget = EvaluationBudget()
        changed = [_uplift(loop, inference, budget, remarks) for loop in loops]
        retype(ctx, op, changed=any(changed))


def _uplift(loop: LoopOp, inference: Inference, budget: EvaluationBudget, remarks: Remarks) -> bool:
    """Rewrite trip count or condition; return True if the loop has changed."""
    if loop.sliced:
        remarks.missed(loop, "its slices bound the trips")
        return False
    count = count_trips(loop, inference, budget)
    if count is None:
        remarks.missed(loop, "no term of its condition compares a counter or can be computed")
        return False
    most = count.most(BoundedMath(), inference)
    if most is None:
        remarks.missed(loop, "its counter may wrap around")
        return False
    numbers = BoundedMath(GraphBuilder(InsertPoint.before(loop), loop.location))
    trip = _trip(count, numbers, inference)
    cond: Part = UNCHANGED
    if trip is not None and not count.other_conditions and loop.cond is not None:
        if count.entry_is_known:
            cond = None
        elif trip.hi > 1:
            # (A loop of one trip at most becomes a branch on its condition.)
            trip = numbers.select(BooleanScalar(None, loop.cond), trip, numbers.constant(0))
            cond = None
    given = None if trip is None else numbers.value(trip)
    set_control(loop, trip=given, cond=cond, again=_all_of(loop, count.other_conditions))
    what = f"{most.lo}" if most.lo == most.hi else "a computed number of"
    remarks.passed(
        loop,
        f"{what} trips{' at most' if count.other_conditions else ''}",
        trips=most.lo if most.lo == most.hi else None,
    )
    return True


def _trip(count: TripCount, numbers: BoundedMath, inference: Inference) -> BoundedScalar | None:
    """Combine the loop's own trip count with that of its condition.

    Return None if nothing bounds the trips.
    """
    trip = count.loop.trip
    given = None if trip is None else number_of(trip, numbers, inference)
    negative = TRUE if given is None else numbers.is_less(given, numbers.constant(0))
    if trip is not None and given is not None and count.outlast(trip):
        # Without an entry of its own the loop asks only after its first iteration.
        return numbers.select(negative, numbers.constant(0 if count.entered else 1), given)
    most = count.most(numbers, inference)
    assert most is not None
    if given is None or negative.known:
        return None if most.lo >= NO_LIMIT else most
    # A negative trip count is none.
    return numbers.least(numbers.select(negative, numbers.constant(NO_LIMIT), given), most)


def _all_of(loop: LoopOp, terms: Sequence[SSAValue]) -> SSAValue | None:
    """The condition that all terms hold, at the end of the body."""
    build = GraphBuilder(InsertPoint.before(loop.next), loop.location)
    condition: SSAValue | None = None
    for term in terms:
        if term.type != CONDITION_TYPE:
            term = build.make(ReshapeOp, term, build.integers([]), attributes={"special_zero": False})
        condition = term if condition is None else build.make(LogicalAndOp, condition, term)
    return condition
