"""Multiply–accumulates of a program.

They are the cost of convolutions and matrix products, through loops and branches.

Composite operations count as their decompositions. A count is an interval: for a loop that runs 1 to 10 times it covers
1 to 10 iterations, for a branch the cheaper to the more expensive arm; `hi` is None if there is no bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Shape
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.dialects.ov.operators.transposed_convolution import (
    ConvolutionBackpropDataOp,
    GroupConvolutionBackpropDataOp,
)
from loomir.dialects.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.graph.ov_decompose import decompose

MAX_TRIPS = 1 << 48

ONE, NOTHING = Dim(1, 1), Dim(0, 0)

Rule = Callable[[Shape, Shape, Shape, OvOperation], Dim]
"""From the shapes of the first two operands and of the result."""


def product(shape: Shape) -> Dim:
    """The number of elements."""
    return reduce(Dim.__mul__, shape, ONE)


def _matmul(a: Shape, b: Shape, result: Shape, op: OvOperation) -> Dim:
    assert isinstance(op, MatMulOp)
    transposed = bool(op.transpose_a.value.data)
    inner = a[-2] if transposed and len(a) > 1 else a[len(a) - 1]
    return product(result) * inner


RULES: dict[type[Operation], Rule] = {
    MatMulOp: _matmul,
    # Filters are [out, in, window …], in groups [group, out, in, window …]; transposed ones have in before out.
    ConvolutionOp: lambda x, filters, y, op: product(y) * product(filters[1:]),
    GroupConvolutionOp: lambda x, filters, y, op: product(y) * product(filters[2:]),
    ConvolutionBackpropDataOp: lambda x, filters, y, op: product(x) * product(filters[1:]),
    GroupConvolutionBackpropDataOp: lambda x, filters, y, op: product(x) * product(filters[2:]),
}


def multiply_accumulates(module: ModuleOp) -> tuple[Dim, dict[Operation, Dim]]:
    """Return the multiply–accumulates of a GRAPH module and its operations.

    The first result is the count of the whole module, the second that of each operation that has any.
    """
    copy = module.clone()
    owners = dict(zip(walk(copy), walk(module), strict=True))
    _decompose_all(copy, owners)
    counter = _Counter(infer(copy), owners)
    total = NOTHING
    for function in copy.body.block.ops:
        for region in function.regions:
            for block in region.blocks:
                total = total + counter.block(block)
    return total, counter.found


def _decompose_all(module: ModuleOp, owners: dict[Operation, Operation]) -> None:
    """Decompose composite operations in place.

    The operations of a decomposition belong to the same operation of the original module as the composite.
    """
    waiting = [op for op in walk(module) if isinstance(op, OvOperation) and op.COMPOSITE]
    while waiting:
        op = waiting.pop()
        owner = owners.get(op)
        try:
            emitted = decompose(op)
        except Error:
            continue  # its rank is not known: it costs nothing that could be counted
        for new in emitted:
            if owner is not None:
                owners[new] = owner
            waiting += [inner for inner in walk(new) if isinstance(inner, OvOperation) and inner.COMPOSITE]


def trips_of(loop: LoopOp, inference: Inference) -> Dim:
    """Return the trip count of a loop.

    An upper bound that is only that of the counter's type does not count as a bound.
    """
    bounds = trip_bounds(loop, inference)
    return Dim(bounds.lo) if bounds.hi is not None and bounds.hi > MAX_TRIPS else bounds


def total_of(block: Block, costs: Mapping[Operation, Dim]) -> Dim:
    """Return the multiply–accumulates of one run of a block.

    The block belongs to the module of `costs`.
    """
    return reduce(Dim.__add__, (costs[op] for op in block.ops if op in costs), NOTHING)


class _Counter:
    def __init__(self, inference: Inference, owners: dict[Operation, Operation]) -> None:
        self.inference = inference
        self.owners = owners
        self.found: dict[Operation, Dim] = {}

    def block(self, block: Block) -> Dim:
        total = NOTHING
        for op in block.ops:
            cost = self.operation(op)
            owner = self.owners.get(op)
            if owner is not None and cost != NOTHING:
                self.found[owner] = self.found.get(owner, NOTHING) + cost
            total = total + cost
        return total

    def operation(self, op: Operation) -> Dim:
        if isinstance(op, LoopOp):
            return self.block(op.body.block) * trips_of(op, self.inference)
        if isinstance(op, IfOp):
            arms = [self.block(op.then_region.block), self.block(op.else_region.block)]
            condition = self.inference.fact(op.cond).value
            if condition is not None:
                return arms[0] if bool(condition) else arms[1]
            return arms[0].join(arms[1])
        rule = RULES.get(type(op))
        if rule is None:
            return NOTHING
        assert isinstance(op, OvOperation)
        shapes = [self.inference.fact(v).shape for v in (*op.operands[:2], op.results[0])]
        if any(s is None for s in shapes):
            return Dim()
        first, second, result = shapes
        assert first is not None
        assert second is not None
        assert result is not None
        return rule(first, second, result, op)
