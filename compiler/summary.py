"""Summary of a program, with its multiply–accumulates.

The summary has the tree of loops and branches, operations by name, parameters and multiply–accumulates.

Multiply–accumulates are the cost of convolutions and matrix products, through loops and branches. Composite operations count
as their decompositions. A count is an interval: for a loop that runs 1 to 10 times it covers 1 to 10 iterations, for a branch
the cheaper to the more expensive arm; `hi` is None if there is no bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Block, Operation, SSAValue

from loomir.compiler.drawings.tree import ControlFlowNode, RegionResults
from loomir.dialects.diagnostics import layer_name
from loomir.dialects.element_types import dtype_of, is_float
from loomir.dialects.interface import program_name
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.convolution import (
    ConvolutionBackpropDataOp,
    ConvolutionOp,
    GroupConvolutionBackpropDataOp,
    GroupConvolutionOp,
)
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.integer_weights import PRODUCTS
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
    counter = _CostCounter(infer(copy), owners)
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


class _CostCounter:
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


CONTROL_FLOW = ("ov.loop", "ov.if", "scf.for", "scf.while", "scf.if")


@dataclass(frozen=True)
class Summary:
    """Counts over a whole module."""

    operations: Counter[str]
    constants: int
    constant_bytes: int
    parameters: int
    """Number of trained elements.

    They are the elements of all constants except lists of integers (axes, shapes).
    """
    products: int
    """Convolutions and products of matrices."""
    integer_products: int
    """Those of integers."""
    floats: Counter[str]
    """Operations with results of floats, without constants."""

    @property
    def control_flow(self) -> dict[str, int]:
        """How many operations there are of each kind with regions."""
        return {name: self.operations[name] for name in CONTROL_FLOW if self.operations[name]}

    @property
    def branches(self) -> int:
        """How many branches there are, of any stage."""
        return sum(count for name, count in self.control_flow.items() if name.endswith(".if"))

    @property
    def loops(self) -> int:
        """How many loops there are, of any stage."""
        return sum(self.control_flow.values()) - self.branches

    def __str__(self) -> str:
        found = (
            (self.loops, "loop", "s"),
            (self.branches, "branch", "es"),
            (self.operations.total(), "operation", "s"),
        )
        return ", ".join(f"{n:,} {word}{'' if n == 1 else plural}" for n, word, plural in found)


def summarise(module: ModuleOp) -> Summary:
    """Count the operations and constants of a GRAPH module.

    The counts are operations by name, those on floats, and number, bytes and elements of the constants.
    """
    operations, floats = Counter[str](), Counter[str]()
    constants = size = parameters = products = integer_products = 0
    for op in walk(module):
        operations[op.name] += 1
        if isinstance(op, ConstantOp):
            constants += 1
            size += op.array.nbytes
            trained = op.array.dtype.kind not in "iub" or op.array.ndim > 1
            parameters += op.array.size if trained else 0
            continue
        of_floats = any(_is_of_floats(result) for result in op.results)
        floats[op.name] += of_floats
        if isinstance(op, PRODUCTS):
            products += 1
            integer_products += not of_floats
    return Summary(operations, constants, size, parameters, products, integer_products, +floats)


def _is_of_floats(value: SSAValue) -> bool:
    t = value.type
    return isinstance(t, TensorType | UnrankedTensorType) and is_float(t.element_type)


def control_flow_tree(module: ModuleOp) -> ControlFlowNode:
    """Return the tree of loops and branches of a module.

    The module may be of any stage. The tree has the nesting of the module, and the inferred trip counts.
    """
    inference = infer(module)
    total, macs = multiply_accumulates(module)
    root = ControlFlowNode("program", program_name(module), macs=total)
    for op in module.ops:
        for region in op.regions:
            for block in region.blocks:
                _collect(block, root, inference, macs)
    return root


def _collect(
    block: Block, parent: ControlFlowNode, inference: Inference, macs: Mapping[Operation, Dim]
) -> None:
    for op in block.ops:
        parent.operations += 1
        if not op.regions or op.name not in CONTROL_FLOW:
            continue
        node = _node(op, inference, macs.get(op, NOTHING))
        parent.children.append(node)
        if isinstance(op, IfOp | scf.IfOp):
            for name, region in zip(("then", "else"), op.regions):
                if region.blocks:
                    arm = ControlFlowNode(name)
                    node.children.append(arm)
                    _collect(region.block, arm, inference, macs)
                    arm.macs = total_of(region.block, macs)
                    node.operations += arm.operations
            continue
        for region in op.regions:
            _collect(region.block, node, inference, macs)


def _node(op: Operation, inference: Inference, macs: Dim) -> ControlFlowNode:
    layer = layer_name(op)
    if isinstance(op, LoopOp):
        results = [
            RegionResults(how, _types(values), _size(values, inference))
            for how, values in (
                ("carried", op.final),
                ("sliced", op.sliced),
                ("last", op.last),
                ("concatenated", op.concat),
            )
            if values
        ]
        return ControlFlowNode("loop", layer, _trips(op, inference), tuple(results), macs=macs)
    results = (RegionResults("results", _types(op.results)),) if op.results else ()
    kind = "if" if isinstance(op, IfOp) else op.name
    return ControlFlowNode(kind, layer, None, results, macs=macs)


def _types(values: Sequence[SSAValue]) -> tuple[str, ...]:
    return tuple(str(value.type) for value in values)


def _trips(op: LoopOp, inference: Inference) -> Dim:
    try:
        return trips_of(op, inference)
    except KeyError:
        return Dim()


def _size(values: Sequence[SSAValue], inference: Inference) -> Dim | None:
    """The bytes of these values together; None where one has no bound."""
    total = NOTHING
    for value in values:
        fact = inference.any_fact(value)
        if not isinstance(fact, Fact) or fact.shape is None:
            return None
        total = total + product(fact.shape) * dtype_of(fact.element).itemsize
    return None if total.hi is None else total
