"""`ov-loop-invariant-code-motion`: hoists loop-invariant operations out of loops."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import AnyTensor
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import Analyses, analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.state import bytes_at_most, elements_at_most
from loomir.passes.control_flow.motion import Motion, MotionPolicy, Place
from loomir.passes.graph.lib.loop_rewriting import starts_safely
from loomir.passes.graph.ov_fold_constants import widens_weights
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopInvariantCodeMotionPass(ModulePass):
    """Hoists operations, branches and loops that read nothing of a loop.

    They move before the loop, out of as many loops as there are.

    ```mlir
    %r = ov.loop trip(%n) carried(%x) {                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
      %w = ov.multiply %v, %e
      ov.next carried(%w)
    }

    %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>          // after
    %r = ov.loop trip(%n) carried(%x) {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.multiply %v, %e
      ov.next carried(%w)
    }
    ```

    An operation that surely stops no program moves out of any loop. An operation that may fail (a loop may also never end)
    moves only if nothing that may fail stays before it in the body, so that the errors do not change. It moves out of a
    loop that surely runs. Out of a loop that may not run it moves under a guard, an `ov.if` around both on the loop's own
    condition, if the results of the operations that move there have at least `guard-elements` elements, or a loop is among
    them.

    Out of a loop that a profile ([profiling.md](profiling.md)) says was reached more often than its body ran, nothing moves.

    `max-bytes` limits the memory that is kept for a loop in total: the results of operations that have moved out of it and
    are still read in it. An operation that would exceed the limit stays. Without the limit, an operation stays if the
    results would take more than twice their operands, as a Broadcast may, by more than 64 KB together.
    """

    name = "ov-loop-invariant-code-motion"
    EXACT = True

    max_bytes: int | None = None
    guard_elements: int = 64

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0, guard_elements=0)
        analyses = analyses_of(ctx)
        if not any(isinstance(o, LoopOp) for o in walk(op)):
            return analyses.keep_all()
        if not self.hoist(op, analyses):
            analyses.keep_all()

    def hoist(self, module: ModuleOp, analyses: Analyses, only: Collection[LoopOp] | None = None) -> bool:
        """Hoist out of all loops, or `only` out of these.

        Return True if an operation has moved.
        """
        inference = analyses.get(infer, module)
        policy = _Policy(Remarks(self.name), inference, self.max_bytes, self.guard_elements)
        return Motion(policy, only).run(module)


class _Policy(MotionPolicy):
    """Policy for GRAPH: facts are inferred, and a guard must pay."""

    no_guard = "it may fail, the loop may not run, and its result then has an unknown rank or takes memory"

    def __init__(
        self, remarks: Remarks, inference: Inference, max_bytes: int | None, guard_elements: int
    ) -> None:
        self.remarks, self.max_bytes, self.guard_elements = remarks, max_bytes, guard_elements
        self.inference, self.fact_of = inference, inference.fact

    def size(self, value: SSAValue) -> int | None:
        return bytes_at_most(value, self.inference) if isinstance(value.type, AnyTensor) else None

    def surely_runs(self, loop: Operation, region: Region) -> bool:
        return isinstance(loop, LoopOp) and trip_bounds(loop, self.inference).lo >= 1

    def ends(self, op: Operation) -> bool:
        return not isinstance(op, LoopOp)

    def is_free(self, op: Operation) -> bool:
        return isinstance(op, ConstantOp)

    def obstacle(self, op: Operation) -> str | None:
        return "the products that read it widen the weights" if widens_weights(op) else None

    def start_obstacle(self, loop: Operation) -> str | None:
        if isinstance(loop, LoopOp) and not starts_safely(loop, self.inference):
            return "it may fail, and so may the slicing of the loop's inputs"
        return None

    def guard_pays(self, loop: Operation, ops: Sequence[Operation]) -> bool:
        counts = [elements_at_most(r, self.inference) for op in ops for r in op.results]
        # What a loop gives may be little, and how long it takes nobody knows.
        loops = any(isinstance(o, LoopOp) for op in ops for o in walk(op))
        open_ = loops or any(c is None for c in counts)
        elements = None if open_ else sum(c for c in counts if c is not None)
        if elements is not None and elements < self.guard_elements:
            self.remarks.missed(
                loop,
                f"no guard for operations that may fail: {elements} elements are fewer than {self.guard_elements}",
                elements=elements,
                limit=self.guard_elements,
            )
            return False
        shown = "?" if elements is None else elements
        self.remarks.passed(
            loop, f"guarded for operations that may fail ({shown} elements)", elements=elements
        )
        return True

    def tell_moved(self, op: Operation, left: Sequence[Place], guarded: Operation | None) -> None:
        if not left:
            return
        loops = "a loop" if len(left) == 1 else f"{len(left)} loops"
        size = None if guarded else left[-1].room.total(op.results)
        shown = "" if guarded else f" ({'?' if size is None else size} bytes)"
        self.remarks.passed(op, f"moved out of {loops}{shown}", bytes=size)

    def tell_stays(self, op: Operation, loop: Operation, why: str | MissedReason) -> None:
        self.remarks.missed(op, why)
