"""The pass `ov-loop-peel`: the first iteration of a loop becomes straight-line code in front of it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnrankedTensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.element_types import i64
from loomir.dialects.ov.canonicalization.loop_trips import comes_from_outside
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import SubtractOp
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.remarks import Remarks
from loomir.passes.graph.loop_copies import Copies, joins_with_nothing, remaining_loop, replace_loop
from loomir.passes.graph.loop_guards import can_be_guarded, guard_loop
from loomir.passes.graph.ov_infer import write_types
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopPeelPass(ModulePass):
    """Run the first iteration of a loop in front of it, where a carried value changes its rank in it or is the same from then on.

    A decoder that starts from an empty placeholder and carries states of another rank from its first step on has no shape
    that holds for every iteration, and below GRAPH every value needs one. Behind the first iteration it has.

    ```mlir
    %r = ov.loop trip(%n) carried(%none) : (tensor<i64>, tensor<0xf32>) -> tensor<*xf32> {        // before
    ^bb0(%i: tensor<i64>, %x: tensor<*xf32>):
      %y = … : tensor<1x4xf32>
      ov.next while(%more) carried(%y : tensor<1x4xf32>)
    }
    %y0 = … : tensor<1x4xf32>                                                                    // after
    %left = ov.subtract %n, %one
    %r = ov.loop trip(%left) while(%more0) carried(%y0) : (…) -> tensor<1x4xf32> {
    ^bb0(%j: tensor<i64>, %x: tensor<1x4xf32>):
      %i = ov.add %j, %one
      %y = … : tensor<1x4xf32>
      ov.next while(%more) carried(%y : tensor<1x4xf32>)
    }
    ```

    A carried value that each iteration hands on as one from outside is carried no longer behind the first one; only of loops of at most
    `max-operations`, which are there twice then.

    Only loops that surely run at least once, since the result has one rank only then; others go under a guard, an `ov.if` on their own
    condition, where ranks do not change. `all=true` peels every such loop, whatever it carries. Left alone are loops with sliced inputs
    or last values (TensorIterator, Scan: they carry values of one shape), and those that concatenate parts of dynamic dimensions: with no
    iteration left these extents are 0.
    """

    name = "ov-loop-peel"
    EXACT = True

    all: bool = False
    max_operations: int = 64

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_operations=0)
        remarks = Remarks(self.name)
        loops = [o for o in op.walk() if isinstance(o, LoopOp) and self._is_wanted(o, remarks)]
        if not loops:
            return
        inference = infer(op)
        # Inner loops first: the copy of an outer body holds them as they are by then.
        for loop in reversed(loops):
            _peel(loop, inference, remarks)
        write_types(op, infer(op))

    def _is_wanted(self, loop: LoopOp, remarks: Remarks) -> bool:
        if self.all or _changes_rank(loop):
            return True
        if not _settles(loop):
            return False
        size = sum(1 for _ in loop.body.block.walk())
        if size > self.max_operations:
            remarks.missed(loop, f"{size} operations are more than {self.max_operations}")
        return size <= self.max_operations


def _settles(loop: LoopOp) -> bool:
    """Whether something carried is the same, and from outside, in all iterations but the first."""
    return any(
        argument.first_use is not None and following is not first and comes_from_outside(following, loop)
        for first, argument, following in zip(loop.carried, loop.carried_arguments, loop.next.carried)
    )


def _changes_rank(loop: LoopOp) -> bool:
    return any(
        isinstance(a.type, UnrankedTensorType) and not isinstance(v.type, UnrankedTensorType)
        for a, v in zip(loop.carried_arguments, loop.carried)
    )


def _peel(loop: LoopOp, inference: Inference, remarks: Remarks) -> None:
    if loop.sliced or loop.last:
        return remarks.missed(loop, "it has sliced inputs or last values")
    may_not_run = trip_bounds(loop, inference).lo < 1
    if may_not_run and not (can_be_guarded(loop) and not _changes_rank(loop)):
        return remarks.missed(loop, "it may run no iteration at all")
    if not all(
        joins_with_nothing(inference.fact(v), c) for v, c in zip(loop.next.concat, loop.concatenations)
    ):
        return remarks.missed(loop, "an extent of a concatenated output is open")
    if may_not_run:
        guard_loop(loop, [])
    copies = Copies.before(loop)
    copies.iterate(0, [])
    rest = remaining_loop(loop, copies, _one_less(loop.trip, copies), 1)
    joined = [
        copies.join([*first, rest_part] if cut.stride > 0 else [rest_part, *first], cut)
        for first, rest_part, cut in zip(copies.concat, rest.concat, loop.concatenations)
    ]
    replace_loop(loop, [*rest.final, *joined])
    remarks.passed(loop, "its first iteration stands before it")


def _one_less(trip: SSAValue | None, copies: Copies) -> SSAValue | None:
    """The iterations that are left; a negative trip count is no limit and stays negative."""
    if trip is None:
        return None
    return copies.build.make(SubtractOp, trip, copies.build.scalar(1, i64))
