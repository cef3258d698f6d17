"""Quantised tensors across the boundaries of loops and branches.

They enter loops, and leave loops and branches, as integers instead of the floats that these represent.

```mlir
%r = ov.loop trip(%n) carried(%x) : … {              %q = quantise %x
^bb0(%i, %v: tensor<4xf32>):                          %r8 = ov.loop trip(%n) carried(%q) : … {
  …                                                   ^bb0(%i, %v8: tensor<4xi8>):
  %w = scale · (… − zero)                               %v = scale · (%v8 − zero)
  ov.next carried(%w)                                   …
}                                                       ov.next carried(quantise %w)
                                                      }
                                                      %r = scale · (%r8 − zero)
```

The rules find that `quantise (scale · (q − zero))` is q. A loop-carried value must come from the same quantisation in
each iteration. Its initial value must come from this quantisation, too, or be a constant that integers represent
exactly. After no iteration, `last` yields zeros: it stays unchanged.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.failure import FailOp
from loomir.dialects.ovseq.types import SeqType
from loomir.dialects.walking import walk
from loomir.passes.analysis.known_arrays import known_array
from loomir.passes.analysis.quantisation_steps import Steps, steps_of_value
from loomir.passes.graph.ov_to_integer.forms import FLOATS
from loomir.passes.graph.quantised_values import make_integers, quantised


def carry_integers(module: ModuleOp) -> None:
    """Carry integers instead of quantised floats across loop and branch boundaries.

    Inner regions come first, since their results may be results of the outer ones.
    """
    for op in reversed(list(walk(module))):
        if isinstance(op, IfOp):
            _branches(op)
        elif isinstance(op, LoopOp):
            _sliced(op)
            _carried(op)
            _concatenated(op)


def _branches(op: IfOp) -> None:
    ends = [region.block.last_op for region in (op.then_region, op.else_region)]
    for index, result in enumerate(op.results):
        values = [end.operands[index] for end in ends if end is not None]
        # (What a branch that only fails gives is nothing.)
        found = {_steps(value) for value in values if not isinstance(value.owner, FailOp)}
        steps = found.pop() if len(found) == 1 and _is_floats(result) else None
        if steps is None:
            continue
        for end in ends:
            assert end is not None
            _quantise(end, index, steps)
        _make_integers_behind(op, result, steps)


def _sliced(op: LoopOp) -> None:
    first = len(op.operands) - len(op.sliced)
    for index, (value, part) in enumerate(zip(op.sliced, op.part_arguments, strict=True)):
        steps = _steps(value) if _is_floats(part) else None
        if steps is not None:
            _quantise(op, first + index, steps)
            _make_integers_inside(op, part, steps)


def _carried(op: LoopOp) -> None:
    first, again = len(op.operands) - len(op.sliced) - len(op.carried), op.next.cond is not None
    for index, (argument, final) in enumerate(zip(op.carried_arguments, op.final, strict=True)):
        # (What an argument was is what it stands for, once an earlier one is of integers.)
        start, following = op.carried[index], op.next.carried[index]
        steps = _steps(following) if _is_floats(argument) else None
        if steps is None or not (_steps(start) == steps or _stands_for(start, steps)):
            continue
        _quantise(op, first + index, steps)
        _quantise(op.next, again + index, steps)
        _make_integers_inside(op, argument, steps)
        _make_integers_behind(op, final, steps)


def _concatenated(op: LoopOp) -> None:
    first = len(op.next.operands) - len(op.concat)
    for index, result in enumerate(op.concat):
        steps = _steps(op.next.operands[first + index]) if _is_floats(result) else None
        if steps is not None:
            _quantise(op.next, first + index, steps)
            _make_integers_behind(op, result, steps)


def _steps(value: SSAValue) -> Steps | None:
    """Return the quantisation steps of floats that come from a quantisation."""
    return steps_of_value(value) if _is_floats(value) else None


def _is_floats(value: SSAValue) -> bool:
    return not isinstance(value.type, SeqType) and fact_of(value).element in FLOATS


def _stands_for(value: SSAValue, steps: Steps) -> bool:
    """Return True if integers represent a constant exactly."""
    known = known_array(value)
    if known is None:
        return False
    said, dtype = steps.said, dtype_of(steps.element)
    return bool(np.array_equal(said.reals(said.integers(known, dtype)), known))


def _quantise(op: Operation, index: int, steps: Steps) -> None:
    """An operand as integers."""
    build = GraphBuilder(InsertPoint.before(op), op.location)
    op.operands[index] = quantised(build, op.operands[index], steps)


def _make_integers_inside(op: LoopOp, argument: SSAValue, steps: Steps) -> None:
    body = op.body.block
    assert body.first_op is not None
    build = GraphBuilder(InsertPoint.before(body.first_op), op.location)
    make_integers(build, argument, steps, list(argument.uses))


def _make_integers_behind(op: Operation, result: SSAValue, steps: Steps) -> None:
    build = GraphBuilder(InsertPoint.after(op), op.location)
    make_integers(build, result, steps, list(result.uses))
