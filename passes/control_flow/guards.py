"""Guards of loops: branches on a loop's own first condition.

Operations in front of the loop, inside the guard, run only if the loop does. So operations that may fail can leave a loop that may
run no iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.control_flow.rewriting import Branch, arms_of
from loomir.dialects.ov.canonicalization.loops import (
    first_trip_comes,
    has_results_of_no_trip,
    results_of_no_trip,
)
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp
from loomir.dialects.profile import drop
from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars import LESS
from loomir.dialects.scalars.row import constant_integer, constant_trips


def can_be_guarded(loop: LoopOp | scf.ForOp) -> bool:
    """Return True if a loop that may not run can be guarded.

    The results of an `ov.loop` without an iteration need no memory and have a known shape. Last values are excluded: after no
    iteration they are zeros, which would take a constant of that size. The step of an `scf.for` is a positive constant.
    """
    if isinstance(loop, scf.ForOp):
        return constant_trips(loop) is None and (constant_integer(loop.step) or 0) > 0
    values = (*loop.results, *loop.carried)
    return (
        bool(loop.results)
        and not loop.last
        and (loop.trip is not None or loop.cond is not None)
        and all(isinstance(v.type, TensorType) for v in values)
        and has_results_of_no_trip(loop)
    )


def guard_loop(loop: LoopOp | scf.ForOp, before: Sequence[Operation] = ()) -> tuple[list[Operation], Branch]:
    """Put a safely starting loop under its own condition.

    The detached operations `before` are placed in front of the loop. Return the operations of the condition, and the
    branch.

    ```mlir
    %r = ov.loop trip(%n) carried(%x) { … }      // before

    %run = ov.not_equal %n, %zero                // after: a negative count is no limit
    %r = ov.if %run -> (tensor<4xf32>) {
      …
      %q = ov.loop trip(%n) carried(%x) { … }
      ov.yield %q
    } else {
      ov.yield %x
    }
    ```

    The condition of an `scf.for` is that its lower bound is less than the upper one.
    """
    nothing = Block()
    if isinstance(loop, LoopOp):
        build = GraphBuilder(InsertPoint.before(loop), loop.location)
        condition, asked = first_trip_comes(loop, build), build.emitted
        values = results_of_no_trip(loop, build.inside(nothing))
    else:
        runs = arith.CmpiOp(loop.lb, loop.ub, LESS)
        runs.location = loop.location
        Rewriter.insert_op(runs, InsertPoint.before(loop))
        condition, asked, values = runs.result, [runs], region_flow(loop).entry.operands
    assert condition is not None, "a loop that surely runs needs no guard"
    taken = Block()
    branch = replace_by_branch(loop, condition, taken, nothing)
    taken.add_ops([*before, loop])
    end_arms(branch, loop.results, values)
    return list(asked), branch


def replace_by_branch(
    loop: LoopOp | scf.ForOp, condition: SSAValue, taken: Block, otherwise: Block
) -> Branch:
    """Replace a loop by a branch with the same results.

    The caller fills the arms. The loop is detached, without the facts of a profile, since it is no longer reached as often.
    """
    types = [r.type for r in loop.results]
    arms = Region(taken), Region(otherwise if types else ())
    branch = (IfOp.of if isinstance(loop, LoopOp) else scf.IfOp)(condition, types, *arms)
    branch.location = loop.location
    Rewriter.insert_op(branch, InsertPoint.before(loop))
    for result, inner in zip(branch.results, loop.results, strict=True):
        result.name_hint = inner.name_hint
        inner.replace_all_uses_with(result)
    loop.detach()
    drop(loop)
    return branch


def end_arms(branch: Branch, *yields: Sequence[SSAValue]) -> None:
    """Add the terminators of a branch's arms, which yield these values."""
    arms = (arm for arm in arms_of(branch) if arm.blocks)
    for arm, values in zip(arms, yields):
        end = YieldOp.build(operands=[values]) if isinstance(branch, IfOp) else scf.YieldOp(*values)
        end.location = branch.location
        arm.block.add_op(end)
