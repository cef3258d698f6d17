"""`ov-loop-rotate`: tests the condition of a loop behind each trip."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike

from loomir.dialects.control_flow.rewriting import arms_of, take_arm, with_carried
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import i1, i64
from loomir.dialects.ov.canonicalization.loops import set_control
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.profile import drop
from loomir.dialects.region_flow import ancestor_in, comes_from_outside
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.costs import REGION_SIZE, code_size
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.lib.branches import operands_of
from loomir.passes.graph.lib.frozen_state import holds, kept_where, operations_where
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopRotatePass(ModulePass):
    """Moves the test that guards a loop's body behind it.

    The last trip, in which the test fails, changes nothing.

    ```mlir
    %r = ov.loop carried(%x) {                                 // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %go = … %v …
      %w = ov.if %go -> (tensor<4xf32>) {
        …
        ov.yield %q
      } else {
        ov.yield %v
      }
      ov.next while(%go) carried(%w)
    }

    %first = … %x …                                            // after
    %r = ov.loop while(%first) carried(%x) {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      …
      %go = … %q …
      ov.next while(%go) carried(%q)
    }
    ```

    The test runs as often as before, in the same order, and the body once less. So the loop has no other limit, and its other results are
    not read. Outside of the branches nothing that may fail follows the test. What the body reads of the test is carried. Code
    grows by the test, at most by `max-code-growth`.
    """

    name = "ov-loop-rotate"
    EXACT = True

    max_code_growth: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_code_growth=0)
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        wanted: list[LoopOp] = []
        for loop in walk(op, region_first=True):
            if not isinstance(loop, LoopOp):
                continue
            if _is_guarded(loop):
                wanted.append(loop)
            else:
                remarks.missed(loop, "its condition does not guard its body, or something else may end it")
        if not wanted:
            return analyses.keep_all()
        inference = analyses.get(infer, op)
        changed = [self.rotate(loop, inference, remarks) for loop in wanted]
        retype(ctx, op, changed=any(changed))

    def rotate(self, loop: LoopOp, inference: Inference, remarks: Remarks) -> bool:
        """Rotate a loop whose condition guards its body.

        Return True if it changed.
        """
        test = _test_of(loop)
        if (why := self._obstacle(loop, test, inference)) is not None:
            remarks.missed(loop, why)
            return False
        carried = _move(loop, test)
        remarks.passed(loop, "its condition is tested behind each trip", carried=carried)
        return True

    def _obstacle(
        self, loop: LoopOp, test: Collection[Operation], inference: Inference
    ) -> str | MissedReason | None:
        """Return why a loop is not rotated, or None."""
        again, end = loop.next.cond, loop.next
        assert again is not None
        if not all(map(is_side_effect_free, test)):
            return "its condition has an effect"
        left_out = (op for op in operations_where(loop.body.block, again, False) if op not in test)
        if not all(op is end or speculatable(op, inference.fact) for op in left_out):
            return "an operation that the condition does not guard may fail"
        growth = sum(map(code_size, test)) - REGION_SIZE
        if growth > self.max_code_growth:
            numbers = {"growth": growth, "limit": self.max_code_growth}
            return MissedReason(f"code growth of {growth} is more than {self.max_code_growth}", numbers)
        return None


def _is_guarded(loop: LoopOp) -> bool:
    """Return True if a trip whose condition fails changes nothing.

    Nothing but this condition ends the loop.
    """
    again = loop.next.cond
    if again is None or loop.trip is not None or loop.cond is not None or loop.sliced:
        return False
    if any(result.first_use is not None for result in (*loop.last, *loop.concat)):
        return False
    if comes_from_outside(again, loop) or not any(_guards(op, again) for op in loop.body.block.ops):
        return False
    read = {k for k, result in enumerate(loop.final) if result.first_use is not None}
    return bool(read) and read <= kept_where(loop, again, False)


def _guards(op: Operation, condition: SSAValue) -> bool:
    """Return True if an operation is a branch that a condition decides."""
    return isinstance(op, IfOp) and holds(op.cond, condition, False) is not None


def _test_of(loop: LoopOp) -> dict[Operation, None]:
    """Return the operations of the body that compute its condition, in order."""
    condition = loop.next.cond
    assert condition is not None
    needed, found = {condition}, list[Operation]()
    for op in reversed(list(loop.body.block.ops)):
        if not needed.isdisjoint(op.results):
            found.append(op)
            needed.update(operands_of(op))
    return dict.fromkeys(reversed(found))


def _move(loop: LoopOp, test: Collection[Operation]) -> int:
    """Move the test before a loop, and behind its body.

    Return the number of values that the body reads of it, which are carried.
    """
    block, condition = loop.body.block, loop.next.cond
    assert condition is not None
    for op in list(block.ops):
        # (A branch of the test itself comes before its result is known.)
        if isinstance(op, IfOp) and op not in test and (taken := holds(op.cond, condition, True)) is not None:
            take_arm(op, arms_of(op)[0 if taken else 1])
    inside = GraphBuilder(InsertPoint.before(loop.next), loop.location)
    _replace_beside(condition, inside.scalar(True, i1), test, loop)
    before = GraphBuilder(InsertPoint.before(loop), loop.location)
    first = _copies(loop, test, before, before.scalar(0, i64), loop.carried)
    made = (result for op in test if not op.has_trait(ConstantLike) for result in op.results)
    read = [value for value in made if any(_is_beside(use, test, loop) for use in value.uses)]
    wide = with_carried(loop, [(first[value], first[value]) for value in read], PatternRewriter(loop))
    assert isinstance(wide, LoopOp)
    place = len(wide.carried) - len(read)
    for value, argument in zip(read, wide.carried_arguments[place:]):
        _replace_beside(value, argument, test, wide)
    end = wide.next
    build = GraphBuilder(InsertPoint.before(end), loop.location)
    number = build.make(AddOp, wide.iteration, build.scalar(1, i64))
    behind = _copies(wide, test, build, number, end.carried)
    for k, value in enumerate(read):
        end.operands[1 + place + k] = behind[value]
    set_control(wide, cond=first[condition], again=behind[condition])
    for op in reversed(list(test)):
        if all(result.first_use is None for result in op.results):
            op.detach()
            op.erase()
    drop(wide)
    return len(read)


def _copies(
    loop: LoopOp,
    test: Collection[Operation],
    build: GraphBuilder,
    number: SSAValue,
    carried: Sequence[SSAValue],
) -> dict[SSAValue, SSAValue]:
    """Emit copies of the test for an iteration.

    Return the values that stand for those of the body.
    """
    new: dict[SSAValue, SSAValue] = {loop.iteration: number, **dict(zip(loop.carried_arguments, carried))}
    for op in test:
        build.emit(op.clone(new))
    return new


def _is_beside(use: Use, test: Collection[Operation], loop: LoopOp) -> bool:
    """Return True if a use is outside of the test."""
    is_again = use.operation is loop.next and use.index == 0
    return not is_again and ancestor_in(use.operation, loop.body.block) not in test


def _replace_beside(value: SSAValue, by: SSAValue, test: Collection[Operation], loop: LoopOp) -> None:
    value.replace_uses_with_if(by, lambda use: _is_beside(use, test, loop))
