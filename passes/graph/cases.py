"""Selection of a case by a number known only at run time.

GRAPH has no branch with more than two arms, so `ov.if` operations are nested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp
from loomir.dialects.ov.operators.control_flow import IfOp, YieldOp

Case = tuple[int, Callable[[GraphBuilder], Sequence[SSAValue]]]
"""A number, and what emits the results for it at a place."""


def choose(
    build: GraphBuilder, number: SSAValue, cases: Sequence[Case], types: Sequence[Attribute]
) -> list[IfOp]:
    """Emit nested `ov.if` operations for two or more cases.

    There is an `ov.if` for each case but the last one; they are returned outermost first. The results are those of the case
    that holds. `number` is a scalar that surely equals one of the cases: the last case is not tested. `types` are the
    result types.
    """
    made: list[IfOp] = []
    (wanted, emit), *others = cases
    then, otherwise = Region(Block()), Region(Block())
    first = build.inside(then.block)
    first.emit(YieldOp.build(operands=[list(emit(first))]))
    second = build.inside(otherwise.block)
    if len(others) == 1:
        rest = others[0][1](second)
    else:
        made = choose(second, number, others, types)
        rest = made[0].output
    second.emit(YieldOp.build(operands=[list(rest)]))
    holds = build.make(EqualOp, number, build.like(wanted, number))
    return [build.emit(IfOp.of(holds, types, then, otherwise)), *made]
