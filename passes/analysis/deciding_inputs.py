"""Inputs that decide shapes.

Their contents reach an operation that must know them before anything can be generated for it.

```mlir
func.func @main(%x: tensor<2x3xf32>, %axes: tensor<1xi64>, %k: tensor<i64>) -> … {
  %a = ov.add %axes, %axes : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %y = ov.reduce_sum %x, %a : …            // asks for the contents of %a: %axes decides
  %z = ov.gather %y, %k, %axis : …         // any %k will do
}
```

The search starts from two kinds of values: the parameters that shape inference requires and does not fully know
(`parameters.asking`), and the values that choose among values of unknown rank (the condition of a branch, the trip count of a
loop). The length of a Range counts only on request: usually a bound suffices. From there the search follows the operands from
which contents are computed, back to the arguments of `main`; it ends at ShapeOf, which reads no contents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from xdsl.dialects.builtin import ModuleOp, UnrankedTensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loomir.dialects.interface import main_function
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.broadcasting import RangeOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp
from loomir.dialects.ov.parameters import asking
from loomir.dialects.region_flow import region_flow
from loomir.dialects.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference, infer


def deciding_inputs(module: ModuleOp, *, lengths: bool = False) -> list[BlockArgument]:
    """Return the arguments of `main` in GRAPH that decide shapes.

    They are in the order of the arguments. With `lengths`, arguments that decide the length of a Range are included.

    Linear in the number of operations. Errors: those of `infer`.
    """
    function = main_function(module)
    ranges = (op for op in walk(function) if lengths and isinstance(op, RangeOp))
    found = _sources(chain(_questions(module), *(op.operands for op in ranges)))
    return [argument for argument in function.args if argument in found]


def deciding_loops(module: ModuleOp) -> set[LoopOp]:
    """Return the loops whose iteration numbers or carried values decide shapes.

    After unrolling, each iteration may know the contents that it needs.

    Linear in the number of operations. Errors: those of `infer`.
    """
    function = main_function(module)
    found = _sources(_questions(module))
    return {
        op
        for op in walk(function)
        if isinstance(op, LoopOp) and not found.isdisjoint((op.iteration, *op.carried_arguments))
    }


def _questions(module: ModuleOp) -> Iterator[SSAValue]:
    inference = infer(module)
    return (value for op in walk(main_function(module)) for value in _asked_of(op, inference))


def _asked_of(op: Operation, inference: Inference) -> Iterable[SSAValue]:
    """The values of which an operation would have to know more."""
    if isinstance(op, OvOperation):
        facts = [inference.fact(operand) for operand in op.operands]
        with asking() as asked:
            try:
                op.infer(facts)
            except Error:
                return []  # in a branch that the shapes forbid
        return [o for o, fact in zip(op.operands, facts) if any(fact is a for a in asked)]
    if (flow := region_flow(op)) and any(isinstance(r.type, UnrankedTensorType) for r in op.results):
        return flow.deciders
    return []


def _sources(values: Iterable[SSAValue]) -> set[SSAValue]:
    """Everything that the contents of these values are computed from."""
    waiting = list(values)
    found: set[SSAValue] = set()
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting.extend(_computed_from(value))
    return found


def _computed_from(value: SSAValue) -> Iterator[SSAValue]:
    op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    flow = region_flow(op)
    if flow is not None:
        yield from flow.deciders
        for edge in (*flow.edges, *flow.derived):
            yield from (given for given, becomes in edge.pairs if becomes is value)
    elif op is not None and not isinstance(value, BlockArgument) and not isinstance(op, ShapeOfOp):
        yield from op.operands
