"""A loop under its own condition: what stands before it then runs only if the loop does."""

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
    """Whether nothing fails in a loop before its first iteration begins: each input that it cuts surely has a first part."""
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
    """Whether a loop that may not run can be put under its condition: what it gives without it needs no room, and has a known shape.

    After no iteration last values are zeros, for which there would have to be a constant of that size.
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
    """Put a loop that starts safely under its own condition, behind the detached operations `before`; the condition's operations and
    the branch.

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
