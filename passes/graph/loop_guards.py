"""Guards of loops: a loop under its own condition.

Operations hoisted out of the loop then run only if the loop does.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.no_iterations import first_trip_comes, has_results_of_no_trip, results_of_no_trip
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp
from loomir.errors import Error
from loomir.passes.analysis.inference.state import State


def starts_safely(loop: LoopOp, inference: State) -> bool:
    """Return True if nothing fails before a loop's first iteration.

    Each input that the loop slices must surely have a first slice.
    """
    for value, cut in zip(loop.sliced, loop.slicings):
        shape = inference.fact(value).shape
        if shape is None:
            return False
        try:
            extent = shape[cut.normalised_axis(len(shape))].static
            if extent is None or cut.trips(extent) < 1:
                return False
        except Error:
            return False
    return True


def can_be_guarded(loop: LoopOp) -> bool:
    """Return True if a loop that may not run can be guarded.

    Its results without an iteration need no memory and have a known shape. Last values are excluded: after no iteration
    they are zeros, which would take a constant of that size.
    """
    values = (*loop.results, *loop.carried)
    return (
        bool(loop.results)
        and not loop.last
        and (loop.trip is not None or loop.cond is not None)
        and all(isinstance(v.type, TensorType) for v in values)
        and has_results_of_no_trip(loop)
    )


def guard_loop(loop: LoopOp, before: Sequence[Operation]) -> tuple[list[Operation], IfOp]:
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
    """
    build = GraphBuilder(InsertPoint.before(loop), loop.location)
    condition = first_trip_comes(loop, build)
    assert condition is not None, "a loop that surely runs needs no guard"
    block = loop.parent
    assert block is not None
    nothing = Block()
    otherwise = build.inside(nothing)
    otherwise.emit(YieldOp.build(operands=[results_of_no_trip(loop, otherwise)]))
    taken = Block()
    branch = IfOp.of(condition, [r.type for r in loop.results], Region(taken), Region(nothing))
    branch.location = loop.location
    block.insert_op_before(branch, loop)
    for result, inner in zip(branch.output, loop.results):
        result.name_hint = inner.name_hint
        inner.replace_all_uses_with(result)
    loop.detach()
    taken.add_ops([*before, loop])
    build.inside(taken).emit(YieldOp.build(operands=[loop.results]))
    return build.emitted, branch
