"""Estimated cost of each layer, from the program in LOOPS.

Operations of loops count once for each iteration, as intervals: for a loop that runs 1 to 10 times, 1 to 10 times; in an arm of
a branch, no time or once. An operation costs what `cost_of` says of the machine; a load and a store cost 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation

from loomir.compiler.drawings.memory import ArenaUse
from loomir.compiler.summary import NOTHING, ONE, multiply_accumulates
from loomir.dialects.diagnostics import layer_name
from loomir.dialects.interface import main_function
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.upstream.walking import walk
from loomir.dialects.vectors import LOADS, STORES, accessed_lanes, buffer_of
from loomir.passes.analysis.costs import cost_of
from loomir.passes.analysis.machines import Machine
from loomir.passes.analysis.value_ranges import SAFE_INDEX, IntegerRanges
from loomir.passes.loops.plan_memory import byte_size, element_size


@dataclass
class LayerCost:
    """Costs of one layer."""

    operators: Counter[str] = field(default_factory=Counter[str])
    """Its operations in GRAPH, without constants."""
    macs: Dim = NOTHING
    instructions: Dim = NOTHING
    """Estimated; those of loops' counters and of addresses are not among them."""
    moved: Dim = NOTHING
    """Bytes that loads read and stores write."""
    arena: int = 0
    """Bytes of its buffers."""


def layer_costs(
    graph: ModuleOp,
    loops: ModuleOp | None,
    arena: ArenaUse | None,
    trips: Mapping[str, Dim],
    machine: Machine,
) -> dict[str, LayerCost]:
    """Return the costs of each layer.

    `trips` are the iterations of loops of GRAPH, for those that have no counter in LOOPS.
    """
    costs: dict[str, LayerCost] = {}

    def of(name: str) -> LayerCost:
        return costs.setdefault(name, LayerCost())

    macs = multiply_accumulates(graph)[1]
    for op in walk(graph):
        name = layer_name(op)
        if name is None or not isinstance(op, OvOperation) or isinstance(op, ConstantOp):
            continue
        of(name).operators[op.name] += 1
        of(name).macs += macs.get(op, NOTHING)
    for buffer in () if arena is None else arena.buffers:
        if buffer.layer is not None:
            of(buffer.layer).arena += buffer.bytes
    if loops is not None:
        block = main_function(loops).body.block
        ranges = IntegerRanges(SAFE_INDEX)
        ranges.analyse(block)
        for name, op, times in _executed(block, ONE, None, ranges, trips):
            cost, moved = _cost(op, machine)
            if name is not None:
                of(name).instructions += times * cost
                of(name).moved += times * moved
    return costs


def _executed(
    block: Block, times: Dim, layer: str | None, ranges: IntegerRanges, trips: Mapping[str, Dim]
) -> Iterable[tuple[str | None, Operation, Dim]]:
    """The operations of a block and below.

    Each has its layer and how often it runs.
    """
    for op in block.ops:
        name = layer_name(op) or layer
        yield name, op, times
        inner = times
        if isinstance(op, scf.ForOp):
            inner = times * _trips(op, ranges)
        elif isinstance(op, scf.WhileOp):
            inner = times * trips.get(name or "", Dim())
        elif op.regions:
            inner = Dim(0, times.hi)
        for region in op.regions:
            for each in region.blocks:
                yield from _executed(each, inner, name, ranges, trips)


def _trips(op: scf.ForOp, ranges: IntegerRanges) -> Dim:
    (low, high), (end, last), (step, _) = (ranges.of(value) for value in (op.lb, op.ub, op.step))
    step = max(1, step)
    return Dim(max(0, -(-(end - high) // step)), max(0, -(-(last - low) // step)))


def _cost(op: Operation, machine: Machine) -> tuple[int, int]:
    """Instructions of one execution, and bytes that it moves."""
    if isinstance(op, LOADS + STORES):
        type_ = buffer_of(op).type
        assert isinstance(type_, MemRefType)
        return 1, accessed_lanes(op) * element_size(type_)
    if isinstance(op, memref.CopyOp) and isinstance(op.source.type, MemRefType):
        type_ = op.source.type
        if type_.has_static_shape():
            bytes_ = 2 * byte_size(MemRefType(type_.element_type, type_.get_shape()))
            return bytes_ // element_size(type_), bytes_
    if op.regions or op.name.startswith(("memref.", "scf.", "func.")):
        return 0, 0
    cost = cost_of(op, machine)
    return 1 if cost is None else cost, 0
